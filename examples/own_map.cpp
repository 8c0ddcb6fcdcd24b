// A map of your own, written in your own program: Fixed, Predictor, sealing and opening work with it. This one has
// random signs: z_j = sign(<w_j, x>) / sqrt(m), which estimates 1 - 2 angle / pi.
#include <samara/samara.hpp>

#include "print.hpp"

struct SignSpec {
    std::uint32_t inputs = 0, features = 64;
    std::uint64_t seed = 0;
    friend constexpr bool operator==(const SignSpec&, const SignSpec&) = default;
};

template <>
struct samara::Map<SignSpec> : samara::WholeMap<SignSpec> {
    static constexpr MapId id{first_user_map};
    static constexpr const char* name = "sign";

    template <class V, class S>
    static constexpr void fields(V& v, S& s)
    {
        v.inputs(s.inputs, 1024);
        v.features(s.features, most_features);
        v.seed(16, s.seed);
    }
    static constexpr std::size_t workspace_bytes(const SignSpec& s) { return sizeof(float) * s.inputs; }
    static Status run(const SignSpec& s, const Code&, std::span<const float> x, std::span<float> z, std::size_t samples,
                      std::span<std::byte> work)
    {
        const std::span<float> w(reinterpret_cast<float*>(work.data()), s.inputs);
        for (std::uint32_t j = 0; j < s.features; ++j) {
            fill_normals(stream_key(s.seed, Domain::user, j), w);
            for (std::size_t i = 0; i < samples; ++i) {
                float sum = 0;
                for (std::uint32_t k = 0; k < s.inputs; ++k)
                    sum += w[k] * x[i * s.inputs + k];
                z[i * s.features + j] = sum > 0 ? 0.125f : -0.125f; // 1 / sqrt(64)
            }
        }
        return Status::ok;
    }
};

constexpr SignSpec spec{.inputs = 3, .seed = 7};
static samara::Fixed<spec> map;
alignas(16) static std::byte model[1024], work[1024];

SAMARA_EXAMPLE_MAIN
{
    const float x[] = {1, 2, -0.5f}, weights[64] = {1, 1, 1}, bias[] = {0.5f};
    float z[64], score[1] = {};
    const samara::ModelParts parts{.readout = samara::float_readout(1, 64, weights, 64, bias, 1)};
    std::size_t size = 0;
    samara::Predictor<SignSpec> predictor;
    if (map.features(x, z) != samara::Status::ok || samara::seal(spec, {}, parts, model, size) != samara::Status::ok ||
        predictor.open(std::span(model).first(size)) != samara::Status::ok ||
        predictor.scores(x, score, work) != samara::Status::ok)
        return 1;
    example::line("bytes", size);
    return score[0] == z[0] + z[1] + z[2] + 0.5f ? 0 : 1;
}
