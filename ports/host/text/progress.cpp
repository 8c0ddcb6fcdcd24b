#include "ports/host/text/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace samara::desk {
namespace {

constexpr std::chrono::milliseconds interval{200};

// There is one line, and it is the first one's that asks for it.
std::atomic<bool> line_is_taken{false};

// A line that wraps cannot be rewritten with a carriage return; every terminal has this many columns.
constexpr std::size_t widest = 79;

std::string rounded(double value)
{
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, value < 100.0 ? "%.1f" : "%.0f", value);
    return buffer;
}

std::string duration_text(double seconds)
{
    // Beyond this the estimate says nothing, and the conversion below stays within range.
    if (!(seconds < 360000.0)) {
        return "over 100 h";
    }
    const long whole = std::lround(seconds);
    if (whole < 60) {
        return std::to_string(whole) + " s";
    }
    if (whole < 3600) {
        return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
    }
    return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

} // namespace

std::string progress_text(std::string_view label, std::uint64_t done, std::uint64_t total, double seconds)
{
    std::string line(label);
    line += ' ' + std::to_string(done) + '/' + std::to_string(total);
    if (total != 0) {
        const double share = static_cast<double>(done) / static_cast<double>(total);
        line += " (" + std::to_string(static_cast<unsigned>(100.0 * std::min(share, 1.0))) + "%)";
    }
    if (done != 0 && seconds > 0.0) {
        const double rate = static_cast<double>(done) / seconds;
        line += ", " + rounded(rate) + "/s";
        if (done < total) {
            line += ", " + duration_text(static_cast<double>(total - done) / rate) + " left";
        }
    }
    return line;
}

Progress::Progress(std::string label, std::uint64_t total)
    : label_(std::move(label)), total_(total), active_(::isatty(STDERR_FILENO) == 1 && !line_is_taken.exchange(true)),
      start_(Clock::now()), next_(start_ + interval)
{}

Progress::~Progress()
{
    try {
        finish();
    } catch (...) {
        // A line left on the screen is no reason to end the program.
        active_ = false;
    }
}

void Progress::advance(std::uint64_t count)
{
    const std::uint64_t done = done_.fetch_add(count, std::memory_order_relaxed) + count;
    if (!active_) {
        return;
    }
    // Workers must never wait for the terminal: whoever finds another thread drawing goes on.
    const std::unique_lock lock(drawing_, std::try_to_lock);
    if (!lock.owns_lock() || finished_) {
        return;
    }
    const Clock::time_point now = Clock::now();
    if (now < next_) {
        return;
    }
    next_ = now + interval;
    show(progress_text(label_, done, total_, std::chrono::duration<double>(now - start_).count()));
}

void Progress::finish()
{
    const std::lock_guard lock(drawing_);
    if (shown_ != 0) {
        show("");
        std::fputc('\r', stderr);
        std::fflush(stderr);
    }
    if (active_ && !finished_) {
        line_is_taken = false;
    }
    finished_ = true;
}

void Progress::show(std::string line)
{
    line.resize(std::min(line.size(), widest));
    const std::size_t length = line.size();
    // Blanks wipe what a longer line left behind; unlike an escape sequence they work on every terminal.
    line.resize(std::max(length, shown_), ' ');
    std::fprintf(stderr, "\r%s", line.c_str());
    std::fflush(stderr);
    shown_ = length;
}

} // namespace samara::desk
