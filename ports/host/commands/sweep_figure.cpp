#include "ports/host/commands/sweep_figure.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include <unistd.h>

#include "ports/host/text/error.hpp"
#include "ports/host/training/train.hpp"

namespace samara::desk {
namespace {

bool is_svg(const std::string& path) { return path.ends_with(".svg"); }

bool has_gnuplot()
{
    const char* const path = std::getenv("PATH"); // NOLINT(concurrency-mt-unsafe): nothing here sets it
    std::string rest = path == nullptr ? "" : path;
    for (std::size_t begin = 0; begin <= rest.size();) {
        const std::size_t colon = std::min(rest.find(':', begin), rest.size());
        if (access((rest.substr(begin, colon - begin) + "/gnuplot").c_str(), X_OK) == 0) {
            return true;
        }
        begin = colon + 1;
    }
    return false;
}

// As gnuplot reads a string between single quotes.
std::string quoted(const std::string& text)
{
    std::string all = "'";
    for (const char c : text) {
        all += c;
        if (c == '\'') {
            all += c;
        }
    }
    return all + "'";
}

std::string number(double value)
{
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%.9g", value);
    return buffer;
}

std::vector<std::string> kinds_of(const std::vector<SweepPoint>& points)
{
    std::vector<std::string> kinds;
    for (const SweepPoint& point : points) {
        if (std::find(kinds.begin(), kinds.end(), point.kind) == kinds.end()) {
            kinds.push_back(point.kind);
        }
    }
    return kinds;
}

// One block of data for each kind, and one for the line of those that nothing beats.
template <class Cost, class Best>
std::string panel(const std::vector<SweepPoint>& points, double unit, const std::string& label, Cost cost, Best best)
{
    const std::vector<std::string> kinds = kinds_of(points);
    std::string blocks, plots;
    const auto lines = [&](const std::string& name, const auto& wanted) {
        std::vector<SweepPoint> some;
        std::copy_if(points.begin(), points.end(), std::back_inserter(some), wanted);
        std::sort(some.begin(), some.end(),
                  [&](const SweepPoint& a, const SweepPoint& b) { return cost(a) < cost(b); });
        blocks += "$" + name + " << EOD\n";
        for (const SweepPoint& point : some) {
            blocks += number(static_cast<double>(cost(point))) + " " + number(unit * point.quality) + "\n";
        }
        blocks += "EOD\n";
    };
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const std::string name = "kind" + std::to_string(i);
        lines(name, [&](const SweepPoint& point) { return point.kind == kinds[i]; });
        plots += (plots.empty() ? "plot " : ", ") + ("$" + name) + " with points pointtype 7 pointsize 0.6 title " +
                 quoted(kinds[i]);
    }
    lines("best", best);
    return blocks + "set xlabel " + quoted(label) + "\n" + plots + ", $best with lines linecolor 'gray40' notitle\n";
}

} // namespace

void require_figure(const std::string& path)
{
    if (!is_svg(path) && !path.ends_with(".png")) {
        throw BadInput("--plot: found " + quoted_text(path) + ", expected a name that ends with .svg or .png");
    }
    if (!has_gnuplot()) {
        throw BadInput("--plot: found no gnuplot in PATH, expected it to be installed");
    }
}

void draw(const std::vector<SweepPoint>& points, Task task, const std::string& core, const std::string& path)
{
    const double unit = task == Task::classify ? 100.0 : 1.0;
    // Written beside its place, so that nothing half-drawn takes it.
    const std::string beside = path + ".part";
    const std::string script =
        std::string("set terminal ") + (is_svg(path) ? "svg" : "png") + " size 1000,420\nset output " + quoted(beside) +
        "\nset multiplot layout 1,2\nset logscale x\nset grid\nset key bottom right\nset ylabel " +
        quoted(task == Task::classify ? "accuracy in per cent" : "R2") + "\n" +
        panel(
            points, unit, "flash in bytes, " + core, [](const SweepPoint& p) { return p.cost.flash; },
            [](const SweepPoint& p) { return p.least_flash; }) +
        panel(
            points, unit, "instructions, " + core, [](const SweepPoint& p) { return p.cost.instructions; },
            [](const SweepPoint& p) { return p.least_instructions; }) +
        "unset multiplot\n";
    std::FILE* const gnuplot = popen("gnuplot", "w"); // NOLINT(cert-env33-c): a fixed word, found in PATH above
    if (gnuplot == nullptr) {
        throw BadInput(path + ": gnuplot did not start");
    }
    const bool written = std::fwrite(script.data(), 1, script.size(), gnuplot) == script.size();
    const int status = pclose(gnuplot);
    std::error_code error;
    if (written && status == 0) {
        std::filesystem::rename(beside, path, error);
    }
    if (!written || status != 0 || error) {
        std::filesystem::remove(beside, error);
        throw BadInput(path + ": gnuplot did not draw it");
    }
}

} // namespace samara::desk
