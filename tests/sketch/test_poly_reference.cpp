// PolySketch against a plain reading of SPEC.md, section 7.8.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "common.hpp"

namespace {

using namespace sketch_test;

constexpr std::uint64_t signs_domain = 23, rows_domain = 24;

struct Value {
    std::vector<float> numbers;
    bool factor;
};

class Reference {
public:
    Reference(const PolySketchSpec& s, const std::vector<std::vector<float>>& factors) : spec_(s), factors_(factors) {}

    std::vector<float> sketch() const
    {
        unsigned levels = 0;
        while ((1u << levels) < spec_.degree)
            ++levels;
        return value(levels, 0)->numbers;
    }

private:
    StreamKey key(std::uint64_t domain, std::uint64_t index) const { return stream_key(spec_.seed, domain, index); }
    static std::uint32_t padded(std::size_t n) { return static_cast<std::uint32_t>(std::bit_ceil(n)); }

    std::optional<Value> value(unsigned level, std::uint32_t place) const
    {
        if (level == 0)
            return place < spec_.degree ? std::optional(Value{factors_[place], true}) : std::nullopt;
        const std::optional<Value> left = value(level - 1, 2 * place), right = value(level - 1, 2 * place + 1);
        return right ? product(*left, *right, (std::uint64_t{level} << 32) + 2 * place) : left;
    }

    std::vector<float> transformed(std::vector<float> v, std::uint64_t index) const
    {
        for (std::uint32_t i = 0; i < v.size(); ++i)
            if ((splitmix_output(key(signs_domain, index), i / 64) >> (i % 64)) % 2 == 1)
                v[i] = -v[i];
        REQUIRE(hadamard(v) == Status::ok);
        return v;
    }

    std::optional<Value> product(const Value& left, const Value& right, std::uint64_t index) const
    {
        const std::uint32_t m = spec_.features, a = padded(left.numbers.size()), b = padded(right.numbers.size());
        const bool grouped = right.factor && m >= 512 && b >= 16 && b < 2 * m;
        std::vector<float> u = left.numbers, v = right.numbers;
        u.resize(a);
        v.resize(b);
        const Bijection pi(key(rows_domain, 1), b), rho(key(rows_domain, 2), std::min(a, b)),
            sigma(key(rows_domain, 0), a);
        if (grouped) {
            std::vector<float> ordered(b);
            for (std::uint32_t i = 0; i < b; ++i)
                ordered[i] = v[pi(i)];
            v = ordered;
        }
        u = transformed(u, index);
        v = transformed(v, index + 1);

        std::vector<float> z(m);
        for (std::uint32_t k = 0; k < m; ++k) {
            const std::uint32_t block = k / b, of_pass = std::max(1u, a / b), within = k % b;
            std::uint32_t turn = rho(block / of_pass % rho.size()) ^ rho(0);
            if (block % of_pass != 0)
                turn ^= static_cast<std::uint32_t>(splitmix_output(key(rows_domain, 2), block % of_pass)) % rho.size();
            std::uint32_t row = 0;
            if (grouped) {
                const std::uint32_t group = within / 16;
                const std::uint64_t word = splitmix_output(key(rows_domain, 5), group / 16);
                const std::uint32_t lanes = static_cast<std::uint32_t>(word >> (4 * (group % 16))) % 16;
                row = (16 * Bijection(key(rows_domain, 4), b / 16)(group) + (within % 16 ^ lanes)) ^ turn;
            } else {
                row = pi(within ^ turn);
            }
            const float t = u[k < m - m % a ? k % a : sigma(k % a)];
            z[k] = t * v[row] * std::sqrt(1.0f / static_cast<float>(m));
        }
        return Value{z, false};
    }

    PolySketchSpec spec_;
    const std::vector<std::vector<float>>& factors_;
};

} // namespace

TEST_CASE("PolySketch is what SPEC.md says, for all relations of its sizes")
{
    for (const std::uint32_t n : {1u, 3u, 9u, 16u, 40u, 300u, 700u, 1100u}) {
        for (const std::uint32_t m : {1u, 5u, 64u, 300u, 511u, 512u, 1000u, 1024u}) {
            for (const std::uint32_t p : {2u, 3u, 4u, 7u}) {
                const PolySketchSpec s{.inputs = n, .degree = p, .features = m, .seed = 100 * n + m + p};
                std::vector<std::vector<float>> factors;
                for (std::uint32_t i = 0; i < p; ++i)
                    factors.push_back(normals(n, i));
                const std::vector<std::span<const float>> spans(factors.begin(), factors.end());
                CAPTURE(n);
                CAPTURE(m);
                CAPTURE(p);
                CHECK(sketched(s, m, std::span<const std::span<const float>>(spans)) == Reference(s, factors).sketch());
            }
        }
    }
}
