#include "ports/host/bench/bench_sketch.hpp"
#include "ports/host/bench/aligned.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "samara/samara.hpp"

namespace samara::desk {
namespace {

constexpr std::uint32_t wide = 784, outputs = 4096, rows = 1024, degree = 8;
constexpr std::size_t batch = 1000;
// Transforms of 1,024 that all prefixes of degree 8 take where inputs and features are padded to as many.
constexpr unsigned transforms = 20;

void require_ok(Status status)
{
    if (status != Status::ok) {
        throw std::logic_error(std::string("bench: ") + text(status));
    }
}

// x and a longer vector, and room for all that is measured.
struct Data {
    Floats x = Floats(batch * wide);
    Floats y = Floats(outputs);
    Floats z = Floats(batch * outputs);
    Floats zeros = Floats(outputs);
    Floats work = Floats(std::size_t{1} << 18);

    Data()
    {
        fill_normals(stream_key(1, Domain::user, 0), x);
        fill_normals(stream_key(1, Domain::user, 1), y);
    }
    std::span<const float> sample() const { return std::span(x).first(wide); }
    std::span<float> out(std::size_t count) { return std::span(z).first(count); }
    std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(work)); }
    Task transform(std::size_t size)
    {
        return repeated([this, size] { require_ok(hadamard(std::span(zeros).first(size))); });
    }
};

void add_hadamard_sketches(std::vector<BenchLine>& lines, const Effort& effort, Data& data)
{
    const TensorSrhtSpec tensor{.left = wide, .right = outputs, .features = outputs};
    const PolySketchSpec poly{.inputs = wide, .degree = degree, .features = rows};
    const std::vector<double> times = best_seconds(
        {repeated([&] { require_ok(sketch(tensor, data.sample(), data.y, data.out(outputs), data.bytes())); }),
         data.transform(outputs),
         repeated([&] { require_ok(prefixes(poly, data.sample(), data.out(degree * rows), data.bytes())); }),
         data.transform(rows)},
        effort);
    lines.push_back(
        line_of("TensorSRHT 784 x 4,096 -> 4,096", times[0], "Walsh-Hadamard, 4,096", times[1], {Bound::at_most, 4.0}));
    lines.push_back(line_of("PolySketch 784 -> 1,024, powers 1 to 8", times[2],
                            std::to_string(transforms) + " Walsh-Hadamard, 1,024", transforms * times[3],
                            {Bound::at_most, 2.5}));
}

void add_polynomials(std::vector<BenchLine>& lines, const Effort& effort, Data& data)
{
    const PolynomialSpec srht{.inputs = wide, .features = outputs, .orders = Orders::none},
        count{.inputs = wide, .features = outputs, .sketch = PowerSketch::count, .orders = Orders::none};
    const auto task = [&](const PolynomialSpec& spec, std::size_t samples) {
        return repeated([&data, spec, samples] {
            require_ok(features(spec, std::span<const float>(data.x).first(samples * wide), data.out(samples * outputs),
                                samples, data.bytes()));
        });
    };
    const std::vector<double> times = best_seconds({task(srht, 1), task(srht, batch), task(count, batch)}, effort);
    lines.push_back(line_of("polynomial degree 2, 784 -> 4,096", times[0], "", 0.0, {}));
    lines.push_back(line_of("polynomial degree 2, 784 -> 4,096, a sample of 1,000", times[1] / batch, "", 0.0, {}));
    lines.push_back(
        line_of("polynomial degree 2 by count, 784 -> 4,096, a sample of 1,000", times[2] / batch, "", 0.0, {}));
}

void add_hashes(std::vector<BenchLine>& lines, const Effort& effort, Data& data)
{
    constexpr std::uint32_t size = 64;
    const CountSketch count(CountSketchSpec{.size = size});
    const std::vector<double> times =
        best_seconds({repeated([&] {
                         for (std::uint32_t i = 0; i < wide; ++i) {
                             require_ok(count.add(i * 2654435761u, data.x[i], data.out(size)));
                         }
                     })},
                     effort);
    lines.push_back(line_of("CountSketch to 64, an entry", times[0] / wide, "", 0.0, {}));
}

} // namespace

std::vector<BenchLine> measure_sketches(const Effort& effort)
{
    std::vector<BenchLine> lines;
    Data data;
    add_hadamard_sketches(lines, effort, data);
    add_polynomials(lines, effort, data);
    add_hashes(lines, effort, data);
    return lines;
}

} // namespace samara::desk
