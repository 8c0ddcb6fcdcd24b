// Models that come over the air: what two slots of flash hold after power was lost at any byte.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "flash.hpp"
#include "samara/model_store.hpp"
#include "small_model.hpp"

using namespace samara;

namespace {

using Flash = test::Flash<640>;
using Small = Predictor<Only<Rff, kinds(Rows::dense)>>;
using View = std::span<const std::byte>;

// Versions 1, 2, ... of a model.
test::Bytes version_no(std::uint32_t n)
{
    return test::model_of(resolve(RffSpec{.inputs = 2, .features = 8, .rows = Rows::dense, .seed = 1}), {.version = n});
}

std::uint32_t version_of(View model)
{
    Small predictor;
    return predictor.open(model) == Status::ok ? predictor.model().application().version : 0;
}

Status write_all(ModelStore& store, View model, std::size_t piece)
{
    Status status = Status::ok;
    for (std::size_t at = 0; at < model.size() && status == Status::ok; at += piece)
        status = store.write(at, model.subspan(at, std::min(piece, model.size() - at)));
    return status;
}

// An update as a device does it, while the model of the last start is in use.
Status update(ModelStore& store, View model, std::size_t piece = 23, const OpenRules& rules = {})
{
    Status status = store.begin(model.size());
    if (status == Status::ok)
        status = write_all(store, model, piece);
    return status == Status::ok ? store.finish<Small>(rules) : status;
}

// The version that is used after a reset; 0: none.
std::uint32_t reset(Flash& flash, bool& trial)
{
    const ModelFlash mapped = flash.mapped();
    ModelStore store(mapped);
    View model;
    const Status status = store.start(model);
    trial = store.on_trial();
    return status == Status::ok || status == Status::storage_failed ? version_of(model) : 0;
}
std::uint32_t reset(Flash& flash)
{
    bool trial = false;
    return reset(flash, trial);
}

// Two versions, of which the second one was confirmed.
Flash with_two()
{
    Flash flash;
    const ModelFlash mapped = flash.mapped();
    ModelStore store(mapped);
    View model;
    REQUIRE(store.start(model) == Status::no_checkpoint);
    for (std::uint32_t n = 1; n <= 2; ++n) {
        REQUIRE(update(store, version_no(n).span()) == Status::ok);
        REQUIRE(store.start(model) == Status::ok);
        REQUIRE(store.confirm() == Status::ok);
    }
    return flash;
}

} // namespace

TEST_CASE("the newest model is used where it lies, after its trial for good")
{
    Flash flash;
    const ModelFlash mapped = flash.mapped();
    ModelStore store(mapped);
    View model;
    CHECK(store.begin(100) == Status::not_open);
    CHECK(store.start(model) == Status::no_checkpoint);
    CHECK(model.empty());
    CHECK(store.confirm() == Status::not_open);
    CHECK(store.rollback() == Status::not_open);

    const test::Bytes first = version_no(1);
    REQUIRE(update(store, first.span()) == Status::ok);
    REQUIRE(store.start(model) == Status::ok);
    CHECK(std::equal(model.begin(), model.end(), first.span().begin(), first.span().end()));
    CHECK(model.data() == flash.bytes[0] + model_slot_header_bytes);
    CHECK_FALSE(store.on_trial()); // there is no other
    CHECK(store.rollback() == Status::no_checkpoint);
    CHECK(reset(flash) == 1);
    CHECK(reset(flash) == 1);

    REQUIRE(store.start(model) == Status::ok);
    REQUIRE(update(store, version_no(2).span()) == Status::ok);
    CHECK(version_of(model) == 1); // what is in use stays
    REQUIRE(store.start(model) == Status::ok);
    CHECK(version_of(model) == 2);
    CHECK(store.on_trial());
    CHECK(store.begin(10) == Status::not_open); // the other slot is what there is to go back to
    CHECK(store.confirm() == Status::ok);
    CHECK(store.confirm() == Status::ok);
    CHECK_FALSE(store.on_trial());
    for (int i = 0; i < 3; ++i)
        CHECK(reset(flash) == 2);
    CHECK_FALSE(flash.broken_rules);
}

TEST_CASE("a model that is not confirmed is left at the next start")
{
    Flash flash = with_two();
    const ModelFlash mapped = flash.mapped();
    ModelStore store(mapped);
    View model;
    REQUIRE(store.start(model) == Status::ok);
    REQUIRE(update(store, version_no(3).span()) == Status::ok);
    bool trial = false;
    CHECK(reset(flash, trial) == 3);
    CHECK(trial);
    for (int i = 0; i < 3; ++i) {
        CHECK(reset(flash, trial) == 2);
        CHECK_FALSE(trial);
    }
    // The next update takes the place of the one that failed.
    REQUIRE(store.start(model) == Status::ok);
    REQUIRE(update(store, version_no(4).span()) == Status::ok);
    REQUIRE(store.start(model) == Status::ok);
    CHECK(version_of(model) == 4);
    REQUIRE(store.rollback() == Status::ok);
    CHECK(store.begin(100) == Status::not_open); // start() comes first
    CHECK(store.confirm() == Status::not_open);
    CHECK(reset(flash) == 2);
    // The model that was left is none to go back to.
    REQUIRE(store.start(model) == Status::ok);
    CHECK(store.rollback() == Status::no_checkpoint);
    CHECK_FALSE(flash.broken_rules);
}

TEST_CASE("a confirmed model can be left, too")
{
    Flash flash = with_two();
    const ModelFlash mapped = flash.mapped();
    ModelStore store(mapped);
    View model;
    REQUIRE(store.start(model) == Status::ok);
    REQUIRE(store.rollback() == Status::ok);
    CHECK(reset(flash) == 1);
    CHECK(reset(flash) == 1);
}

TEST_CASE("a bad image never becomes the newest")
{
    Flash flash = with_two();
    const ModelFlash mapped = flash.mapped();
    ModelStore store(mapped);
    View model;
    REQUIRE(store.start(model) == Status::ok);
    const test::Bytes good = version_no(3);
    for (std::size_t i = 0; i < good.size; ++i) {
        test::Bytes bad = good;
        bad.span()[i] ^= std::byte{0x10};
        const Status status = update(store, bad.span());
        REQUIRE(status != Status::ok);
        REQUIRE(status != Status::storage_failed);
    }
    CHECK(update(store, good.span().first(good.size - 4)) == Status::damaged_model);
    CHECK(update(store, good.span(), 23, {.least_version = 4}) == Status::wrong_application);
    CHECK(update(store, good.span(), 23, {.most_operations = 10}) == Status::too_many_operations);
    const test::Bytes other = test::model_of(resolve(ArcCosSpec{.inputs = 2, .features = 8}));
    CHECK(update(store, other.span()) == Status::unsupported_map);
    CHECK(store.write(0, good.span()) == Status::not_open);
    CHECK(store.finish<Small>() == Status::not_open);
    CHECK(reset(flash) == 2);
    CHECK(update(store, good.span()) == Status::ok);
    CHECK(reset(flash) == 3);
    CHECK_FALSE(flash.broken_rules);
}

TEST_CASE("pieces come in order, of any length, and as many as were announced")
{
    const test::Bytes next = version_no(3);
    for (const std::size_t unit : {1u, 2u, 8u, 32u})
        for (std::size_t piece = 1; piece < 80; ++piece) {
            Flash flash = with_two();
            flash.unit = unit;
            const ModelFlash mapped = flash.mapped();
            ModelStore store(mapped);
            View model;
            REQUIRE(store.start(model) == Status::ok);
            REQUIRE(update(store, next.span(), piece) == Status::ok);
            REQUIRE(store.start(model) == Status::ok);
            REQUIRE(std::equal(model.begin(), model.end(), next.span().begin(), next.span().end()));
            REQUIRE_FALSE(flash.broken_rules);
        }

    Flash flash = with_two();
    const ModelFlash mapped = flash.mapped();
    ModelStore store(mapped);
    View model;
    REQUIRE(store.start(model) == Status::ok);
    CHECK(store.write(0, next.span()) == Status::not_open);
    CHECK(store.begin(0) == Status::wrong_length);
    CHECK(store.begin(Flash::slot - model_slot_header_bytes + 1) == Status::small_workspace);
    CHECK(store.begin(~std::size_t{0}) == Status::small_workspace);
    CHECK(flash.erases == 2); // of with_two()
    REQUIRE(store.begin(next.size) == Status::ok);
    CHECK(store.finish<Small>() == Status::wrong_length);
    CHECK(store.write(1, next.span().first(1)) == Status::wrong_length);
    REQUIRE(store.write(0, next.span().first(50)) == Status::ok);
    CHECK(store.write(0, next.span().first(50)) == Status::wrong_length);        // the same again
    CHECK(store.write(60, next.span().subspan(60, 10)) == Status::wrong_length); // one is missing
    CHECK(store.written() == 50);
    CHECK(store.finish<Small>() == Status::wrong_length);
    const std::vector<std::byte> more(next.size - 49);
    CHECK(store.write(50, more) == Status::wrong_length); // one too many
    REQUIRE(store.write(50, next.span().subspan(50)) == Status::ok);
    CHECK(store.write(next.size, next.span().first(1)) == Status::wrong_length);
    CHECK(store.write(next.size, {}) == Status::ok);
    CHECK(store.finish<Small>() == Status::ok);
    CHECK(reset(flash) == 3);
    CHECK_FALSE(flash.broken_rules);
}

TEST_CASE("power lost at any byte of an update, a trial, a confirmation and a rollback")
{
    const test::Bytes next = version_no(3), last = version_no(4);
    // 0: update, start, confirm. 1: update, start, rollback. 2: rollback of what was confirmed.
    for (unsigned story = 0; story < 3; ++story) {
        const auto run = [&](Flash& flash, bool& finished) {
            const ModelFlash mapped = flash.mapped();
            ModelStore store(mapped);
            View model;
            if (store.start(model) != Status::ok)
                return false;
            if (story == 2)
                return store.rollback() == Status::ok;
            if (update(store, next.span()) != Status::ok)
                return false;
            finished = true;
            ModelStore after(mapped);
            if (after.start(model) != Status::ok)
                return false;
            return (story == 0 ? after.confirm() : after.rollback()) == Status::ok;
        };
        for (const bool torn_ones : {false, true})
            for (const bool backwards : {false, true}) {
                Flash before = with_two();
                before.torn_ones = torn_ones;
                before.backwards = backwards;
                Flash counted = before;
                counted.spent = 0;
                bool finished = false;
                REQUIRE(run(counted, finished));
                unsigned of_version[4] = {};
                for (long cut = 0; cut <= counted.spent; ++cut) {
                    Flash flash = before;
                    flash.left = cut;
                    finished = false;
                    const bool done = run(flash, finished);
                    flash.left = -1; // the power is back
                    const std::uint32_t found = reset(flash), again = reset(flash);
                    REQUIRE((found >= 1 && found <= 3)); // one of the whole models, always
                    of_version[found] += 1;
                    if (story == 2) {
                        REQUIRE((found == 1 || found == 2));
                        REQUIRE((!done || found == 1));
                        REQUIRE(again == found);
                    } else {
                        REQUIRE(found != 1);                             // its slot was taken
                        REQUIRE((finished || found == 2 || again == 2)); // no more than the trial
                        REQUIRE((!done || found == (story == 0 ? 3u : 2u)));
                        REQUIRE((again == 2 || (again == 3 && found == 3)));
                    }
                    // What comes next works from there.
                    const ModelFlash mapped = flash.mapped();
                    ModelStore store(mapped);
                    View model;
                    REQUIRE(store.start(model) == Status::ok);
                    REQUIRE(update(store, last.span()) == Status::ok);
                    REQUIRE(store.start(model) == Status::ok);
                    REQUIRE(version_of(model) == 4);
                    REQUIRE(store.on_trial());
                    REQUIRE(store.confirm() == Status::ok);
                    REQUIRE(reset(flash) == 4);
                    REQUIRE_FALSE(flash.broken_rules);
                }
                if (story != 2) {
                    CHECK(of_version[2] > 500);
                    CHECK(of_version[3] >= (story == 0 ? 1u : 32u)); // cut in the trial's mark or behind it
                } else {
                    CHECK(of_version[1] == static_cast<unsigned>(counted.spent + 1)); // a mark that was begun counts
                }
            }
    }
}

TEST_CASE("a cut while the trial is marked leaves the trial")
{
    Flash before = with_two();
    {
        const ModelFlash mapped = before.mapped();
        ModelStore store(mapped);
        View model;
        REQUIRE(store.start(model) == Status::ok);
        REQUIRE(update(store, version_no(3).span()) == Status::ok);
    }
    for (long cut = 1; cut < 31; ++cut) {
        Flash flash = before;
        flash.left = cut;
        bool trial = true;
        CHECK(reset(flash, trial) == 2); // the mark failed: the earlier model is given
        CHECK_FALSE(trial);
        flash.left = -1;
        CHECK(reset(flash, trial) == 3);
        CHECK(trial);
        CHECK(reset(flash) == 2);
        CHECK_FALSE(flash.broken_rules);
    }
}

TEST_CASE("a damaged slot is not taken, whichever bit it is")
{
    Flash before = with_two();
    for (std::size_t i = 0; i < 32; ++i)
        for (unsigned bit = 0; bit < 8; ++bit) {
            Flash flash = before;
            flash.bytes[1][i] ^= static_cast<std::byte>(1u << bit);
            REQUIRE(reset(flash) == 1);
        }
    for (std::size_t i = 0; i < version_no(2).size; ++i) {
        Flash flash = before;
        flash.bytes[1][model_slot_header_bytes + i] ^= std::byte{1};
        REQUIRE(reset(flash) == 1);
        flash.bytes[0][model_slot_header_bytes + i] ^= std::byte{1};
        REQUIRE(reset(flash) == 0);
        // and the device takes a new one
        const ModelFlash mapped = flash.mapped();
        ModelStore store(mapped);
        View model;
        REQUIRE(store.start(model) == Status::no_checkpoint);
        REQUIRE(update(store, version_no(9).span()) == Status::ok);
        REQUIRE(reset(flash) == 9);
    }
}

TEST_CASE("a bit that is lost in a mark loses no model")
{
    Flash factory;
    {
        const ModelFlash mapped = factory.mapped();
        ModelStore store(mapped);
        View model;
        REQUIRE(store.start(model) == Status::no_checkpoint);
        REQUIRE(update(store, version_no(1).span()) == Status::ok);
    }
    const Flash both = with_two();
    for (std::size_t i = 32; i < model_slot_header_bytes; ++i)
        for (unsigned bit = 0; bit < 8; ++bit) {
            Flash flash = factory;
            flash.bytes[0][i] ^= static_cast<std::byte>(1u << bit);
            REQUIRE(reset(flash) == 1);
            // It can be replaced as any other.
            const ModelFlash mapped = flash.mapped();
            ModelStore store(mapped);
            View model;
            REQUIRE(store.start(model) == Status::ok);
            REQUIRE(update(store, version_no(2).span()) == Status::ok);
            REQUIRE(reset(flash) == 2);
            for (unsigned slot = 0; slot < 2; ++slot) {
                flash = both;
                flash.bytes[slot][i] ^= static_cast<std::byte>(1u << bit);
                REQUIRE(reset(flash) != 0);
            }
        }
    // A model that was rolled back is none, even where the other one is damaged afterwards.
    Flash flash = both;
    const ModelFlash mapped = flash.mapped();
    ModelStore store(mapped);
    View model;
    REQUIRE(store.start(model) == Status::ok);
    REQUIRE(store.rollback() == Status::ok);
    flash.bytes[0][model_slot_header_bytes] ^= std::byte{1};
    CHECK(reset(flash) == 0);
}

TEST_CASE("sequence numbers wrap")
{
    Flash flash = with_two();
    // RandomNumbers of both slots as they are before the wrap: that of slot 1 is the last one there is.
    for (unsigned slot = 0; slot < 2; ++slot) {
        for (const std::size_t at : {std::size_t{0}, std::size_t{96}}) { // the header, and the mark of confirmation
            std::byte* const p = flash.bytes[slot] + at;
            write_u32(p + 4, 0xfffffffeu + slot);
            write_u32(p + 28, crc32({p, 28}));
        }
    }
    CHECK(reset(flash) == 2);
    const ModelFlash mapped = flash.mapped();
    ModelStore store(mapped);
    View model;
    for (std::uint32_t n = 3; n < 6; ++n) {
        REQUIRE(store.start(model) == Status::ok);
        REQUIRE(update(store, version_no(n).span()) == Status::ok);
        REQUIRE(store.start(model) == Status::ok);
        REQUIRE(store.confirm() == Status::ok);
        CHECK(reset(flash) == n);
    }
    CHECK(read_u32(flash.bytes[0] + 4) == 2); // 0, 1, 2
}

TEST_CASE("flash that cannot be used is refused")
{
    Flash flash = with_two();
    View model;
    for (const std::size_t unit : {0u, 3u, 64u}) {
        flash.unit = unit;
        const ModelFlash mapped = flash.mapped();
        ModelStore store(mapped);
        CHECK(store.start(model) == Status::small_workspace);
        CHECK(store.begin(8) == Status::not_open);
    }
    flash.unit = 8;
    ModelFlash mapped = flash.mapped();
    mapped.slot_bytes = model_slot_header_bytes;
    CHECK(ModelStore(mapped).start(model) == Status::small_workspace);
    mapped = flash.mapped();
    mapped.slot[1] += 2;
    CHECK(ModelStore(mapped).start(model) == Status::misaligned);
    CHECK(model.empty());
}
