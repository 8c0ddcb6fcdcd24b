#pragma once

#include <string>

namespace samara::desk {

// While it lives, a signal that ends the program removes the file first: an interrupt, a hang-up, a quota that is used
// up. What the program was started to ignore stays ignored. One at a time; a second one does nothing. What no handler
// can see (SIGKILL, power) leaves the file.
class RemovedOnSignal {
public:
    explicit RemovedOnSignal(const std::string& path);
    RemovedOnSignal(const RemovedOnSignal&) = delete;
    RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;
    ~RemovedOnSignal();

private:
    bool mine_ = false;
};

} // namespace samara::desk
