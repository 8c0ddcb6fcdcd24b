// Plots as SVG, plain enough to need no library.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace samara::examples {

struct Curve {
    std::string name;
    std::vector<std::pair<double, double>> points;
};
// x is logarithmic, y where it says so.
struct Panel {
    std::string title;
    bool logarithmic;
    std::vector<Curve> curves;
};
void write_plot(const std::string& path, const std::vector<Panel>& panels, unsigned columns);

// A square of values from 0 (dark) to 1 (light), row after row; `marked` is drawn in blue.
struct Heat {
    std::string title;
    unsigned side;
    std::vector<double> values;
    unsigned marked;
};
void write_heat(const std::string& path, const std::vector<Heat>& squares, unsigned columns);

} // namespace samara::examples
