#include "examples/skeletons/plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

#include "ports/host/data/files.hpp"

namespace samara::examples {

namespace {

constexpr double panel_width = 260, panel_height = 200, margin = 45;
constexpr const char* colours[] = {"#0b62a4", "#d1661b", "#3c8f3c", "#555555"};

std::string number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

// Where panel i of some columns lies: which column, which row.
std::pair<double, double> place_of(std::size_t i, std::size_t columns)
{
    const std::size_t row = i / columns;
    return {static_cast<double>(i - row * columns), static_cast<double>(row)};
}

void begin(std::ostream& out, std::size_t count, unsigned columns, double width, double height)
{
    const std::size_t rows = (count + columns - 1) / columns;
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" font-family=\"sans-serif\" font-size=\"11\" width=\""
        << number(columns * width) << "\" height=\"" << number(static_cast<double>(rows) * height) << "\">\n"
        << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
}

void text_at(std::ostream& out, double x, double y, const std::string& text, const char* colour = "black")
{
    out << "<text x=\"" << number(x) << "\" y=\"" << number(y) << "\" fill=\"" << colour << "\">" << text
        << "</text>\n";
}

class Axis {
public:
    Axis(double from, double to, bool logarithmic) : from_(from), to_(to), logarithmic_(logarithmic)
    {
        for (double* const end : {&from_, &to_})
            *end = logarithmic ? std::log(*end) : *end;
    }
    // From 0 to 1.
    double place(double value) const
    {
        value = logarithmic_ ? std::log(value) : value;
        return to_ > from_ ? (value - from_) / (to_ - from_) : 0.5;
    }

private:
    double from_, to_;
    bool logarithmic_;
};

void draw(std::ostream& out, const Panel& panel, double left, double top)
{
    double least_x = 1e300, most_x = 0, least = 1e300, most = -1e300;
    for (const Curve& curve : panel.curves)
        for (const auto& [x, y] : curve.points) {
            least_x = std::min(least_x, x);
            most_x = std::max(most_x, x);
            least = std::min(least, y);
            most = std::max(most, y);
        }
    const Axis across(least_x, most_x, true), up(least, most, panel.logarithmic);
    const double width = panel_width - margin - 10, height = panel_height - 50;
    const auto x_of = [&](double x) { return left + margin + across.place(x) * width; };
    const auto y_of = [&](double y) { return top + 20 + (1.0 - up.place(y)) * height; };
    text_at(out, left + margin, top + 13, panel.title);
    out << "<rect x=\"" << number(left + margin) << "\" y=\"" << number(top + 20) << "\" width=\"" << number(width)
        << "\" height=\"" << number(height) << "\" fill=\"none\" stroke=\"grey\"/>\n";
    text_at(out, left + 2, y_of(most) + 8, number(most));
    text_at(out, left + 2, y_of(least), number(least));
    text_at(out, x_of(least_x), top + panel_height - 17, number(least_x));
    text_at(out, x_of(most_x) - 25, top + panel_height - 17, number(most_x));
    std::size_t which = 0;
    double name_begins = left + margin;
    for (const Curve& curve : panel.curves) {
        const char* const colour = colours[which % std::size(colours)];
        out << "<polyline fill=\"none\" stroke=\"" << colour << "\" points=\"";
        for (const auto& [x, y] : curve.points)
            out << number(x_of(x)) << ',' << number(y_of(y)) << ' ';
        out << "\"/>\n";
        text_at(out, name_begins, top + panel_height - 5, curve.name, colour);
        name_begins += 12.0 + 6.0 * static_cast<double>(curve.name.size());
        ++which;
    }
}

} // namespace

void write_plot(const std::string& path, const std::vector<Panel>& panels, unsigned columns)
{
    desk::write_file(path, [&](std::ostream& out) {
        begin(out, panels.size(), columns, panel_width, panel_height);
        for (std::size_t i = 0; i < panels.size(); ++i) {
            const auto [column, row] = place_of(i, columns);
            draw(out, panels[i], column * panel_width, row * panel_height);
        }
        out << "</svg>\n";
    });
}

void write_heat(const std::string& path, const std::vector<Heat>& squares, unsigned columns)
{
    constexpr double cell = 6, gap = 24;
    const double size = cell * squares.front().side + gap;
    desk::write_file(path, [&](std::ostream& out) {
        begin(out, squares.size(), columns, size, size);
        for (std::size_t i = 0; i < squares.size(); ++i) {
            const Heat& heat = squares[i];
            const auto [column, row] = place_of(i, columns);
            const double left = column * size, top = row * size;
            text_at(out, left + 4, top + 14, heat.title);
            for (unsigned k = 0; k < heat.side * heat.side; ++k) {
                const auto [across, down] = place_of(k, heat.side);
                const int light = static_cast<int>(std::lround(255.0 * std::clamp(heat.values[k], 0.0, 1.0)));
                out << "<rect x=\"" << number(left + 4 + cell * across) << "\" y=\"" << number(top + 18 + cell * down)
                    << "\" width=\"6\" height=\"6\" fill=\"";
                if (k == heat.marked)
                    out << "blue";
                else
                    out << "rgb(" << light << ',' << light << ',' << light << ')';
                out << "\"/>\n";
            }
        }
        out << "</svg>\n";
    });
}

} // namespace samara::examples
