// Every sketch, and the maps made of them, over awkward inputs: one checksum each.
#include "sketch_cases.hpp"

#include "inputs.hpp"
#include "samara/map/polynomial.hpp"
#include "samara/sketch.hpp"

namespace samara::selftest {

namespace {

constexpr std::size_t most_inputs_here = 300, most_outputs_here = 1200;

float left[most_inputs_here], right[most_inputs_here];
float out[most_outputs_here];
alignas(16) std::byte memory[40000];

// call(k) fills the first `count` numbers of out from sample kind k. Of huge samples (4, and some of 6) high powers
// leave the range of floats; they are refused and cleared, on every target alike.
template <class Call>
void case_of(Report& report, const char* name, std::size_t count, Call call)
{
    std::uint32_t crc = 0;
    if (count > most_outputs_here)
        return report.fail(name, "the self-test's own sizes are wrong");
    for (unsigned k = 0; k < sample_kinds; ++k) {
        const Status status = call(k);
        if (status != Status::ok && ((k != 4 && k != 6) || status != Status::overflow))
            return report.fail(name, text(status));
        crc = crc_of<float>(std::span(out).first(count), crc);
    }
    report.line(name, crc);
}

template <class Spec>
void vector_case(Report& report, const char* name, const Spec& spec, std::size_t inputs, std::size_t count)
{
    case_of(report, name, count, [&](unsigned k) {
        const std::span<float> x = std::span(left).first(inputs);
        fill_sample(x, k);
        return sketch(spec, std::span<const float>(x), std::span(out).first(count), memory);
    });
}
template <class Spec>
void prefix_case(Report& report, const char* name, const Spec& spec, std::size_t inputs, std::size_t count)
{
    case_of(report, name, count * spec.degree, [&](unsigned k) {
        const std::span<float> x = std::span(left).first(inputs);
        fill_sample(x, k);
        return prefixes(spec, x, std::span(out).first(count * spec.degree), memory);
    });
}
void tensor_case(Report& report, const char* name, const TensorSrhtSpec& spec)
{
    case_of(report, name, spec.features, [&](unsigned k) {
        const std::span<float> x = std::span(left).first(spec.left), y = std::span(right).first(spec.right);
        fill_sample(x, k);
        fill_plain(y, 50 + k);
        return sketch(spec, x, y, std::span(out).first(spec.features), memory);
    });
}

template <class Spec>
void map_case(Report& report, const char* name, const Spec& request)
{
    const Spec spec = resolve(request);
    if (workspace_bytes(spec) > sizeof memory)
        return report.fail(name, "the self-test's own spec is wrong");
    case_of(report, name, spec.features, [&](unsigned k) {
        const std::span<float> x = std::span(left).first(spec.inputs);
        fill_sample(x, k);
        return features(spec, x, std::span(out).first(spec.features), memory);
    });
}

// Entries one at a time, in no order, of indices from all of 2^32.
template <class Stream>
void stream_case(Report& report, const char* name, const Stream& stream)
{
    const std::span<float> z = std::span(out).first(stream.size());
    for (float& v : z)
        v = 0.0f;
    Xoshiro words(stream_key(2026, 99, 77));
    for (unsigned i = 0; i < 500; ++i) {
        fill_plain(std::span(left).first(1), 1000 + i);
        if (stream.add(words.word(), left[0], z) != Status::ok)
            return report.fail(name, "an entry was refused");
    }
    report.line(name, crc_of<float>(z));
}

} // namespace

void sketch_cases(Report& report)
{
    constexpr std::uint64_t seed = 0x123456789abcdefu;
    const CountSketchSpec count{.size = 61, .seed = seed};
    vector_case(report, "sketch/count/130", count, 130, 61);
    stream_case(report, "sketch/count/stream", CountSketch(count));
    const OsnapSpec osnap{.size = 75, .nonzeros = 3, .seed = seed};
    vector_case(report, "sketch/osnap/130", osnap, 130, 75);
    stream_case(report, "sketch/osnap/stream", Osnap(osnap));

    const auto srht = [&](const char* name, std::uint32_t n, std::uint32_t m, Sampling sampling) {
        vector_case(report, name, SrhtSpec{.inputs = n, .features = m, .sampling = sampling, .seed = seed}, n, m);
    };
    srht("sketch/srht/3/4", 3, 4, Sampling::without);
    srht("sketch/srht/300/290", 300, 290, Sampling::without);
    srht("sketch/srht/17/100", 17, 100, Sampling::without);
    srht("sketch/srht/with/300/600", 300, 600, Sampling::with);

    const auto tensor = [&](const char* name, std::uint32_t a, std::uint32_t b, std::uint32_t m, Sampling sampling) {
        tensor_case(report, name, {.left = a, .right = b, .features = m, .sampling = sampling, .seed = seed});
    };
    tensor("sketch/tensor-srht/3x5/7", 3, 5, 7, Sampling::without);
    tensor("sketch/tensor-srht/130x17/512", 130, 17, 512, Sampling::without);
    tensor("sketch/tensor-srht/17x300/1000", 17, 300, 1000, Sampling::without);
    tensor("sketch/tensor-srht/with/130x17/700", 130, 17, 700, Sampling::with);

    const auto fft = [&](const char* name, std::uint32_t size) {
        vector_case(report, name, TensorSketchSpec{.size = size, .degree = 2, .seed = seed}, 130, size);
    };
    fft("sketch/tensor/60", 60);
    fft("sketch/tensor/1024", 1024);
    prefix_case(report, "sketch/tensor/prefixes/100x5", TensorSketchSpec{.size = 100, .degree = 5, .seed = seed}, 130,
                100);

    const auto poly = [&](const char* name, std::uint32_t n, std::uint32_t p, std::uint32_t m, PolyBase base) {
        prefix_case(report, name, PolySketchSpec{.inputs = n, .degree = p, .features = m, .base = base, .seed = seed},
                    n, m);
    };
    poly("sketch/poly/3/5/4", 3, 5, 4, PolyBase::srht);
    poly("sketch/poly/130/7/150", 130, 7, 150, PolyBase::srht);
    poly("sketch/poly/64/8/64", 64, 8, 64, PolyBase::srht);
    poly("sketch/poly/17/3/300", 17, 3, 300, PolyBase::srht);
    poly("sketch/poly/130/2/512", 130, 2, 512, PolyBase::srht);
    poly("sketch/poly/osnap/300/7/150", 300, 7, 150, PolyBase::osnap);
    vector_case(report, "sketch/poly/power/130/5/777",
                PolySketchSpec{.inputs = 130, .degree = 5, .features = 777, .seed = seed}, 130, 777);

    const auto polynomial = [&](const char* name, std::uint32_t degree, PowerSketch by, Orders orders) {
        map_case(report, name,
                 PolynomialSpec{.inputs = 17,
                                .features = 300,
                                .degree = degree,
                                .sketch = by,
                                .orders = orders,
                                .scale = 0.3f,
                                .offset = 0.7f,
                                .seed = seed});
    };
    polynomial("polynomial/2/orders-1", 2, PowerSketch::srht, Orders::one);
    polynomial("polynomial/3", 3, PowerSketch::srht, Orders::none);
    polynomial("polynomial/5/orders-1", 5, PowerSketch::srht, Orders::one);
    polynomial("polynomial/count/3", 3, PowerSketch::count, Orders::none);
    polynomial("polynomial/count/3/orders-1", 3, PowerSketch::count, Orders::one);
    const auto whole = [&](const char* name, std::uint32_t n, std::uint32_t m, std::uint32_t degree, PowerSketch by,
                           float offset) {
        map_case(report, name,
                 PolynomialSpec{.inputs = n,
                                .features = m,
                                .degree = degree,
                                .sketch = by,
                                .offset = offset,
                                .numbers = Numbers::int8,
                                .seed = seed});
    };
    whole("polynomial/int8/1", 130, 200, 1, PowerSketch::srht, 3000.0f);
    whole("polynomial/int8/2", 17, 300, 2, PowerSketch::srht, 0.0f);
    whole("polynomial/int8/2/offset", 130, 300, 2, PowerSketch::srht, 70000.0f);
    whole("polynomial/int8/count", 130, 64, 1, PowerSketch::count, 3000.0f);
    const auto dot = [&](const char* name, PowerSketch by, Orders orders) {
        map_case(report, name,
                 DotSpec{.inputs = 17,
                         .features = 300,
                         .sketch = by,
                         .orders = orders,
                         .coefficients = {.c = {0.5f, 0.25f, 0.0f, 0.125f, 0.1f}, .count = 5},
                         .seed = seed});
    };
    dot("dot/orders-1", PowerSketch::srht, Orders::one);
    dot("dot/none", PowerSketch::srht, Orders::none);
    dot("dot/count", PowerSketch::count, Orders::one);
}

} // namespace samara::selftest
