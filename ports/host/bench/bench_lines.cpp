#include "ports/host/bench/bench_lines.hpp"
#include "ports/host/bench/aligned.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>

#include "ports/host/bench/bench_baseline.hpp"
#include "ports/host/bench/bench_blas.hpp"
#include "ports/host/bench/bench_ntk.hpp"
#include "ports/host/bench/bench_sketch.hpp"
#include "project/block.hpp"
#include "samara/samara.hpp"

namespace samara::desk {
namespace {

constexpr std::uint32_t wide = 784, narrow = 64; // inputs
constexpr std::uint32_t outputs = 4096;          // features, and rows of the stored matrices
constexpr std::size_t most_samples = 1000;

// What the maps and the BLAS read and write.
struct Data {
    Floats samples = Floats(most_samples * wide);
    Floats weights = Floats(std::size_t{outputs} * wide);
    Floats features = Floats(most_samples * outputs);
    Floats products = Floats(most_samples * outputs);

    Data()
    {
        fill_normals(stream_key(1, Domain::user, 0), samples);
        fill_normals(stream_key(1, Domain::user, 1), weights);
    }
    StoredMatrix matrix(std::uint32_t rows, std::uint32_t inputs) const { return {weights.data(), rows, inputs}; }
};

void require_ok(Status status)
{
    if (status != Status::ok) {
        throw std::logic_error(std::string("bench: ") + text(status));
    }
}

// Computes other back ends for a while.
class WithSimd {
public:
    explicit WithSimd(Simd simd) : before_(active_simd()) { require_ok(use_simd(simd)); }
    ~WithSimd() { static_cast<void>(use_simd(before_)); }
    WithSimd(const WithSimd&) = delete;
    WithSimd& operator=(const WithSimd&) = delete;

private:
    Simd before_;
};

constexpr double microseconds = 1e6;

struct Measured {
    std::string name;
    double seconds;
};

BenchLine line_of(const Measured& samara, const Measured& baseline, Target target)
{
    return line_of(samara.name, samara.seconds, baseline.name, baseline.seconds, target);
}

BenchLine normals_line(const Effort& effort)
{
    constexpr std::size_t count = std::size_t{1} << 16;
    Floats ours(count);
    Floats theirs(count);
    const std::vector<double> times =
        best_seconds({repeated([&] { fill_normals(stream_key(1, Domain::user, 0), ours); }),
                      repeated([&] { standard_normals(theirs.data(), count); })},
                     effort);
    const Simd simd = active_simd();
    const Target target = simd == Simd::avx512 ? Target{Bound::at_least, 12.0}
                          : simd == Simd::avx2 ? Target{Bound::at_least, 7.0}
                                               : Target{};
    BenchLine line = line_of({"normals", times[0]}, {"std::mt19937, normal_distribution", times[1]}, target);
    line.unit = Unit::million_per_second;
    line.samara = 1e-6 * static_cast<double>(count) / times[0];
    line.baseline_value = 1e-6 * static_cast<double>(count) / times[1];
    return line;
}

BenchLine hadamard_line(std::size_t size, const std::string& size_text, const Effort& effort)
{
    // Zeros stay what they are; other values would grow to infinity in a few transforms.
    Floats ours(size);
    Floats theirs(size);
    const std::vector<double> times = best_seconds(
        {repeated([&] { require_ok(hadamard(ours)); }), repeated([&] { plain_hadamard(theirs.data(), size); })},
        effort);
    const bool promised = active_simd() == Simd::avx512 || active_simd() == Simd::avx2;
    return line_of({"Walsh-Hadamard, " + size_text, times[0]}, {"three loops", times[1]},
                   promised ? Target{Bound::at_least, 9.0} : Target{});
}

template <class Spec>
Task map_task(const Spec& spec, std::size_t count, Data& data)
{
    const std::span<const float> x = std::span(data.samples).first(count * spec.inputs);
    const std::span<float> z = std::span(data.features).first(count * spec.features);
    return repeated([=, work = Floats(workspace_bytes(spec) / sizeof(float))]() mutable {
        const std::span<std::byte> bytes = std::as_writable_bytes(std::span(work));
        require_ok(count == 1 ? features(spec, x, z, bytes) : features(spec, x, z, count, bytes));
    });
}

RffSpec fourier(std::uint32_t inputs, std::uint32_t count)
{
    RffSpec spec;
    spec.inputs = inputs;
    spec.features = count;
    spec.rows = Rows::hadamard;
    spec.orders = Orders::none;
    spec.bandwidth = std::sqrt(static_cast<float>(inputs)); // the samples' entries have variance 1
    return resolve(spec);
}

ArcCosSpec arc_cosine(std::uint32_t inputs, std::uint32_t count)
{
    ArcCosSpec spec;
    spec.inputs = inputs;
    spec.features = count;
    spec.rows = Rows::hadamard;
    spec.orders = Orders::none;
    return resolve(spec);
}

// The product alone, as a map would ask for it.
Task dense_rows_task(std::size_t count, Data& data)
{
    return repeated([count, &data] {
        constexpr std::uint32_t rows = block_rows(Rows::dense, wide);
        RowBlock block{};
        block.seed = 1;
        block.inputs = wide;
        block.rows = rows;
        block.scale = 1.0f;
        block.samples = count;
        block.x = data.samples.data();
        block.x_stride = wide;
        block.out_stride = outputs;
        for (block.index = 0; block.index < outputs / rows; ++block.index) {
            block.first_row = block.index * rows;
            block.out = data.features.data() + block.first_row;
            engine::dense_normal_rows(block);
        }
    });
}

Task sgemv_task(std::uint32_t rows, std::uint32_t inputs, Data& data)
{
    return repeated(
        [=, &data] { multiply_sample(data.matrix(rows, inputs), data.samples.data(), data.products.data()); });
}

Task sgemm_task(std::uint32_t inputs, std::size_t count, Data& data)
{
    return repeated([=, &data] {
        multiply_samples(data.matrix(outputs, inputs), data.samples.data(), count, data.products.data());
    });
}

std::string product_name(const char* function, const std::string& size)
{
    return std::string(blas_name) + " " + function + " " + size;
}

void add_single_samples(std::vector<BenchLine>& lines, const Effort& effort, Data& data)
{
    const std::vector<double> of_wide =
        best_seconds({map_task(fourier(wide, outputs), 1, data), map_task(arc_cosine(wide, outputs), 1, data),
                      dense_rows_task(1, data), sgemv_task(outputs, wide, data), sgemv_task(outputs / 2, wide, data)},
                     effort);
    const Measured rff{"rff hadamard pairs 784 -> 4,096", of_wide[0]};
    const Measured all_rows{product_name("sgemv", "4,096 x 784"), of_wide[3]};
    const Measured half_rows{product_name("sgemv", "2,048 x 784"), of_wide[4]};
    lines.push_back(line_of(rff, all_rows, {Bound::at_least, 25.0}));
    lines.push_back(line_of(rff, half_rows, {Bound::at_least, 12.0}));
    const std::vector<double> of_narrow =
        best_seconds({map_task(fourier(narrow, outputs), 1, data), sgemv_task(outputs, narrow, data)}, effort);
    lines.push_back(line_of({"rff hadamard pairs 64 -> 4,096", of_narrow[0]},
                            {product_name("sgemv", "4,096 x 64"), of_narrow[1]}, {Bound::at_least, 3.0}));
    lines.push_back(line_of({"arccos hadamard 784 -> 4,096", of_wide[1]}, all_rows, {}));
    lines.push_back(line_of({"dense rows regenerated, 4,096 x 784", of_wide[2]}, all_rows, {Bound::at_most, 11.0}));
}

// 1,000 where a pass over them is a matter of a second, as it is but for the scalar back end and the plainest BLAS.
std::size_t batch_size(const Effort& effort, Data& data)
{
    constexpr std::size_t few = 10;
    const double slower =
        std::max(seconds_of(dense_rows_task(few, data)), seconds_of(sgemm_task(wide, few, data))) / few;
    std::size_t count = most_samples;
    while (count > few && slower * static_cast<double>(count) > effort.slowest_batch) {
        count /= 10;
    }
    return count;
}

void add_batches(std::vector<BenchLine>& lines, const Effort& effort, Data& data)
{
    const std::size_t count = batch_size(effort, data);
    const std::string batch = ", a sample of " + std::string(count == most_samples ? "1,000" : std::to_string(count));
    const auto a_sample = [&](std::string title, double seconds) {
        return Measured{std::move(title), seconds / static_cast<double>(count)};
    };
    const std::vector<double> of_wide = best_seconds(
        {map_task(fourier(wide, outputs), count, data), dense_rows_task(count, data), sgemm_task(wide, count, data)},
        effort);
    const std::vector<double> of_narrow =
        best_seconds({map_task(fourier(narrow, outputs), count, data), sgemm_task(narrow, count, data)}, effort);
    const Measured wide_product = a_sample(product_name("sgemm", "4,096 x 784"), of_wide[2]);
    lines.push_back(line_of(a_sample("rff hadamard pairs 784 -> 4,096" + batch, of_wide[0]), wide_product, {}));
    lines.push_back(line_of(a_sample("rff hadamard pairs 64 -> 4,096" + batch, of_narrow[0]),
                            a_sample(product_name("sgemm", "4,096 x 64"), of_narrow[1]), {}));
    lines.push_back(line_of(a_sample("dense rows regenerated, 4,096 x 784" + batch, of_wide[1]), wide_product,
                            {Bound::at_most, 1.15}));
}

// Computed once in exactly that much memory.
BenchLine workspace_line(std::uint32_t count, const std::string& count_text, Data& data)
{
    const RffSpec spec = fourier(wide, count);
    map_task(spec, 1, data)(1);
    BenchLine line;
    line.name = "workspace of rff hadamard 784 -> " + count_text;
    line.back_end = name(active_simd());
    line.unit = Unit::bytes;
    line.samara = static_cast<double>(workspace_bytes(spec));
    line.target = {Bound::at_most, 12.0 * 1024.0};
    return line;
}

} // namespace

BenchLine line_of(const std::string& title, double seconds, const std::string& baseline, double baseline_seconds,
                  Target target)
{
    BenchLine line;
    line.name = title;
    line.back_end = name(active_simd());
    line.samara = microseconds * seconds;
    line.baseline = baseline;
    line.baseline_value = microseconds * baseline_seconds;
    if (!baseline.empty()) {
        line.ratio = target.bound == Bound::at_most ? seconds / baseline_seconds : baseline_seconds / seconds;
    }
    line.target = target;
    return line;
}

std::vector<BenchLine> measure_lines(const std::vector<Simd>& back_ends, const Effort& effort)
{
    std::vector<BenchLine> lines;
    for (const Simd simd : back_ends) {
        const WithSimd chosen(simd);
        lines.push_back(normals_line(effort));
    }
    for (const Simd simd : back_ends) {
        const WithSimd chosen(simd);
        lines.push_back(hadamard_line(1024, "1,024", effort));
        lines.push_back(hadamard_line(4096, "4,096", effort));
    }
    use_one_blas_thread();
    Data data;
    add_single_samples(lines, effort, data);
    add_batches(lines, effort, data);
    for (const BenchLine& line : measure_sketches(effort)) {
        lines.push_back(line);
    }
    for (const BenchLine& line : measure_ntk(effort)) {
        lines.push_back(line);
    }
    lines.push_back(workspace_line(outputs, "4,096", data));
    lines.push_back(workspace_line(65536, "65,536", data));
    return lines;
}

} // namespace samara::desk
