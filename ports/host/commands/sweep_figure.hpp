// A figure of models: how good they are against what they take.
#pragma once

#include <string>
#include <vector>

#include "ports/host/training/board_cost.hpp"
#include "ports/host/training/trained.hpp"

namespace samara::desk {

struct SweepPoint {
    std::string kind;  // models of one kind have one colour
    std::string model; // with its sizes
    double quality, standard_error;
    BoardCost cost;
    bool least_flash, least_instructions; // no other one is as good and takes as little
};

// BadInput unless the file's name says what it is to be, and gnuplot is there.
void require_figure(const std::string& path);

// Two panels: against flash and against instructions, with lines through the models that no other one beats.
void draw(const std::vector<SweepPoint>& points, Task task, const std::string& core, const std::string& path);

} // namespace samara::desk
