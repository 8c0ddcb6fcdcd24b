#include "map/engine/row_map.hpp"
#include "samara/map_arccos.hpp"
#include "samara/map_ntk_poly.hpp"

#include "map/engine/kernels.hpp"
#include "project/kernels.hpp"
#include "simd/vectors.hpp"

namespace samara {

SAMARA_KERNEL_TABLES(map, SAMARA_MAP_KERNELS)

namespace detail {

namespace {

constexpr std::uint32_t infinity_bits = 0x7f800000u, largest_bits = 0x53800000u; // 2^40

Status check_sample(const float* x, std::uint32_t inputs, std::uint32_t& largest) noexcept
{
    largest = SAMARA_KERNEL(simd, largest_magnitude_bits)(x, inputs);
    if (largest >= infinity_bits)
        return Status::not_finite;
    return largest > largest_bits ? Status::out_of_range : Status::ok;
}

struct Work {
    float* rows;
    float* copy;
};

Status check_work(const RowMap& map, std::size_t row_floats, std::span<std::byte> work, Work& out) noexcept
{
    if ((reinterpret_cast<std::uintptr_t>(work.data()) & 3u) != 0)
        return Status::misaligned;
    const std::size_t copy = map.scaled_copy ? map.inputs : 0, floats = row_floats + copy;
    if (work.size() < sizeof(float) * (floats > map.code.exact_floats ? floats : map.code.exact_floats))
        return Status::small_workspace;
    out.copy = reinterpret_cast<float*>(work.data());
    out.rows = out.copy + copy;
    return Status::ok;
}

RowBlock row_block(const RowMap& map, std::uint32_t index, const Work& work) noexcept
{
    RowBlock b{};
    b.seed = map.seed;
    b.inputs = map.inputs;
    b.index = index;
    b.first_row = index * map.per_block;
    const std::uint32_t left = map.rows - b.first_row;
    b.rows = left < map.per_block ? left : map.per_block;
    b.scale = map.scale;
    b.factor = 1.0f;
    b.sweeps = map.sweeps;
    b.blocks = 1;
    b.out_block = std::size_t{map.per_block} * map.per_row;
    b.x_stride = map.inputs;
    b.work = work.rows;
    return b;
}

void finish_sample(const RowMap& map, const RowBlock& b, std::uint32_t index, const SamplePlan& plan,
                   float* out) noexcept
{
    if (plan.zero) {
        for (std::uint32_t i = 0; i < b.rows * map.per_row; ++i)
            out[i] = 0.0f;
        return;
    }
    map.code.finish({out, out, b.rows, plan.amplitude, plan.centre, map.seed, index, map.series, plan.square});
}

// A row block of one sample, or several full ones; `out` gets rows * per_row features each.
void project_sample(const RowMap& map, RowBlock& b, const float* x, const SamplePlan& plan, const Work& work,
                    float* out) noexcept
{
    if (plan.zero)
        return;
    b.factor = plan.factor;
    if (plan.factor != 1.0f && map.scaled_copy) {
        SAMARA_KERNEL(simd, scaled_copy)(x, map.inputs, plan.factor, work.copy);
        x = work.copy;
    }
    b.samples = 1;
    b.x = x;
    b.out = out;
    b.out_stride = map.features;
    map.code.rows(b);
}

void sample_block(const RowMap& map, RowBlock& b, const float* x, const SamplePlan& plan, const Work& work,
                  float* out) noexcept
{
    project_sample(map, b, x, plan, work, out);
    for (std::uint32_t i = 0; i < b.blocks; ++i, out += b.out_block)
        finish_sample(map, b, b.index + i, plan, out);
}

void clear_left_over(const RowMap& map, float* z) noexcept
{
    for (std::uint32_t i = map.exact + map.rows * map.per_row; i < map.features; ++i)
        z[i] = 0.0f;
}

} // namespace

RowMap plain_row_map(std::uint64_t seed, std::uint32_t inputs, std::uint32_t features, std::uint32_t exact, Rows rows,
                     const MapCode& code) noexcept
{
    RowMap map{};
    map.seed = seed;
    map.inputs = inputs;
    map.features = features;
    map.exact = exact;
    map.per_block = block_rows(rows, inputs);
    map.blocks_together = rows == Rows::hadamard ? 8 : 1;
    map.per_row = 1;
    map.scale = 1.0f;
    map.row_floats = rows_workspace_floats(rows, inputs);
    map.sample_floats = sample_workspace_floats(rows, inputs);
    map.code = code;
    return map;
}

Status run(const RowMap& map, std::span<const float> x, std::span<float> z, std::size_t samples,
           std::span<std::byte> bytes) noexcept
{
    if (x.size() / map.inputs != samples || x.size() % map.inputs != 0 || z.size() / map.features != samples ||
        z.size() % map.features != 0)
        return Status::wrong_length;
    Work work{};
    if (const Status status = check_work(map, map.row_floats, bytes, work); status != Status::ok)
        return status;
    std::uint32_t largest = 0;
    for (std::size_t k = 0; k < samples; ++k)
        if (const Status status = check_sample(x.data() + k * map.inputs, map.inputs, largest); status != Status::ok)
            return status;

    const std::uint32_t blocks = (map.rows + map.per_block - 1) / map.per_block;
    const auto block_at = [&](std::uint32_t index, std::size_t k) {
        return z.data() + k * map.features + map.exact + std::size_t{index} * map.per_block * map.per_row;
    };
    if (samples == 1) {
        SamplePlan plan{};
        map.code.sample(map, x.data(), largest, plan, map.exact != 0 ? z.data() : nullptr, work.copy);
        for (std::uint32_t i = 0; i < blocks;) {
            RowBlock b = row_block(map, i, work);
            const std::uint32_t full = map.rows / map.per_block - i; // 0 for a last short one
            b.blocks = full < map.blocks_together ? (full == 0 ? 1 : full) : map.blocks_together;
            sample_block(map, b, x.data(), plan, work, block_at(i, 0));
            i += b.blocks;
        }
        clear_left_over(map, z.data());
        return Status::ok;
    }

    bool together = true; // whether the rows may read all samples where they are
    const auto plan_of = [&](std::size_t k, float* exact) {
        const float* sample = x.data() + k * map.inputs;
        SamplePlan plan{};
        map.code.sample(map, sample, SAMARA_KERNEL(simd, largest_magnitude_bits)(sample, map.inputs), plan, exact,
                        work.copy);
        return plan;
    };
    for (std::size_t k = 0; k < samples; ++k) {
        float* out = z.data() + k * map.features;
        const SamplePlan plan = plan_of(k, map.exact != 0 ? out : nullptr);
        together = together && plan.factor == 1.0f && !plan.zero;
        clear_left_over(map, out);
    }
    for (std::uint32_t i = 0; i < blocks; ++i) {
        RowBlock b = row_block(map, i, work);
        if (together) {
            b.samples = samples;
            b.x = x.data();
            b.out = block_at(i, 0);
            b.out_stride = map.features;
            map.code.rows(b);
        }
        for (std::size_t k = 0; k < samples; ++k) {
            const SamplePlan plan = plan_of(k, nullptr);
            if (together)
                finish_sample(map, b, b.index, plan, block_at(i, k));
            else
                sample_block(map, b, x.data() + k * map.inputs, plan, work, block_at(i, k));
        }
    }
    return Status::ok;
}

namespace {

// The kept rows of a block, the features of kept rows at `out`, which has room for the whole block's.
std::uint32_t chosen_block(const RowMap& map, const ChosenRows& chosen, std::uint32_t index, const float* x,
                           const SamplePlan& plan, const Work& work, float* out) noexcept
{
    RowBlock b = row_block(map, index, work);
    const std::uint32_t first = chosen.position_of(b.first_row), end = chosen.position_of(b.first_row + map.per_block);
    const std::uint32_t kept = end > first ? end - first : 0;
    if (kept == 0)
        return 0;
    const auto pick = [&] {
        for (std::uint32_t i = 0; i < kept; ++i)
            out[i] = out[chosen.row(first + i) & (map.per_block - 1)];
    };
    if (plan.zero || map.by_position) {
        sample_block(map, b, x, plan, work, out);
        pick();
        return kept * map.per_row;
    }
    if (map.rows_apart) {
        b.kept = chosen.bytes() + 2 * std::size_t{first};
        b.rows = kept;
    }
    project_sample(map, b, x, plan, work, out);
    if (!map.rows_apart)
        pick();
    b.rows = kept;
    finish_sample(map, b, index, plan, out);
    return kept * map.per_row;
}

Status plan_sample(const RowMap& map, const float* x, std::span<std::byte> bytes, Work& work, SamplePlan& plan,
                   float* exact) noexcept
{
    if (const Status status = check_work(map, map.sample_floats, bytes, work); status != Status::ok)
        return status;
    std::uint32_t largest = 0;
    if (const Status status = check_sample(x, map.inputs, largest); status != Status::ok)
        return status;
    map.code.sample(map, x, largest, plan, exact, work.copy);
    return Status::ok;
}

} // namespace

Status run_chosen(const RowMap& map, const ChosenRows& chosen, std::span<const float> x, std::span<float> z,
                  std::span<std::byte> bytes) noexcept
{
    Work work{};
    SamplePlan plan{};
    const bool writing = !z.empty();
    if (const Status status =
            plan_sample(map, x.data(), bytes, work, plan, writing && map.exact != 0 ? z.data() : nullptr);
        status != Status::ok || !writing)
        return status;
    float* made = work.rows + map.row_floats;
    float* out = z.data() + map.exact;
    for (std::uint32_t index = 0; index * map.per_block < map.rows; ++index) {
        const std::uint32_t count = chosen_block(map, chosen, index, x.data(), plan, work, made);
        for (std::uint32_t i = 0; i < count; ++i)
            out[i] = made[i];
        out += count;
    }
    return Status::ok;
}

namespace {

// make(index, plan, work) for block `index` of the rows, unless block k is that of the exact features.
template <class Make>
Status plan_block(const RowMap& map, std::uint32_t k, const float* x, float* z, std::span<std::byte> bytes,
                  Make make) noexcept
{
    Work work{};
    SamplePlan plan{};
    const bool exact = map.exact != 0 && k == 0;
    const Status status = plan_sample(map, x, bytes, work, plan, exact ? z : nullptr);
    if (status == Status::ok && !exact)
        make(map.exact != 0 ? k - 1 : k, plan, work);
    return status;
}

} // namespace

Status run_block(const RowMap& map, std::uint32_t k, std::span<const float> x, float* z,
                 std::span<std::byte> bytes) noexcept
{
    return plan_block(map, k, x.data(), z, bytes, [&](std::uint32_t index, const SamplePlan& plan, const Work& work) {
        RowBlock b = row_block(map, index, work);
        sample_block(map, b, x.data(), plan, work, z);
        if (b.first_row + b.rows == map.rows && map.exact + map.rows * map.per_row < map.features)
            z[std::size_t{b.rows} * map.per_row] = 0.0f; // what pairs leave over
    });
}

Status run_chosen_block(const RowMap& map, const ChosenRows& chosen, std::uint32_t k, std::span<const float> x,
                        float* z, std::span<std::byte> bytes) noexcept
{
    return plan_block(map, k, x.data(), z, bytes, [&](std::uint32_t index, const SamplePlan& plan, const Work& work) {
        chosen_block(map, chosen, index, x.data(), plan, work, z);
    });
}

void rows_hadamard(const RowBlock& b) noexcept { SAMARA_KERNEL(project, hadamard_rows)(b); }
void rows_fastfood(const RowBlock& b) noexcept { SAMARA_KERNEL(project, fastfood_rows)(b); }
void rows_dense_normal(const RowBlock& b) noexcept { SAMARA_KERNEL(project, dense_normal_rows)(b); }
void rows_dense_cauchy(const RowBlock& b) noexcept { SAMARA_KERNEL(project, dense_cauchy_rows)(b); }
void rows_dense_laplace(const RowBlock& b) noexcept { SAMARA_KERNEL(project, dense_laplace_rows)(b); }
void rows_quasi_normal(const RowBlock& b) noexcept { SAMARA_KERNEL(project, quasi_normal_rows)(b); }
void rows_quasi_cauchy(const RowBlock& b) noexcept { SAMARA_KERNEL(project, quasi_cauchy_rows)(b); }
void rows_quasi_laplace(const RowBlock& b) noexcept { SAMARA_KERNEL(project, quasi_laplace_rows)(b); }
void rows_unit(const RowBlock& b) noexcept { SAMARA_KERNEL(project, unit_rows)(b); }
void rows_gibbs(const RowBlock& b) noexcept { SAMARA_KERNEL(project, gibbs_rows)(b); }

void finish_pair(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_pair)(f); }
void finish_pair_centred(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_pair_centred)(f); }
void finish_phase(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_phase)(f); }
void finish_relu(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_relu)(f); }
void finish_absolute(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_absolute)(f); }
void finish_absolute_tail(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_absolute_tail)(f); }
void finish_step(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_step)(f); }
void finish_sign(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_sign)(f); }
void finish_series(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_series)(f); }
void finish_series_tail(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_series_tail)(f); }
void finish_series_rest(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_series_rest)(f); }

} // namespace detail

} // namespace samara
