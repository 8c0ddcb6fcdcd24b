#include "ports/host/bench_ntk.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "ports/host/bench_blas.hpp"
#include "samara/samara.hpp"

namespace samara::desk {
namespace {

constexpr std::uint32_t wide = 784, outputs = 8192;
constexpr std::size_t batch = 100; // the maps compute samples one by one: more would be the same

struct Data {
    std::vector<float> x = std::vector<float>(batch * wide);
    std::vector<float> z = std::vector<float>(batch * outputs);
    std::vector<float> weights = std::vector<float>(std::size_t{outputs} * wide);
    std::vector<float> work;

    Data()
    {
        fill_normals(stream_key(1, Domain::user, 0), x);
        fill_normals(stream_key(1, Domain::user, 1), weights);
    }
    StoredMatrix matrix() const { return {weights.data(), outputs, wide}; }
};

template <class Spec>
Task map_task(const Spec& request, std::size_t samples, Data& data)
{
    const Spec spec = resolve(request);
    data.work.resize(std::max(data.work.size(), workspace_bytes(spec) / sizeof(float) + 1));
    return repeated([&data, spec, samples] {
        const Status status = features(spec, std::span<const float>(data.x).first(samples * wide),
                                       std::span(data.z).first(samples * spec.features), samples,
                                       std::as_writable_bytes(std::span<float>(data.work)));
        if (status != Status::ok) {
            throw std::logic_error(std::string("bench: ") + text(status));
        }
    });
}

NtkSpec ntk(std::uint32_t depth) { return {.inputs = wide, .features = outputs, .depth = depth}; }

NtkPolySpec ntk_poly(std::uint32_t degree)
{
    return {
        .inputs = wide, .features = outputs / 2, .degree = degree, .coefficients = ntk_poly_coefficients(1, degree)};
}

} // namespace

std::vector<BenchLine> measure_ntk(const Effort& effort)
{
    Data data;
    std::vector<BenchLine> lines;
    const auto stored = [&](std::size_t samples) {
        return repeated([&data, samples] {
            if (samples == 1) {
                multiply_sample(data.matrix(), data.x.data(), data.z.data());
            } else {
                multiply_samples(data.matrix(), data.x.data(), samples, data.z.data());
            }
        });
    };
    for (const std::size_t samples : {std::size_t{1}, batch}) {
        const std::vector<double> times =
            best_seconds({map_task(ntk(1), samples, data), map_task(ntk(2), samples, data),
                          map_task(ntk_poly(8), samples, data), map_task(ntk_poly(32), samples, data), stored(samples)},
                         effort);
        const auto each = static_cast<double>(samples);
        const std::string of = samples == 1 ? "" : ", a sample of " + std::to_string(samples),
                          product = std::string(blas_name) + (samples == 1 ? " sgemv" : " sgemm") + " 8,192 x 784";
        const char* const names[] = {"ntk depth 1, 784 -> 8,192", "ntk depth 2, 784 -> 8,192",
                                     "ntk-poly degree 8, 784 -> 4,096", "ntk-poly degree 32, 784 -> 4,096"};
        for (std::size_t i = 0; i < std::size(names); ++i) {
            lines.push_back(line_of(names[i] + of, times[i] / each, product, times[4] / each, {}));
        }
    }
    return lines;
}

} // namespace samara::desk
