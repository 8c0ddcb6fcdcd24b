// How maps of rows make features. See samara/map/engine/rows.hpp.
#include "map/engine/kernels.hpp"
#include "map/engine/values.hpp"
#include "project/kernels.hpp"
#include "samara/map/engine/rows.hpp"
#include "simd/vectors.hpp"

namespace samara {

SAMARA_KERNEL_TABLES(map, SAMARA_MAP_KERNELS)

namespace engine {

namespace {

RowBlock row_block(const RowMap& map, std::uint32_t index, float* work) noexcept
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
    b.work = work;
    return b;
}

// Makes features of the projections of one sample with `rows` rows of block `index`. They lie at the beginning of out.
void finish_sample(const RowMap& map, std::uint32_t rows, std::uint32_t index, const SamplePlan& plan,
                   float* out) noexcept
{
    if (plan.zero) {
        for (std::uint32_t i = 0; i < rows * map.per_row; ++i)
            out[i] = 0.0f;
        return;
    }
    map.code.finish({.t = out,
                     .out = out,
                     .rows = rows,
                     .amplitude = plan.amplitude,
                     .centre = plan.centre,
                     .seed = map.seed,
                     .index = index,
                     .series = map.series,
                     .square = plan.square});
}

// The products of a sample with the rows of a block, or of several whole blocks. For the vector 0 they are not needed:
// finish_sample() makes its features.
void project(const RowSample& s, RowBlock& b, void (*make_rows)(const RowBlock&) noexcept, float* out) noexcept
{
    if (s.plan.zero)
        return;
    b.factor = s.plan.factor;
    b.x = s.x;
    if (s.plan.factor != 1.0f && s.map.scaled_copy) {
        SAMARA_KERNEL(simd, scaled_copy)(s.x, s.map.inputs, s.plan.factor, s.scaled);
        b.x = s.scaled;
    }
    b.samples = 1;
    b.out = out;
    b.out_stride = s.map.features;
    make_rows(b);
}

void sample_blocks(const RowSample& s, RowBlock& b, float* out) noexcept
{
    project(s, b, s.map.code.rows, out);
    for (std::uint32_t i = 0; i < b.blocks; ++i, out += b.out_block)
        finish_sample(s.map, b.rows, b.index + i, s.plan, out);
}

void clear_left_over(const RowMap& map, float* z) noexcept
{
    for (std::uint32_t i = map.exact + map.rows * map.per_row; i < map.features; ++i)
        z[i] = 0.0f;
}

// Places a sample's scaled copy and, behind it, the memory of its rows in the workspace.
void take_buffers(RowSample& s, std::span<std::byte> work) noexcept
{
    s.scaled = reinterpret_cast<float*>(work.data());
    s.row_work = s.scaled + (s.map.scaled_copy ? s.map.inputs : 0);
}

std::size_t work_floats(const RowMap& map, std::size_t row_floats) noexcept
{
    const std::size_t floats = row_floats + (map.scaled_copy ? map.inputs : 0);
    return floats > map.code.exact_floats ? floats : map.code.exact_floats;
}

bool aligned(std::span<std::byte> work) noexcept { return (reinterpret_cast<std::uintptr_t>(work.data()) & 3u) == 0; }

} // namespace

Status begin(RowSample& sample, std::span<const float> x, std::span<std::byte> work) noexcept
{
    const RowMap& map = sample.map;
    if (x.size() != map.inputs)
        return Status::wrong_length;
    if (!aligned(work))
        return Status::misaligned;
    if (work.size() < sizeof(float) * work_floats(map, map.sample_floats))
        return Status::small_workspace;
    const std::uint32_t largest = SAMARA_KERNEL(simd, largest_magnitude_bits)(x.data(), x.size());
    if (const Status status = check_magnitude(largest); status != Status::ok)
        return status;
    sample.x = x.data();
    take_buffers(sample, work);
    map.code.plan(map, sample.x, largest, sample.plan);
    return Status::ok;
}

void all_blocks(const RowSample& s, float* z) noexcept
{
    const RowMap& map = s.map;
    if (map.exact != 0)
        map.code.exact(map, s.x, s.plan, z, s.scaled);
    const std::uint32_t whole = map.rows / map.per_block, blocks = (map.rows + map.per_block - 1) / map.per_block;
    for (std::uint32_t i = 0; i < blocks;) {
        RowBlock b = row_block(map, i, s.row_work);
        const std::uint32_t left = i < whole ? whole - i : 1; // 1 for a last short one
        b.blocks = left < map.blocks_together ? left : map.blocks_together;
        sample_blocks(s, b, z + map.exact + std::size_t{i} * map.per_block * map.per_row);
        i += b.blocks;
    }
    clear_left_over(map, z);
}

void block(const RowSample& s, std::uint32_t k, float* z) noexcept
{
    const RowMap& map = s.map;
    if (map.exact != 0 && k == 0)
        return map.code.exact(map, s.x, s.plan, z, s.scaled);
    RowBlock b = row_block(map, map.exact != 0 ? k - 1 : k, s.row_work);
    sample_blocks(s, b, z);
    if (b.first_row + b.rows == map.rows && map.exact + map.rows * map.per_row < map.features)
        z[std::size_t{b.rows} * map.per_row] = 0.0f; // pairs leave at most one feature over
}

void chosen_block(const RowSample& s, const ChosenRows& chosen, std::uint32_t k, std::uint32_t count, float* z) noexcept
{
    const RowMap& map = s.map;
    if (map.exact != 0 && k == 0)
        return map.code.exact(map, s.x, s.plan, z, s.scaled);
    if (count == 0)
        return;
    const std::uint32_t index = map.exact != 0 ? k - 1 : k, kept = count / map.per_row;
    RowBlock b = row_block(map, index, s.row_work);
    const std::uint32_t first = chosen.position_of(b.first_row);
    if (map.code.kept_rows != nullptr) {
        b.kept = chosen.listed_from(first);
        b.rows = kept;
        project(s, b, map.code.kept_rows, z);
        return finish_sample(map, kept, index, s.plan, z);
    }
    // These rows can be made only as a whole block; then those that are kept move to its front. A feature that depends
    // on its row's position in the block is finished before it moves, any other one after that.
    if (map.by_position)
        sample_blocks(s, b, z);
    else
        project(s, b, map.code.rows, z);
    if (!s.plan.zero)
        chosen.move_to_front(first, kept, map.per_block - 1, z);
    if (!map.by_position)
        finish_sample(map, kept, index, s.plan, z);
}

Status batch(const RowMap& map, std::span<const float> x, std::span<float> z, std::size_t samples,
             std::span<std::byte> work) noexcept
{
    if (const Status status = check_call(map.inputs, map.features, sizeof(float) * work_floats(map, map.row_floats), x,
                                         z.size(), samples, work);
        status != Status::ok)
        return status;
    RowSample s{map, {}, nullptr, nullptr, nullptr};
    take_buffers(s, work);
    const auto plan = [&](std::size_t k) {
        s.x = x.data() + k * map.inputs;
        map.code.plan(map, s.x, SAMARA_KERNEL(simd, largest_magnitude_bits)(s.x, map.inputs), s.plan);
    };
    bool together = true; // no sample needs a scaled copy: the rows read all of them where they lie
    for (std::size_t k = 0; k < samples; ++k) {
        float* out = z.data() + k * map.features;
        plan(k);
        if (map.exact != 0)
            map.code.exact(map, s.x, s.plan, out, s.scaled);
        together = together && s.plan.factor == 1.0f && !s.plan.zero;
        clear_left_over(map, out);
    }
    const std::uint32_t blocks = (map.rows + map.per_block - 1) / map.per_block;
    for (std::uint32_t i = 0; i < blocks; ++i) {
        RowBlock b = row_block(map, i, s.row_work);
        float* const out = z.data() + map.exact + std::size_t{i} * map.per_block * map.per_row;
        if (together) {
            b.samples = samples;
            b.x = x.data();
            b.out = out;
            b.out_stride = map.features;
            map.code.rows(b);
        }
        for (std::size_t k = 0; k < samples; ++k) {
            plan(k);
            if (together)
                finish_sample(map, b.rows, b.index, s.plan, out + k * map.features);
            else
                sample_blocks(s, b, out + k * map.features);
        }
    }
    return Status::ok;
}

Status check_values(std::span<const float> x) noexcept
{
    return check_magnitude(SAMARA_KERNEL(simd, largest_magnitude_bits)(x.data(), x.size()));
}

Status check_call(std::uint32_t inputs, std::uint32_t features, std::size_t bytes, std::span<const float> x,
                  std::size_t outputs, std::size_t samples, std::span<std::byte> work) noexcept
{
    if (x.size() / inputs != samples || x.size() % inputs != 0 || outputs / features != samples ||
        outputs % features != 0)
        return Status::wrong_length;
    if (!aligned(work))
        return Status::misaligned;
    if (work.size() < bytes)
        return Status::small_workspace;
    return check_values(x); // all samples are checked before anything is written
}

void hadamard_rows(const RowBlock& b) noexcept { SAMARA_KERNEL(project, hadamard_rows)(b); }
void hadamard_kept_rows(const RowBlock& b) noexcept { SAMARA_KERNEL(project, hadamard_kept_rows)(b); }
void fastfood_rows(const RowBlock& b) noexcept { SAMARA_KERNEL(project, fastfood_rows)(b); }
void dense_normal_rows(const RowBlock& b) noexcept { SAMARA_KERNEL(project, dense_normal_rows)(b); }
void dense_cauchy_rows(const RowBlock& b) noexcept { SAMARA_KERNEL(project, dense_cauchy_rows)(b); }
void dense_laplace_rows(const RowBlock& b) noexcept { SAMARA_KERNEL(project, dense_laplace_rows)(b); }
void quasi_normal_rows(const RowBlock& b) noexcept { SAMARA_KERNEL(project, quasi_normal_rows)(b); }
void quasi_cauchy_rows(const RowBlock& b) noexcept { SAMARA_KERNEL(project, quasi_cauchy_rows)(b); }
void quasi_laplace_rows(const RowBlock& b) noexcept { SAMARA_KERNEL(project, quasi_laplace_rows)(b); }
void unit_rows(const RowBlock& b) noexcept { SAMARA_KERNEL(project, unit_rows)(b); }
void gibbs_rows(const RowBlock& b) noexcept { SAMARA_KERNEL(project, gibbs_rows)(b); }
void integer_hadamard_rows(const RowBlock& b) noexcept { SAMARA_KERNEL(project, integer_hadamard_rows)(b); }
void integer_angle_rows(const RowBlock& b) noexcept { SAMARA_KERNEL(project, integer_angle_rows)(b); }

void finish_pair(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_pair)(f); }
void finish_pair_centred(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_pair_centred)(f); }
void finish_phase(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_phase)(f); }
void finish_relu(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_relu)(f); }
void finish_absolute(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_absolute)(f); }
void finish_absolute_tail(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_absolute_tail)(f); }
void finish_integer_relu(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_integer_relu)(f); }
void finish_integer_absolute(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_integer_absolute)(f); }
void finish_step(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_step)(f); }
void finish_sign(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_sign)(f); }
void finish_series(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_series)(f); }
void finish_series_tail(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_series_tail)(f); }
void finish_series_rest(const FinishArgs& f) noexcept { SAMARA_KERNEL(map, finish_series_rest)(f); }

} // namespace engine

} // namespace samara
