// What training found out, and sealing writes down.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ports/host/data/matrix.hpp"
#include "ports/host/text/map_text.hpp"
#include "samara/readout.hpp"

namespace samara::desk {

// What happens to an input before the map sees it, in float32 and in this order, each step only where its vector is
// not empty (unit: where it is true):
//   a NaN becomes fill[i]; x[i] = (x[i] - shift[i]) * factor[i]; x = x / |x| (0 stays 0)
// Vectors that have a number for each channel alone are taken again and again: i is then the input's channel.
// Or, alone, `whole`: a scaling to whole numbers in the bytes of a model (samara/model/whole_scaling.hpp).
struct Scaling {
    std::vector<float> fill, shift, factor;
    bool unit = false;
    std::vector<std::byte> whole = {};
    bool runs = false; // each number of `whole` is for a channel of a series
};

enum class Task : std::uint8_t { regress = 0, classify = 1 };

// What a model says to the application that uses it: samara::Application, with memory of its own.
struct ApplicationWords {
    std::uint32_t version = 0, input_layout = 0;
    float confidence_mean = 0.0f, confidence_spread = 0.0f;
    std::string data;
};

// Weights in whole numbers in the form of a model (samara/readout/whole.hpp); none where `biases` is empty.
struct WholeWeights {
    ReadoutType type = ReadoutType::whole8;
    std::uint32_t features = 0;
    float unit = 1.0f;
    std::vector<std::int32_t> biases;
    std::vector<std::uint16_t> multipliers; // one more, 0, where their number is odd
    std::vector<std::uint32_t> weights;     // words, so that they are aligned
    double loss = 0.0;                      // of training rows, where it was refined; else 0
};

struct TrainedModel {
    MapSpec spec;                         // resolved; of all candidates where rows were chosen
    std::vector<std::uint16_t> kept_rows; // ascending; empty: all rows of the map
    Scaling scaling;
    Task task = Task::regress;
    std::vector<std::string> labels; // of the outputs: class names, or names of targets (may be empty then)
    std::vector<float> bias;         // an output each
    float probability_scale = 0.0f;  // probabilities = softmax(scale * outputs); 0: not known
    ApplicationWords application;
    MatrixF weights;    // a row an output, a column a feature that is kept
    WholeWeights whole; // what is sealed in place of weights and bias, where it is there
};

} // namespace samara::desk
