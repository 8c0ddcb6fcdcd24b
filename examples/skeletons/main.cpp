// The experiments of arXiv 1703.07872 on images: how near random features of skeletons come to their kernels (Figure
// 3), which pixels they bring together (Figure 4), and what they tell apart (Table 1). See --help.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "examples/skeletons/skeletons.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/blas.hpp"

namespace {

using samara::desk::BadInput;
using samara::examples::Job;

constexpr const char* help = R"(skeletons errors|pixels|classifiers|all DIRECTORY [OPTION...]

  errors       Figure 3: errors against features, beside Gaussian features and random networks; DIRECTORY/figure3.svg
  pixels       Figure 4: which pixels occur together in random features; DIRECTORY/figure4.svg
  classifiers  Table 1: accuracy of skeletons with convolutions of several sizes

  --images X.npy        to train on, N x 32 x 32 x 3 bytes, such as CIFAR-10's (errors, classifiers)
  --labels Y.npy        their classes (classifiers)
  --test-images X.npy   to be judged by (classifiers)
  --test-labels Y.npy   their classes (classifiers)
  --repetitions N       of errors: 10
  --features N          of classifiers: 20000; the source has 10^6
  --epochs N            of classifiers: 10; the source has 120
  --threads N           1
)";

unsigned number(std::string_view option, std::string_view text)
{
    unsigned value = 0;
    const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || stop != text.data() + text.size() || value < 1 || value > 1u << 24)
        throw BadInput(std::string(option) + ": found '" + std::string(text) + "', expected a number from 1 to 2^24");
    return value;
}

void require(const std::string& value, const char* option)
{
    if (value.empty())
        throw BadInput(std::string("found no ") + option + ", expected one; --help says what there is");
}

int run(int count, char** words)
{
    Job job;
    std::string what;
    for (int i = 1; i < count; ++i) {
        const std::string_view word = words[i];
        if (word == "--help") {
            std::fputs(help, stdout);
            return 0;
        }
        if (!word.starts_with("--")) {
            (what.empty() ? what : job.out) = word;
            continue;
        }
        if (i + 1 == count)
            throw BadInput(std::string(word) + ": found nothing behind it, expected a value");
        const std::string value = words[++i];
        if (word == "--images")
            job.images = value;
        else if (word == "--labels")
            job.labels = value;
        else if (word == "--test-images")
            job.test_images = value;
        else if (word == "--test-labels")
            job.test_labels = value;
        else if (word == "--repetitions")
            job.repetitions = number(word, value);
        else if (word == "--features")
            job.features = number(word, value);
        else if (word == "--epochs")
            job.epochs = number(word, value);
        else if (word == "--threads")
            job.threads = number(word, value);
        else
            throw BadInput("found the unknown option " + std::string(word) + "; --help says what there is");
    }
    const bool all = what == "all", errors = all || what == "errors", pixels = all || what == "pixels",
               classifiers = all || what == "classifiers";
    if (!errors && !pixels && !classifiers)
        throw BadInput("found '" + what + "', expected errors, pixels, classifiers or all; --help says more");
    require(job.out, "directory for the results");
    if (errors || classifiers)
        require(job.images, "--images");
    if (classifiers) {
        require(job.labels, "--labels");
        require(job.test_images, "--test-images");
        require(job.test_labels, "--test-labels");
    }
    std::error_code error;
    std::filesystem::create_directories(job.out, error);
    if (error)
        throw BadInput(job.out + ": " + error.message());
    samara::desk::set_blas_threads(job.threads);
    int code = 0;
    if (errors)
        code = draw_errors(job);
    if (pixels && code == 0)
        code = draw_pixels(job);
    if (classifiers && code == 0)
        code = train_classifiers(job);
    return code;
}

} // namespace

int main(int count, char** words)
{
    try {
        return run(count, words);
    } catch (const BadInput& problem) {
        std::fprintf(stderr, "skeletons: %s\n", problem.what());
        return 2;
    }
}
