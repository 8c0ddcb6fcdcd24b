#include "ports/host/data/unfinished.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

namespace samara::desk {
namespace {

// A path in fixed memory, because a signal handler can use little else.
std::array<char, 4096> unfinished{};
std::atomic<bool> unfinished_is_set{false};
static_assert(std::atomic<bool>::is_always_lock_free);

// All that end a program by default and that a handler can see, but for those that say that the program is broken.
constexpr std::array signals = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ};
std::array<struct sigaction, signals.size()> before{};

// Calls nothing that POSIX does not allow in a handler. The signal is blocked while this runs: raised again, it ends
// the program by its default action when this returns.
extern "C" void remove_unfinished(int number)
{
    if (unfinished_is_set) {
        ::unlink(unfinished.data());
    }
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    ::sigaction(number, &action, nullptr);
    ::raise(number);
}

} // namespace

RemovedOnSignal::RemovedOnSignal(const std::string& path)
{
    if (unfinished_is_set || path.size() >= unfinished.size()) {
        return;
    }
    path.copy(unfinished.data(), path.size());
    unfinished[path.size()] = '\0';
    unfinished_is_set = true;
    mine_ = true;
    struct sigaction action {};
    action.sa_handler = remove_unfinished;
    // One of them must not interrupt another's removal.
    ::sigemptyset(&action.sa_mask);
    for (const int number : signals) {
        ::sigaddset(&action.sa_mask, number);
    }
    for (std::size_t i = 0; i < signals.size(); ++i) {
        ::sigaction(signals[i], nullptr, &before[i]);
        if (before[i].sa_handler != SIG_IGN) {
            ::sigaction(signals[i], &action, nullptr);
        }
    }
}

RemovedOnSignal::~RemovedOnSignal()
{
    if (!mine_) {
        return;
    }
    for (std::size_t i = 0; i < signals.size(); ++i) {
        ::sigaction(signals[i], &before[i], nullptr);
    }
    unfinished_is_set = false;
}

} // namespace samara::desk
