#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace samara::desk {

// "label 40/100 (40%), 12.5/s, 5 s left"
std::string progress_text(std::string_view label, std::uint64_t done, std::uint64_t total, double seconds);

// One line on standard error, rewritten at most five times a second and cleared at the end; nothing at all
// when standard error is not a terminal, or while another one has the line. advance() may be called from any thread.
class Progress {
public:
    Progress(std::string label, std::uint64_t total);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void advance(std::uint64_t count = 1);
    void finish();

private:
    using Clock = std::chrono::steady_clock;

    void show(std::string line);

    std::string label_;
    std::uint64_t total_;
    bool active_;
    std::atomic<std::uint64_t> done_{0};
    std::mutex drawing_;
    Clock::time_point start_;
    Clock::time_point next_;
    std::size_t shown_ = 0;
    bool finished_ = false;
};

} // namespace samara::desk
