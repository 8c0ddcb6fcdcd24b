// A model out of a store, opened by rules: what images without them must not have.
#include <cstring>

#include "digits_model.h"
#include "measure.hpp"
#include "samara/model_store.hpp"
#include "samara/predictor.hpp"

namespace {

using Predictor = samara::Predictor<samara::Only<samara::ArcCos, samara::kinds(samara::Rows::hadamard)>>;

constexpr std::size_t slot_bytes = samara::model_slot_bytes(sizeof digits_model);
alignas(4) std::byte slots[2][slot_bytes];
const samara::ModelFlash flash{nullptr,
                               {slots[0], slots[1]},
                               slot_bytes,
                               4,
                               [](void*, unsigned slot) noexcept {
                                   std::memset(slots[slot], 0xff, slot_bytes);
                                   return true;
                               },
                               [](void*, unsigned slot, std::size_t offset, std::span<const std::byte> bytes) noexcept {
                                   std::memcpy(slots[slot] + offset, bytes.data(), bytes.size());
                                   return true;
                               }};

Predictor predictor;
alignas(4) std::byte work[8192];
float scores[10];

bool step(const float* x)
{
    std::uint32_t digit = 0;
    return predictor.predict({x, 64}, digit, scores, work) == samara::Status::ok;
}

} // namespace

extern "C" int firmware_main()
{
    const samara::OpenRules rules{
        .verify = [](void*, std::span<const std::byte> bytes) noexcept { return bytes.size() == sizeof digits_model; }};
    const std::span<const std::byte> image = std::as_bytes(std::span(digits_model));
    samara::ModelStore store(flash);
    std::span<const std::byte> model;
    if (store.start(model) != samara::Status::no_checkpoint || store.begin(image.size()) != samara::Status::ok ||
        store.write(0, image) != samara::Status::ok || store.finish<Predictor>(rules) != samara::Status::ok ||
        store.start(model) != samara::Status::ok || predictor.open(model, rules) != samara::Status::ok)
        return 1;
    return samara::test::measure(sizeof store + sizeof predictor + predictor.workspace_bytes(), step);
}
