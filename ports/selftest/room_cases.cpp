// Streams, elementary functions, transforms, exact kernels and probabilities.
#include "room_cases.hpp"

#include "inputs.hpp"
#include "stream/kernels.hpp"

namespace samara::selftest {

namespace {

float values[4100];
std::uint32_t words[1000];

} // namespace

void stream_cases(Report& report)
{
    const StreamKey key = stream_key(7, Domain::user, 3);
    fill_words(key, std::span(words));
    report.line("stream/words", crc_of<std::uint32_t>(words));
    fill_sign_words(key, std::span(words).first(97));
    report.line("stream/signs", crc_of<std::uint32_t>(std::span(words).first(97)));

    const std::span<float> odd = std::span(values).first(1003);
    fill_uniforms(key, odd);
    report.line("stream/uniforms", crc_of<float>(odd));
    fill_normals(key, odd);
    report.line("stream/normals", crc_of<float>(odd));
    fill_cauchy(key, odd);
    report.line("stream/cauchy", crc_of<float>(odd));
    fill_laplace(key, odd);
    report.line("stream/laplace", crc_of<float>(odd));
    fill_chi(key, 64, odd);
    report.line("stream/chi-64", crc_of<float>(odd));
    fill_chi(key, 1024, odd);
    report.line("stream/chi-1024", crc_of<float>(odd));

    Xoshiro draws(key);
    for (std::uint32_t i = 0; i < 500; ++i)
        words[i] = draws.below(3 * i + 1);
    const Bijection even(key, 256), uneven(key, 244);
    for (std::uint32_t i = 0; i < 256; ++i)
        words[500 + i] = even(i);
    for (std::uint32_t i = 0; i < 244; ++i)
        words[756 + i] = uneven(i);
    report.line("stream/indices", crc_of<std::uint32_t>(words));
}

void function_cases(Report& report)
{
    constexpr std::size_t n = 1021;
    const char* const names[] = {"simd/sine", "simd/cosine", "simd/log",           "simd/exp",
                                 "simd/sqrt", "simd/round",  "simd/inverse-normal"};
    for (int which = 0; which < 7; ++which) {
        const auto function = static_cast<Elementary>(which);
        // All exponents and both signs where the function takes them.
        Xoshiro random(stream_key(11, 98, static_cast<std::uint64_t>(which)));
        for (std::size_t i = 0; i < n; ++i) {
            std::uint32_t u = random.word();
            if (function == Elementary::log) // positive and normal
                u = 0x00800000u + u % 0x7f000000u;
            else if (function == Elementary::sqrt) // not negative, finite
                u = u % 0x7f800000u;
            else if (function != Elementary::inverse_normal && (u & 0x7f800000u) == 0x7f800000u)
                u ^= 0x40000000u; // finite
            values[i] = std::bit_cast<float>(u);
        }
        if (function != Elementary::log && function != Elementary::sqrt) { // around the values where branches change
            const std::uint32_t edges[] = {0x00000000u, 0x80000000u, 0x3e800000u, 0xbe800000u,
                                           0x3f000000u, 0xbf000000u, 0x3f7fffffu, 0x4affffffu,
                                           0x4b000000u, 0xcb000000u, 0x42b16666u, 0xc2cffffeu};
            for (std::size_t i = 0; i < 12; ++i)
                values[i] = std::bit_cast<float>(edges[i]);
        }
        SAMARA_KERNEL(stream, apply_function)(function, values, values, n);
        report.line(names[which], crc_of<float>(std::span(values).first(n)));
    }
    // Halfway cases for fma: a product that ends in the tie of the sum's last place, and a nudge below or above it.
    std::size_t k = 0;
    const auto triple = [&](float a, float b, float c) {
        values[k] = a;
        values[1000 + k] = b;
        values[2000 + k] = c;
        ++k;
    };
    for (const float b : {0x1.001p0f, 0x1.003p0f}) { // ties to even downwards and upwards
        for (const float c : {0.0f, 0x1p-60f, -0x1p-60f, 0x1p-149f, -0x1p-149f}) {
            triple(0x1.001p0f, b, c);
            triple(-0x1.001p0f, b, c);
        }
        triple(0x1.001p-70f, b * 0x1p-70f, 0x1p-149f); // the tie far below the last subnormal
        triple(0x1.001p-63f, b * 0x1p-63f, -0x1p-149f);
    }
    Xoshiro random(stream_key(11, 98, 7));
    while (k < 1000) {
        // exponents from 1 to 254 for a and b, c near their product or anywhere
        const std::uint32_t a = random.word(), b = random.word(), c = random.word(), choice = random.word() % 4;
        const std::uint32_t ea = 60 + (a >> 8) % 130, eb = 60 + (b >> 8) % 130;
        const auto number = [](std::uint32_t sign, std::uint32_t exponent, std::uint32_t fraction) {
            return std::bit_cast<float>((sign << 31) | (exponent << 23) | (fraction & 0x7fffffu));
        };
        const std::uint32_t near = ea + eb > 127 + 27 && ea + eb < 127 + 250 ? ea + eb - 127 : 100;
        if (choice == 0) // (1 + 2^-12)(1 + 2^-12) against its own tail: ties
            triple(number(a & 1u, ea, 1u << 11), number(b & 1u, eb, 1u << 11), number(c & 1u, near, c >> 9));
        else if (choice == 1)
            triple(number(a & 1u, ea, a >> 9), number(b & 1u, eb, b >> 9), number(c & 1u, near - 26 + c % 52, c >> 9));
        else if (choice == 2)
            triple(number(a & 1u, ea, a >> 9), number(b & 1u, eb, 0), number(c & 1u, near - (c % 25), 1u << (c % 23)));
        else // subnormal results and addends
            triple(number(a & 1u, 1 + ea % 70, a >> 9), number(b & 1u, 60 + eb % 60, b >> 9),
                   number(c & 1u, c % 3, c >> 9));
    }
    for (std::size_t i = 0; i < 1000; ++i) { // finite only
        for (std::size_t j = 0; j < 3; ++j)
            if ((std::bit_cast<std::uint32_t>(values[1000 * j + i]) & 0x7f800000u) == 0x7f800000u)
                values[1000 * j + i] = 1.0f;
    }
    SAMARA_KERNEL(stream, apply_function)(Elementary::fma, values, values, 1000);
    report.line("simd/fma", crc_of<float>(std::span(values).first(1000)));
}

void transform_cases(Report& report)
{
    std::uint32_t crc = 0;
    for (unsigned k = 0; k <= 12; ++k) {
        const std::span<float> v = std::span(values).first(std::size_t{1} << k);
        fill_plain(v, k);
        if (hadamard(v) != Status::ok)
            report.fail("transform/hadamard", "refused a power of two");
        crc = crc_of<float>(v, crc);
    }
    report.line("transform/hadamard", crc);

    constexpr std::size_t sizes[] = {4, 6, 8, 10, 16, 60, 64, 100, 128, 240, 256, 486, 512, 1000, 1024};
    static std::byte memory[fft_bytes(1024)];
    crc = 0;
    for (const std::size_t n : sizes) {
        const std::span<float> in = std::span(values).first(n), out = std::span(values).subspan(2000, n + 2);
        fill_plain(in, n);
        RealFft fft;
        if (fft.init(n, false, memory) != Status::ok || fft.forward(in, out) != Status::ok)
            report.fail("transform/fft", "refused a good size");
        crc = crc_of<float>(out, crc);
        if (fft.init(n, true, memory) != Status::ok || fft.backward(out, in) != Status::ok)
            report.fail("transform/fft", "refused the way back");
        crc = crc_of<float>(in, crc);
    }
    report.line("transform/fft", crc);
}

void kernel_cases(Report& report)
{
    constexpr std::size_t n = 17;
    double result[5 * sample_kinds * sample_kinds];
    std::size_t k = 0;
    for (unsigned i = 0; i < sample_kinds; ++i) {
        for (unsigned j = 0; j < sample_kinds; ++j) {
            const std::span<float> x = std::span(values).first(n), y = std::span(values).subspan(100, n);
            fill_sample(x, i);
            fill_sample(y, j);
            result[k++] = gaussian_kernel(x, y, 3.0);
            result[k++] = laplacian_kernel(x, y, 5.0);
            result[k++] = cauchy_kernel(x, y, 2.0);
            result[k++] = arccos0_kernel(x, y);
            result[k++] = arccos1_kernel(x, y);
        }
    }
    report.line("kernel/exact", crc_of<double>(result));
}

void readout_cases(Report& report)
{
    std::uint32_t crc = 0;
    for (const float scale : {0.5f, 1.0f, 37.0f, 3e38f}) {
        for (const std::size_t n : {1u, 2u, 3u, 10u, 64u, 1000u}) {
            const std::span<float> scores = std::span(values).first(n);
            fill_plain(scores, n);
            softmax(scores, scale);
            crc = crc_of<float>(scores, crc);
        }
        float extremes[] = {-3e38f, 0.0f, -0.0f, 1e-40f, 3e38f, 3e38f};
        softmax(extremes, scale);
        crc = crc_of<float>(extremes, crc);
    }
    report.line("readout/softmax", crc);
}

} // namespace samara::selftest
