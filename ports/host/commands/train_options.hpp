// The words of `samara train`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ports/host/commands/args.hpp"
#include "ports/host/commands/augment_options.hpp"
#include "ports/host/commands/budget_options.hpp"
#include "ports/host/commands/loss_options.hpp"
#include "ports/host/data/table_source.hpp"
#include "ports/host/data/target.hpp"
#include "ports/host/training/train.hpp"
#include "samara/model.hpp"

namespace samara::desk {

struct TrainOptions {
    std::string in, target, out; // target: empty where `in` has it; out: empty where nothing is written
    std::optional<Task> task;
    TableReading reading;
    std::string valid_in, valid_target, test_in, test_target; // empty where not given
    ReadoutType readout = ReadoutType::float32;
    std::size_t folds = 0; // 0: none
    bool exact = false;
    bool json = false; // what was found goes to standard output as JSON
    ApplicationWords application;
    LossOptions loss;
    std::optional<AugmentOptions> augment;
    Budget budget;
    SweepRequest sweep; // what a budget leaves to be tried
    TrainSettings settings;
};

const CommandPage& train_page();
// What the words are for: one model, or several of which none is sealed.
enum class TrainUse : std::uint8_t { train, sweep };
// Everything that can be refused without reading data is refused here.
TrainOptions read_train_options(const Arguments& arguments, TrainUse use = TrainUse::train);

} // namespace samara::desk
