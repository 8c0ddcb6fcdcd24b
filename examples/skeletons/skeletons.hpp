// What the parts of the example have in common.
#pragma once

#include <string>

namespace samara::examples {

struct Job {
    std::string images, labels;           // to train on: N x 32 x 32 x 3 bytes, and a class each
    std::string test_images, test_labels; // to be judged by
    std::string out;                      // a directory
    unsigned repetitions = 10, threads = 1, epochs = 10;
    unsigned features = 20000; // of the classifiers
};

int draw_errors(const Job& job);       // Figure 3
int draw_pixels(const Job& job);       // Figure 4
int train_classifiers(const Job& job); // Table 1

} // namespace samara::examples
