// CountSketch and OSNAP. SPEC.md, sections 7.2 and 7.3.
#include <bit>

#include "samara/sketch/hash.hpp"
#include "simd/vectors.hpp"
#include "sketch/inputs.hpp"
#include "sketch/kernels.hpp"

namespace samara {

SAMARA_KERNEL_TABLES(sketch, SAMARA_SKETCH_KERNELS)

namespace {

float with_sign(float value, std::uint32_t sign) noexcept
{
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) ^ sign);
}

// Takes indices in order: the hash of i + 1 is one addition away from that of i.
void add_dense(const EntryHash& hash, std::span<const float> x, float scale, std::span<float> z) noexcept
{
    std::uint64_t state = hash.start();
    for (const float v : x) {
        if (v != 0.0f) { // adding a zero of either sign would change nothing
            const EntryHash::Place p = hash.place(state);
            z[p.at] += with_sign(v * scale, p.sign);
        }
        state += hash.step();
    }
}

void clear(std::span<float> z) noexcept
{
    for (float& v : z)
        v = 0.0f;
}

Status check_entries(std::span<const Entry> entries) noexcept
{
    for (const Entry& e : entries)
        if (const Status status = detail::check_number(e.value); status != Status::ok)
            return status;
    return Status::ok;
}

template <class Sketch>
Status sketch_entries(const Sketch& to, std::span<const Entry> entries, std::span<float> z) noexcept
{
    if (to.size() == 0)
        return Status::bad_spec;
    if (z.size() != to.size())
        return Status::wrong_length;
    if (const Status status = check_entries(entries); status != Status::ok)
        return status;
    clear(z);
    for (const Entry& e : entries)
        static_cast<void>(to.add(e.index, e.value, z));
    return Status::ok;
}

} // namespace

namespace detail {

void count_dense(const EntryHash& hash, std::span<const float> x, std::span<float> z) noexcept
{
    clear(z);
    add_dense(hash, x, 1.0f, z);
}

Status check_output(std::span<float> z) noexcept
{
    if (SAMARA_KERNEL(simd, largest_magnitude_bits)(z.data(), z.size()) < 0x7f800000u)
        return Status::ok;
    clear(z);
    return Status::overflow;
}

void osnap_dense(const Osnap& osnap, std::span<const float> x, std::span<float> z) noexcept
{
    const float scale = osnap_scale(osnap.nonzeros());
    clear(z);
    for (std::uint32_t k = 0; k < osnap.nonzeros(); ++k)
        add_dense(osnap.hash(k), x, scale, z);
}

} // namespace detail

Status CountSketch::add(std::uint32_t index, float value, std::span<float> z) const noexcept
{
    if (size_ == 0)
        return Status::bad_spec;
    if (z.size() != size_)
        return Status::wrong_length;
    if (const Status status = detail::check_number(value); status != Status::ok)
        return status;
    const EntryHash::Place p = hash_(index);
    z[p.at] += with_sign(value, p.sign);
    return Status::ok;
}

Status Osnap::add(std::uint32_t index, float value, std::span<float> z) const noexcept
{
    if (size_ == 0)
        return Status::bad_spec;
    if (z.size() != size_)
        return Status::wrong_length;
    if (const Status status = detail::check_number(value); status != Status::ok)
        return status;
    const float scaled = value * detail::osnap_scale(nonzeros_);
    for (std::uint32_t k = 0; k < nonzeros_; ++k) {
        const EntryHash::Place p = hash_[k](index);
        z[p.at] += with_sign(scaled, p.sign);
    }
    return Status::ok;
}

Status sketch(const CountSketchSpec& s, std::span<const float> x, std::span<float> z, std::span<std::byte>) noexcept
{
    if (!check(s))
        return Status::bad_spec;
    if (z.size() != s.size)
        return Status::wrong_length;
    if (const Status status = detail::check_vector(x); status != Status::ok)
        return status;
    detail::count_dense(CountSketch(s).hash(), x, z);
    return Status::ok;
}

Status sketch(const CountSketchSpec& s, std::span<const Entry> entries, std::span<float> z) noexcept
{
    return sketch_entries(CountSketch(s), entries, z);
}

Status sketch(const OsnapSpec& s, std::span<const float> x, std::span<float> z, std::span<std::byte>) noexcept
{
    if (!check(s))
        return Status::bad_spec;
    if (z.size() != s.size)
        return Status::wrong_length;
    if (const Status status = detail::check_vector(x); status != Status::ok)
        return status;
    detail::osnap_dense(Osnap(s), x, z);
    return Status::ok;
}

Status sketch(const OsnapSpec& s, std::span<const Entry> entries, std::span<float> z) noexcept
{
    return sketch_entries(Osnap(s), entries, z);
}

Status add_sketch(std::span<float> into, std::span<const float> other) noexcept
{
    if (into.size() != other.size())
        return Status::wrong_length;
    for (std::size_t i = 0; i < into.size(); ++i)
        into[i] += other[i];
    return Status::ok;
}

Status subtract_sketch(std::span<float> into, std::span<const float> other) noexcept
{
    if (into.size() != other.size())
        return Status::wrong_length;
    for (std::size_t i = 0; i < into.size(); ++i)
        into[i] -= other[i];
    return Status::ok;
}

} // namespace samara
