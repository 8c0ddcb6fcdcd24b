#include "ports/host/training/threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "ports/host/text/progress.hpp"
#include "samara/simd.hpp"

namespace samara::desk {

void in_pieces(std::size_t count, std::size_t piece, unsigned threads, const std::string& label,
               const std::function<void(std::size_t, std::size_t)>& body)
{
    const auto progress = label.empty() ? nullptr : std::make_unique<Progress>(label, count);
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stopped{false};
    std::mutex failing;
    std::exception_ptr failure;
    const auto work = [&] {
        try {
            while (!stopped.load(std::memory_order_relaxed)) {
                const std::size_t first = next.fetch_add(piece);
                if (first >= count) {
                    return;
                }
                const std::size_t end = std::min(count, first + piece);
                body(first, end);
                if (progress) {
                    progress->advance(end - first);
                }
            }
        } catch (...) {
            const std::lock_guard lock(failing);
            if (!failure) {
                failure = std::current_exception();
            }
            stopped = true;
        }
    };
    // The back end is chosen at the first call; that call must not come from two threads.
    active_simd();
    std::vector<std::thread> helpers;
    const std::size_t pieces = (count + piece - 1) / piece;
    const std::size_t wanted = std::min<std::size_t>(threads, pieces);
    helpers.reserve(wanted);
    while (helpers.size() + 1 < wanted) {
        try {
            helpers.emplace_back(work);
        } catch (const std::system_error&) {
            // The system gives no more threads; those that are there do all of it.
            break;
        }
    }
    work();
    for (std::thread& helper : helpers) {
        helper.join();
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

} // namespace samara::desk
