// Several samples at once have the bits of one after the other: features, blocks, and a sealed model's scores.
#include "../map/example_data.hpp"
#include "input.hpp"
#include "samara/samara.hpp"

namespace {

using namespace samara;
using fuzz::Input;
using fuzz::require;

struct GiveCoefficients : FieldVisitor {
    std::uint32_t count = 3;
    void coefficients(std::uint32_t, std::uint32_t, Coefficients& k, CoefficientsFrom) const
    {
        k.count = count;
        for (std::uint32_t j = 0; j < count; ++j)
            k.c[j] = 0.5f;
    }
};

// The defaults, and then some bytes of the sealed form changed: what still passes its checks is a spec like any other.
template <class Spec>
bool spec_from(Input& in, Spec& spec)
{
    spec.inputs = 1u + in.byte() % 40u;
    spec.features = 16u + in.byte() % 200u;
    spec.seed = in.byte();
    GiveCoefficients give;
    if constexpr (requires { spec.degree; })
        give.count = spec.degree + 1;
    Map<Spec>::fields(give, spec);
    test::give_shape(spec);
    spec = resolve(spec);
    if (!resolved(spec))
        return false;
    std::byte bytes[spec_bytes<Spec>];
    write_spec(spec, bytes);
    for (unsigned changes = in.byte() % 4u; changes > 0; --changes) {
        const std::size_t at = in.byte() % sizeof bytes;
        bytes[at] = static_cast<std::byte>(in.byte());
    }
    if (read_spec(bytes, spec) != Status::ok)
        return false;
    return spec.inputs <= 64 && spec.features <= 512 && workspace_bytes(spec) <= 1u << 18 &&
           data_fit(spec, test::example_data(spec)) && operations(spec, test::example_data(spec)) <= 2'000'000;
}

struct Memory {
    std::vector<std::uint32_t> words;
    explicit Memory(std::size_t bytes) : words(bytes / 4) {}
    std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(words)); }
};

template <class Spec>
void run(Input& in)
{
    Spec spec;
    if (!spec_from(in, spec))
        return;
    const std::size_t samples = 1u + in.byte() % 20u, n = spec.inputs, m = spec.features;
    const std::vector<float> weights = in.reals(4), x = in.reals(samples * n);
    const auto sample = [&](std::size_t k) { return std::span<const float>(x).subspan(k * n, n); };
    const auto data = test::example_data(spec);
    Memory work(workspace_bytes(spec, data));
    const std::vector<float> untouched(samples * m, 7.0f);
    std::vector<float> batch = untouched, one(m);
    const Status status = test::example_features(spec, x, batch, samples, work.bytes());
    require(status == Status::ok || status == Status::overflow || batch == untouched, "refused features are untouched");
    bool all_good = true;
    for (std::size_t k = 0; k < samples; ++k) {
        const Status single = test::example_features(spec, sample(k), one, 1, work.bytes());
        all_good = all_good && single == Status::ok;
        if (status != Status::ok)
            continue;
        require(single == Status::ok, "a batch is good if each sample is");
        require(fuzz::same_bits(one, std::span<const float>(batch).subspan(k * m, m)),
                "a batch has the bits of samples");
        for (std::uint32_t b = 0; b < block_count(spec); ++b) {
            const BlockRange range = block_range(spec, b);
            std::vector<float> part(range.count);
            Memory little(block_workspace_bytes(spec));
            require(test::example_block(spec, b, sample(k), part, little.bytes()) == Status::ok &&
                        fuzz::same_bits(part, std::span<const float>(one).subspan(range.first, range.count)),
                    "blocks have the bits of the whole");
        }
    }
    require((status == Status::ok) == all_good, "a batch is refused if a sample is");

    const std::uint32_t outputs = 3;
    std::vector<float> matrix(outputs * m);
    for (std::size_t i = 0; i < matrix.size(); ++i)
        matrix[i] = weights[i % weights.size()] * static_cast<float>(i % 7);
    const ModelParts parts{
        .readout = float_readout(outputs, static_cast<std::uint32_t>(m), matrix.data(), m, matrix.data(), 1),
        .type = static_cast<ReadoutType>(in.byte() % 3),
        .unit = in.byte() % 2 != 0};
    Memory memory(sealed_bytes(spec, data, parts));
    std::size_t size = 0;
    if (seal(spec, data, parts, memory.bytes(), size) != Status::ok)
        return;
    Predictor<Spec> predictor;
    require(predictor.open(memory.bytes().first(size)) == Status::ok, "what was sealed opens");
    Memory many(predictor.workspace_bytes(static_cast<std::uint32_t>(samples))), single(predictor.workspace_bytes());
    std::vector<float> scores(samples * outputs, 7.0f), score(outputs);
    if (predictor.scores(x, scores, samples, many.bytes()) != Status::ok)
        return;
    for (std::size_t k = 0; k < samples; ++k)
        require(predictor.scores(sample(k), score, single.bytes()) == Status::ok &&
                    fuzz::same_bits(score, std::span<const float>(scores).subspan(k * outputs, outputs)),
                "scores of several samples have the bits of each one's");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Input in(data, size);
    std::uint32_t wanted = in.byte() % AllMaps::count;
    static_cast<void>(AllMaps::any([&]<class Spec>(Spec) {
        if (wanted-- != 0)
            return false;
        run<Spec>(in);
        return true;
    }));
    return 0;
}
