// NTKSketch. SPEC.md, maps of networks.
#include "samara/map_ntk_sketch.hpp"

#include "kernel/series.hpp"
#include "map/row_map.hpp"
#include "map/unit_vector.hpp"
#include "map/whole_map.hpp"
#include "samara/kernel.hpp"
#include "sketch/inputs.hpp"

namespace samara {

namespace {

using namespace detail;

// Seeds of a layer's sketches, and of those outside the layers.
enum class Part : std::uint64_t { relu_powers = 0, step_powers = 1, relu_mix = 2, step_mix = 3, tensor = 4, mix = 5 };
enum class Outside : std::uint64_t { base = 0, first_mix = 1, last_rows = 2 };

std::uint64_t seed_of(const NtkSketchSpec& s, std::uint32_t layer, Part part) noexcept
{
    return stream_key(s.seed, Domain::ntk_sketch_layers, 8 * std::uint64_t{layer} + static_cast<std::uint64_t>(part))
        .value;
}
std::uint64_t seed_of(const NtkSketchSpec& s, Outside part) noexcept
{
    return stream_key(s.seed, Domain::ntk_sketch_mix, static_cast<std::uint64_t>(part)).value;
}

struct Work {
    float *unit, *phi, *step, *psi, *pair, *powers, *stack; // pair: the sketched product and, behind it, phi
    std::span<std::byte> scratch;
};

// The roots of a series' coefficients.
struct Roots {
    float constant;
    float of[17]; // of the powers, ascending
};

float root(double v) noexcept { return SAMARA_ARCH::sqrt_scalar(static_cast<float>(v)); }

Roots relu_roots(const NtkSketchSpec& s) noexcept
{
    Roots r{};
    double mass = 1.0 / real::pi + 0.5;
    r.constant = root(1.0 / real::pi);
    r.of[0] = root(0.5);
    real::ArcCosTerms terms;
    for (std::uint32_t i = 0; i <= s.relu_degree; ++i, terms.next()) {
        const bool last = s.fix_diagonal && i == s.relu_degree;
        r.of[i + 1] = root(last ? 1.0 - mass : terms.relu());
        mass += terms.relu();
    }
    return r;
}
Roots step_roots(const NtkSketchSpec& s) noexcept
{
    Roots r{};
    double mass = 0.5;
    r.constant = root(0.5);
    real::ArcCosTerms terms;
    for (std::uint32_t i = 0; i <= s.step_degree; ++i, terms.next()) {
        const bool last = s.fix_diagonal && i == s.step_degree;
        r.of[i] = root(last ? 1.0 - mass : terms.step());
        mass += terms.step();
    }
    return r;
}

Status mix(const Work& w, std::uint64_t seed, std::span<const float> x, std::span<float> z) noexcept
{
    const SrhtSpec spec{
        .inputs = static_cast<std::uint32_t>(x.size()), .features = static_cast<std::uint32_t>(z.size()), .seed = seed};
    return sketch(spec, x, z, w.scratch);
}

// One series of phi: of all powers those that it has (relu: 1 and the even ones; step: the odd ones) times their roots,
// mixed to `size` numbers.
Status series(const NtkSketchSpec& s, const Work& w, std::uint32_t layer, bool relu, const Roots& roots,
              float* out) noexcept
{
    const std::size_t m = s.size;
    const std::uint32_t degree = relu ? relu_powers(s) : step_powers(s), terms = relu ? relu_terms(s) : step_terms(s);
    const PolySketchSpec poly = poly_spec(s, degree, seed_of(s, layer, relu ? Part::relu_powers : Part::step_powers));
    if (const Status status = prefixes(poly, {w.phi, m}, {w.powers, degree * m}, w.scratch); status != Status::ok)
        return status;
    w.stack[0] = roots.constant;
    for (std::uint32_t i = 0; i < terms; ++i) {
        const std::uint32_t exponent = !relu ? 2 * i + 1 : i == 0 ? 1 : 2 * i;
        SAMARA_KERNEL(scaled_copy)(w.powers + (exponent - 1) * m, m, roots.of[i], w.stack + 1 + i * m);
    }
    return mix(w, seed_of(s, layer, relu ? Part::relu_mix : Part::step_mix), {w.stack, 1 + terms * m}, {out, m});
}

void finish_linear(const FinishArgs& f) noexcept { SAMARA_KERNEL(scaled_copy)(f.t, f.rows, f.amplitude, f.out); }

void sample_linear(const RowMap& map, const float*, std::uint32_t, SamplePlan& plan, float*, float*) noexcept
{
    plan = {1.0f, map.amplitude, 0.0f, false};
}

// Algorithm 1 of arXiv 2106.07880 for x at length 1.
Status sample(const NtkSketchSpec& s, const Work& w, const Roots& relu, const Roots& step, float length,
              std::span<float> z) noexcept
{
    const std::size_t m = s.size;
    const std::span<const float> unit(w.unit, s.inputs);
    const std::span<float> phi(w.phi, m), psi(w.psi, m), phi_dot(w.step, m);
    const std::uint64_t base = seed_of(s, Outside::base);
    Status status = s.base == PolyBase::srht
                        ? mix(w, base, unit, phi)
                        : sketch(OsnapSpec{.size = s.size, .nonzeros = 4, .seed = base}, unit, phi, w.scratch);
    if (s.fix_diagonal)
        normalise(w.phi, s.size);
    if (status == Status::ok)
        status = mix(w, seed_of(s, Outside::first_mix), phi, psi);
    for (std::uint32_t l = 0; l < s.depth && status == Status::ok; ++l) {
        status = series(s, w, l, false, step, w.step);
        if (status == Status::ok)
            status = series(s, w, l, true, relu, w.pair + m);
        if (status != Status::ok)
            return status;
        if (s.fix_diagonal)
            normalise(w.pair + m, s.size);
        const TensorSrhtSpec tensor{
            .left = s.size, .right = s.size, .features = s.size, .seed = seed_of(s, l, Part::tensor)};
        status = sketch(tensor, psi, phi_dot, {w.pair, m}, w.scratch);
        if (status == Status::ok)
            status = mix(w, seed_of(s, l, Part::mix), {w.pair, 2 * m}, psi);
        SAMARA_KERNEL(scaled_copy)(w.pair + m, m, 1.0f, w.phi);
    }
    if (status != Status::ok)
        return status;
    RowMap rows = plain_row_map(seed_of(s, Outside::last_rows), s.size, s.features, 0, Rows::hadamard,
                                {rows_hadamard, finish_linear, sample_linear});
    rows.rows = s.features;
    rows.amplitude = length * root_of_inverse(s.features);
    return run(rows, psi, z, 1, w.scratch);
}

} // namespace

Status compute_map(const NtkSketchSpec& s, std::span<const float> x, std::span<float> z, std::size_t samples,
                   std::span<std::byte> work) noexcept
{
    if (const Status status = check_run(s, x, z, samples, work); status != Status::ok)
        return status;
    if (const Status status = check_vector(x); status != Status::ok)
        return status;
    Bump bump(work);
    const std::size_t m = s.size,
                      powers = std::size_t{relu_powers(s) > step_powers(s) ? relu_powers(s) : step_powers(s)} * m;
    Work w{};
    w.unit = bump.take<float>(s.inputs);
    w.phi = bump.take<float>(m);
    w.step = bump.take<float>(m);
    w.psi = bump.take<float>(m);
    w.pair = bump.take<float>(2 * m);
    w.powers = bump.take<float>(powers);
    w.stack = bump.take<float>(power_floats(s) - powers);
    w.scratch = work.last(bump.left());
    const Roots relu = relu_roots(s), step = step_roots(s);
    for (std::size_t k = 0; k < samples; ++k) {
        const std::span<float> out = z.subspan(k * s.features, s.features);
        const float length = unit_vector(x.data() + k * s.inputs, s.inputs, w.unit);
        for (float& v : out)
            v = 0.0f;
        if (length == 0.0f)
            continue;
        if (sample(s, w, relu, step, length, out) != Status::ok) { // a power left the range of floats
            for (float& v : z)
                v = 0.0f;
            return Status::out_of_range;
        }
    }
    return Status::ok;
}

SAMARA_WHOLE_MAP(NtkSketchSpec)

double kernel(const NtkSketchSpec& s, std::span<const float> x, std::span<const float> y) noexcept
{
    return ntk_kernel(x, y, s.depth);
}

} // namespace samara
