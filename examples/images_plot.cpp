// images_plot TABLE.csv DRAWING.svg: the accuracy against the number of features, of the table that examples/images.sh
// writes. A map is a curve through the means over its seeds; what has no number of features is a level line.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "examples/skeletons/plot.hpp"

namespace {

using namespace samara::examples;

struct Sum {
    double accuracy = 0, count = 0;
};

Panel panel_of(std::istream& table)
{
    std::vector<std::string> names;
    std::map<std::string, std::map<double, Sum>> found;
    double least = 1e300, most = 0;
    std::string line;
    std::getline(table, line); // the names of the columns
    while (std::getline(table, line)) {
        std::istringstream cells(line);
        std::string name, features, seed, accuracy;
        std::getline(cells, name, ',');
        std::getline(cells, features, ',');
        std::getline(cells, seed, ',');
        std::getline(cells, accuracy, ',');
        // Without the keys, which the table has.
        const std::string curve = features.empty() ? "exact" : name.substr(0, name.find(':'));
        if (!found.contains(curve))
            names.push_back(curve);
        const double size = features.empty() ? 0 : std::stod(features);
        Sum& sum = found[curve][size];
        sum.accuracy += std::stod(accuracy);
        sum.count += 1;
        if (size > 0) {
            least = std::min(least, size);
            most = std::max(most, size);
        }
    }
    Panel panel{"accuracy, %, by features", false, {}};
    for (const std::string& name : names) {
        Curve curve{name, {}};
        for (const auto& [size, sum] : found[name]) {
            const double mean = sum.accuracy / sum.count;
            if (size > 0) {
                curve.points.emplace_back(size, mean);
            } else {
                curve.points.emplace_back(least, mean);
                curve.points.emplace_back(most, mean);
            }
        }
        panel.curves.push_back(curve);
    }
    return panel;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 3) {
        std::fputs("usage: images_plot TABLE.csv DRAWING.svg\n", stderr);
        return 2;
    }
    try {
        std::ifstream table(argv[1]);
        if (!table) {
            std::fprintf(stderr, "images_plot: cannot read %s\n", argv[1]);
            return 2;
        }
        write_plot(argv[2], {panel_of(table)}, 1);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "images_plot: %s\n", error.what());
        return 2;
    }
    return 0;
}
