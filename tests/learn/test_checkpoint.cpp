#include <doctest/doctest.h>

#include <vector>

#include "../model/flash.hpp"
#include "samara/checkpoint.hpp"

using namespace samara;

namespace {

using Flash = test::Flash<512>;

std::vector<std::byte> state_of(unsigned version, std::size_t length)
{
    std::vector<std::byte> state(length);
    for (std::size_t i = 0; i < length; ++i)
        state[i] = static_cast<std::byte>(version * 37 + i * 11 + (version ^ i) / 3);
    return state;
}

} // namespace

TEST_CASE("a state comes back, the newest one")
{
    Flash flash;
    std::vector<std::byte> found(101, std::byte{7});
    CHECK(load(flash.storage(), found) == Status::no_checkpoint);
    CHECK(found == std::vector<std::byte>(101, std::byte{7}));
    for (unsigned version = 1; version < 6; ++version) {
        REQUIRE(save(flash.storage(), state_of(version, 101)) == Status::ok);
        REQUIRE(load(flash.storage(), found) == Status::ok);
        CHECK(found == state_of(version, 101));
    }
    std::vector<std::byte> shorter(100);
    CHECK(load(flash.storage(), shorter) == Status::wrong_length);
    CHECK(save(flash.storage(), state_of(1, 481)) == Status::small_workspace);
    CHECK(save(flash.storage(), state_of(1, 480)) == Status::ok);
    CHECK_FALSE(flash.broken_rules);
}

TEST_CASE("power lost at any byte leaves the last whole state")
{
    constexpr std::size_t length = 77;
    for (const std::size_t unit : {1u, 4u, 8u, 32u}) {
        for (const bool torn_ones : {false, true}) {
            Flash before;
            before.unit = unit;
            before.torn_ones = torn_ones;
            REQUIRE(save(before.storage(), state_of(1, length)) == Status::ok);
            REQUIRE(save(before.storage(), state_of(2, length)) == Status::ok);
            Flash counted = before;
            counted.spent = 0;
            REQUIRE(save(counted.storage(), state_of(3, length)) == Status::ok);
            REQUIRE(counted.spent > 500);
            unsigned kept = 0, written = 0;
            for (long cut = 0; cut <= counted.spent; ++cut) {
                Flash flash = before;
                flash.left = cut;
                const Status saved = save(flash.storage(), state_of(3, length));
                flash.left = -1; // the power is back
                std::vector<std::byte> found(length);
                REQUIRE(load(flash.storage(), found) == Status::ok);
                const bool whole = found == state_of(3, length);
                REQUIRE((whole || found == state_of(2, length)));
                REQUIRE((saved != Status::ok || whole));
                (whole ? written : kept) += 1;
                // and what comes next works from there
                REQUIRE(save(flash.storage(), state_of(4, length)) == Status::ok);
                REQUIRE(load(flash.storage(), found) == Status::ok);
                REQUIRE(found == state_of(4, length));
                CHECK_FALSE(flash.broken_rules);
            }
            CHECK(kept > 500);
            CHECK(written >= 1);
        }
    }
}

TEST_CASE("a damaged slot is not taken, whichever byte it is")
{
    Flash before;
    REQUIRE(save(before.storage(), state_of(1, 60)) == Status::ok);
    REQUIRE(save(before.storage(), state_of(2, 60)) == Status::ok);
    for (std::size_t i = 0; i < checkpoint_header_bytes + 60; ++i) {
        for (unsigned bit = 0; bit < 8; ++bit) {
            Flash flash = before;
            flash.bytes[1][i] ^= static_cast<std::byte>(1u << bit);
            std::vector<std::byte> found(60);
            REQUIRE(load(flash.storage(), found) == Status::ok);
            REQUIRE(found == state_of(1, 60));
        }
    }
}

TEST_CASE("slots too short for a header are not read")
{
    struct NoFlash {
        unsigned reads = 0;
        static bool erase(void*, unsigned) noexcept { return true; }
        static bool program(void*, unsigned, std::size_t, std::span<const std::byte>) noexcept { return true; }
        static bool read(void* context, unsigned, std::size_t, std::span<std::byte>) noexcept
        {
            ++static_cast<NoFlash*>(context)->reads;
            return true;
        }
    } flash;
    std::vector<std::byte> state;
    for (const std::size_t bytes : {std::size_t{0}, checkpoint_header_bytes - 1}) {
        const Storage storage{&flash, bytes, 8, NoFlash::erase, NoFlash::program, NoFlash::read};
        CHECK(load(storage, state) == Status::small_workspace);
        CHECK(save(storage, state) == Status::small_workspace);
    }
    CHECK(flash.reads == 0);
}
