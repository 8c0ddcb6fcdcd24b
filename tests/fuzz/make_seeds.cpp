// Writes a small sealed model of every map into a directory: what the fuzzer starts from. A new map is among them.
#include <cstdio>
#include <string>
#include <vector>

#include "../map/example_data.hpp"
#include "samara/samara.hpp"

namespace {

using namespace samara;

struct GiveCoefficients : FieldVisitor {
    std::uint32_t count;
    explicit GiveCoefficients(std::uint32_t n) : count(n) {}
    void coefficients(std::uint32_t, std::uint32_t, Coefficients& k, CoefficientsFrom) const
    {
        k.count = count;
        for (std::uint32_t j = 0; j < count; ++j)
            k.c[j] = 0.5f;
    }
};

template <class Spec>
bool write_model(const std::string& directory)
{
    Spec spec;
    spec.inputs = 3;
    spec.features = 24;
    std::uint32_t coefficients = 3;
    if constexpr (requires { spec.degree; })
        coefficients = spec.degree + 1;
    GiveCoefficients give(coefficients);
    Map<Spec>::fields(give, spec);
    test::give_shape(spec);
    spec = resolve(spec);
    const auto data = test::example_data(spec);
    const std::vector<float> weights(2 * std::size_t{spec.features}, 0.5f), bias(2, 0.25f);
    const std::string labels("no\0yes\0", 7);
    ModelParts parts{.task = ModelTask::classify,
                     .readout = float_readout(2, spec.features, weights.data(), spec.features, bias.data(), 1),
                     .type = ReadoutType::int8,
                     .unit = true,
                     .labels = labels,
                     .application = {.version = 3, .input_layout = 9, .data = std::as_bytes(std::span(labels))}};
    constexpr float shift[] = {0.5f}, factor[] = {2.0f}; // of a channel
    if constexpr (ImageSpec<Spec>) {
        parts.shift = shift;
        parts.factor = factor;
    }
    std::vector<std::uint32_t> words(sealed_bytes(spec, data, parts) / 4);
    std::size_t size = 0;
    if (seal(spec, data, parts, std::as_writable_bytes(std::span(words)), size) != Status::ok)
        return false;
    std::FILE* file = std::fopen((directory + "/" + Map<Spec>::name + ".samara").c_str(), "wb");
    return file != nullptr && std::fwrite(words.data(), 1, size, file) == size && std::fclose(file) == 0;
}

} // namespace

int main(int count, char** words)
{
    if (count != 2) {
        std::fputs("usage: make-seeds DIRECTORY\n", stderr);
        return 2;
    }
    const std::string directory = words[1];
    const bool failed = AllMaps::any([&](auto spec) { return !write_model<decltype(spec)>(directory); });
    return failed ? 1 : 0;
}
