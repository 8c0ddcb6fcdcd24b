// What training found out, and sealing writes down.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ports/host/data/matrix.hpp"
#include "ports/host/text/map_text.hpp"

namespace samara::desk {

// What happens to an input before the map sees it, in float32 and in this order, each step only where its vector is
// not empty (unit: where it is true):
//   a NaN becomes fill[i]; x[i] = (x[i] - shift[i]) * factor[i]; x = x / |x| (0 stays 0)
// Vectors that have a number for each channel alone are taken again and again: i is then the input's channel.
struct Scaling {
    std::vector<float> fill, shift, factor;
    bool unit = false;
};

enum class Task : std::uint8_t { regress = 0, classify = 1 };

// What a model says to the application that uses it: samara::Application, with memory of its own.
struct ApplicationWords {
    std::uint32_t version = 0, input_layout = 0;
    float confidence_mean = 0.0f, confidence_spread = 0.0f;
    std::string data;
};

struct TrainedModel {
    MapSpec spec;                         // resolved; of all candidates where rows were chosen
    std::vector<std::uint16_t> kept_rows; // ascending; empty: all rows of the map
    Scaling scaling;
    Task task = Task::regress;
    std::vector<std::string> labels; // of the outputs: class names, or names of targets (may be empty then)
    std::vector<float> bias;         // an output each
    ApplicationWords application;
    MatrixF weights; // a row an output, a column a feature that is kept
};

} // namespace samara::desk
