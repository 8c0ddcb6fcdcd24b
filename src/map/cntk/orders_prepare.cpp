// The workspace of a run with exact orders. SPEC.md, section 28.2.
#include "map/cntk/orders_prepare.hpp"
#include "simd/scalar_math.hpp"

namespace samara::engine {

namespace {

using SAMARA_ARCH::sqrt_scalar;

void take_rings(Preparation& to) noexcept
{
    const CntkPlan& p = to.r.plan;
    for (std::uint32_t h = 1; h < p.shape.depth; ++h)
        to.r.layers[h].ring = to.floats(std::size_t{to.r.window.high()} * p.shape.width * cntk_record(p, h));
}

void take_vectors(Preparation& to) noexcept
{
    OrdersRun& r = to.r;
    const CntkPlan& p = r.plan;
    const CntkShape& s = p.shape;
    r.folded = to.floats(p.longest_fold());
    r.rest_exact = to.floats(p.mixed(s.depth));
    r.left_exact = to.floats(p.mixed(s.depth));
    r.y = to.floats(p.inner);
    r.left = to.floats(p.inner);
    const std::size_t group = std::size_t{s.width < cntk_group ? s.width : cntk_group} * p.random;
    r.tau = to.floats(group);
    r.omega = s.depth > 2 ? to.floats(group) : nullptr;
    r.sums = to.floats(std::size_t{s.cells_wide} * cntk_sums(p));
}

} // namespace

CellSums sums_of(const OrdersRun& r, std::uint32_t cell) noexcept
{
    const CntkPlan& p = r.plan;
    CellSums at{};
    at.random = r.sums + cell * cntk_sums(p);
    at.folded = at.random + p.padded_outputs();
    at.windows = at.folded + p.random;
    at.raw = at.windows + 3 * std::size_t{p.window};
    at.constants = at.raw + 3 * std::size_t{p.raw(p.shape.depth)};
    return at;
}

void prepare_orders(OrdersRun& r, const CntkSpec& s, std::span<std::byte> work) noexcept
{
    r.plan = cntk_plan(s);
    r.window = cntk_reach(r.plan.shape, 1);
    const auto patch = static_cast<float>(s.patch);
    r.window_root = 1.0f / sqrt_scalar(static_cast<float>(r.plan.window));
    r.over_patch = sqrt_scalar(0.5f) / patch;
    r.square_over_patch = 1.0f / (patch * patch);
    r.pi_over_patch = sqrt_scalar(inverse_pi) / patch;
    Preparation to{r, Bump(work)};
    // What loops over packs read comes first, in pieces of whole packs, so that the processor finds each within a line
    // of its cache.
    const auto over = reinterpret_cast<std::uintptr_t>(to.floats(0)) / sizeof(float) % cntk_line;
    to.floats(over != 0 ? cntk_line - over : 0);
    take_vectors(to);
    prepare_normals(to);
    prepare_filters(to);
    take_rings(to);
    prepare_signs(to);
    prepare_ways(to);
    prepare_directions(r);
}

} // namespace samara::engine
