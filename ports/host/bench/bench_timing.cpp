#include "ports/host/bench/bench_timing.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace samara::desk {
namespace {

using Clock = std::chrono::steady_clock;

// Far longer than reading the clock, and shorter than what a scheduler lets a program run for.
constexpr double shortest_run = 1e-3;
// Work of up to this time is done once before it is timed.
constexpr double longest_warming = 2e-2;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Contestant {
    const Task& task;
    unsigned calls;
    double best;
};

Contestant calibrated(const Task& task)
{
    unsigned calls = 1;
    double best = seconds_of(task, calls);
    while (best * calls < shortest_run) {
        calls *= 2;
        best = seconds_of(task, calls);
    }
    return {task, calls, best};
}

void run(Contestant& contestant)
{
    // The others have had the caches since. What takes long on its own has time to fetch its data.
    if (contestant.best < longest_warming) {
        contestant.task(1);
    }
    contestant.best = std::min(contestant.best, seconds_of(contestant.task, contestant.calls));
}

} // namespace

double seconds_of(const Task& task, unsigned calls)
{
    const Clock::time_point start = Clock::now();
    task(calls);
    return seconds_since(start) / calls;
}

std::vector<double> best_seconds(const std::vector<Task>& tasks, const Effort& effort)
{
    const Clock::time_point start = Clock::now();
    std::vector<Contestant> contestants;
    contestants.reserve(tasks.size());
    for (const Task& task : tasks) {
        contestants.push_back(calibrated(task));
    }
    const double whole = effort.seconds * static_cast<double>(tasks.size());
    for (unsigned round = 0; round < effort.rounds || seconds_since(start) < whole; ++round) {
        for (Contestant& contestant : contestants) {
            run(contestant);
        }
    }
    std::vector<double> best;
    best.reserve(contestants.size());
    for (const Contestant& contestant : contestants) {
        best.push_back(contestant.best);
    }
    return best;
}

} // namespace samara::desk
