#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace samara::desk {

// Does its work as many times as it is told: the loop is inside, so that a call through a pointer does not weigh on
// work of a fraction of a microsecond.
using Task = std::function<void(unsigned calls)>;

template <typename Work>
Task repeated(Work work)
{
    return [work = std::move(work)](unsigned calls) mutable {
        for (unsigned call = 0; call < calls; ++call) {
            work();
        }
    };
}

struct Effort {
    double seconds;       // for each task
    unsigned rounds;      // at least, however long they take
    double slowest_batch; // seconds that one pass over a batch may take before a smaller one is measured
};

// What one call takes, from a single run.
double seconds_of(const Task& task, unsigned calls = 1);

// The best time of a call, for each task. They take turns: a busy machine must not hit one of them alone.
std::vector<double> best_seconds(const std::vector<Task>& tasks, const Effort& effort);

} // namespace samara::desk
