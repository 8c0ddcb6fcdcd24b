#include "ports/host/bench/bench_ntk.hpp"
#include "ports/host/bench/aligned.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "ports/host/bench/bench_blas.hpp"
#include "samara/samara.hpp"

namespace samara::desk {
namespace {

constexpr std::uint32_t wide = 784, outputs = 8192;
constexpr std::size_t batch = 1000;

struct Data {
    Floats x = Floats(batch * wide);
    Floats z = Floats(batch * outputs);
    Floats weights = Floats(std::size_t{outputs} * wide);
    Floats work;

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
        const std::string of = samples == 1 ? "" : ", a sample of 1,000",
                          product = std::string(blas_name) + (samples == 1 ? " sgemv" : " sgemm") + " 8,192 x 784";
        // How many times as fast as the product alone.
        struct Line {
            const char* name;
            double one, many;
        };
        constexpr Line named[] = {{"ntk depth 1, 784 -> 8,192", 30.0, 4.0},
                                  {"ntk depth 2, 784 -> 8,192", 15.0, 2.0},
                                  {"ntk-poly degree 8, 784 -> 4,096", 30.0, 3.5},
                                  {"ntk-poly degree 32, 784 -> 4,096", 30.0, 3.5}};
        for (std::size_t i = 0; i < std::size(named); ++i) {
            lines.push_back(line_of(named[i].name + of, times[i] / each, product, times[4] / each,
                                    {Bound::at_least, samples == 1 ? named[i].one : named[i].many}));
        }
    }
    return lines;
}

} // namespace samara::desk
