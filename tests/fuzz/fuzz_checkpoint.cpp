// Checkpoints: any bytes in the slots, power that fails at any write, and then the last whole state or the new one.
#include <algorithm>

#include "input.hpp"
#include "samara/checkpoint.hpp"

namespace {

using namespace samara;
using fuzz::Input;
using fuzz::require;

// Flash that stops in the middle of a write once `left` bytes have been written.
struct Flash {
    std::vector<std::byte> slots[2];
    std::size_t left = ~std::size_t{0};

    bool inside(unsigned slot, std::size_t offset, std::size_t count) const
    {
        return slot < 2 && offset <= slots[slot].size() && count <= slots[slot].size() - offset;
    }
    static bool erase(void* context, unsigned slot) noexcept
    {
        auto& flash = *static_cast<Flash*>(context);
        require(slot < 2, "a slot is 0 or 1");
        if (flash.left == 0)
            return false;
        std::fill(flash.slots[slot].begin(), flash.slots[slot].end(), std::byte{0xff});
        return true;
    }
    static bool program(void* context, unsigned slot, std::size_t offset, std::span<const std::byte> bytes) noexcept
    {
        auto& flash = *static_cast<Flash*>(context);
        require(flash.inside(slot, offset, bytes.size()), "nothing is programmed outside the slot");
        const std::size_t count = std::min(flash.left, bytes.size());
        std::copy_n(bytes.begin(), count, flash.slots[slot].begin() + static_cast<std::ptrdiff_t>(offset));
        flash.left -= flash.left == ~std::size_t{0} ? 0 : count;
        return count == bytes.size();
    }
    static bool read(void* context, unsigned slot, std::size_t offset, std::span<std::byte> bytes) noexcept
    {
        const auto& flash = *static_cast<const Flash*>(context);
        require(flash.inside(slot, offset, bytes.size()), "nothing is read outside the slot");
        std::copy_n(flash.slots[slot].begin() + static_cast<std::ptrdiff_t>(offset), bytes.size(), bytes.begin());
        return true;
    }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Input in(data, size);
    const std::size_t state_bytes = in.byte() % 100u,
                      slot_bytes = in.byte() % 2 != 0 ? checkpoint_bytes(state_bytes) : in.byte() % 200u;
    Flash flash;
    for (auto& slot : flash.slots)
        slot.assign(slot_bytes, std::byte{0xff});
    const Storage storage{&flash,       slot_bytes,     std::size_t{1} << in.byte() % 8,
                          Flash::erase, Flash::program, Flash::read};
    std::vector<std::byte> whole, state(state_bytes);
    bool sound = true; // nobody but save() has written
    for (unsigned step = 0; step < 32 && !in.empty(); ++step) {
        switch (const std::uint8_t what = in.byte(); what % 4) {
        case 0:
        case 1: {
            for (std::byte& b : state)
                b = static_cast<std::byte>(in.byte());
            if (what % 4 == 1)
                flash.left = in.half() % 300;
            const Status status = save(storage, state);
            if (status == Status::ok) {
                whole = state;
            } else if (sound && status == Status::storage_failed) {
                flash.left = ~std::size_t{0};
                std::vector<std::byte> found(state_bytes, std::byte{7});
                const Status loaded = load(storage, found);
                require(whole.empty() ? loaded != Status::ok || found == state
                                      : loaded == Status::ok && (found == whole || found == state),
                        "after a power cut the last whole state is there, or the new one");
                if (loaded == Status::ok)
                    whole = found;
            }
            flash.left = ~std::size_t{0};
            break;
        }
        case 2: {
            std::vector<std::byte> found(state_bytes, std::byte{7});
            const Status status = load(storage, found);
            if (status == Status::no_checkpoint || status == Status::wrong_length)
                require(found == std::vector<std::byte>(state_bytes, std::byte{7}), "refused loads touch nothing");
            if (sound && !whole.empty())
                require(status == Status::ok && found == whole, "what was saved is loaded");
            break;
        }
        default: {
            auto& slot = flash.slots[what / 128];
            if (!slot.empty()) {
                slot[in.half() % slot.size()] ^= static_cast<std::byte>(in.byte());
                sound = false;
            }
        }
        }
    }
    return 0;
}
