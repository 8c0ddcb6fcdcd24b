#include "examples/skeletons/augment.hpp"

#include <algorithm>
#include <cmath>

#include "ports/host/training/blas.hpp"
#include "samara/stream.hpp"

namespace samara::examples {

namespace {

// From -1 to 1.
float uniform(Xoshiro& words) { return static_cast<float>(words.word() >> 8) * 0x1p-23f - 1.0f; }

} // namespace

void crop(const float* image, std::uint64_t seed, float* out)
{
    constexpr std::size_t room = image_side - crop_side;
    std::size_t top = room / 2, left = room / 2;
    bool mirrored = false;
    float brightness = 0.0f, contrast = 1.0f, saturation = 1.0f;
    if (seed != 0) {
        Xoshiro words(stream_key(seed, Domain::user, 0));
        top = words.word() % (room + 1);
        left = words.word() % (room + 1);
        mirrored = words.word() >> 31 != 0;
        brightness = 63.0f * uniform(words);
        contrast = 1.0f + 0.4f * uniform(words);
        saturation = 1.0f + 0.4f * uniform(words);
    }
    for (std::size_t row = 0; row < crop_side; ++row)
        for (std::size_t column = 0; column < crop_side; ++column) {
            const std::size_t from = mirrored ? crop_side - 1 - column : column;
            const float* const pixel = image + ((top + row) * image_side + left + from) * image_channels;
            const float grey = (pixel[0] + pixel[1] + pixel[2]) / 3.0f;
            for (std::size_t k = 0; k < image_channels; ++k)
                *out++ = brightness + contrast * (grey + saturation * (pixel[k] - grey));
        }
    out -= crop_size;
    // Whitened: mean 0 and variance 1 over the image, as long as it varies.
    double sum = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < crop_size; ++i) {
        sum += static_cast<double>(out[i]);
        squares += static_cast<double>(out[i]) * static_cast<double>(out[i]);
    }
    const auto count = static_cast<double>(crop_size);
    const double mean = sum / count, spread = std::sqrt(std::max(0.0, squares / count - mean * mean));
    const double factor = 1.0 / std::max(spread, 1.0 / std::sqrt(count));
    for (std::size_t i = 0; i < crop_size; ++i)
        out[i] = static_cast<float>((static_cast<double>(out[i]) - mean) * factor);
}

void PatchComponents::read(const float* crop, std::size_t top, std::size_t left, float* values) const
{
    for (std::size_t row = 0; row < patch_; ++row)
        values = std::copy_n(crop + ((2 * top + row) * crop_side + 2 * left) * image_channels, patch_ * image_channels,
                             values);
}

PatchComponents::PatchComponents(const desk::MatrixF& crops, std::size_t patch, std::size_t components)
    : patch_(patch), components_(components)
{
    const std::size_t size = patch * patch * image_channels;
    std::vector<float> values(size);
    std::vector<double> sum(size);
    desk::MatrixD products(size, size);
    double count = 0.0;
    for (std::size_t i = 0; i < crops.rows; ++i)
        for (std::size_t place = 0; place < places() * places(); ++place) {
            read(crops.row(i), place / places(), place % places(), values.data());
            count += 1.0;
            for (std::size_t a = 0; a < size; ++a) {
                sum[a] += static_cast<double>(values[a]);
                for (std::size_t b = a; b < size; ++b)
                    products.row(a)[b] += static_cast<double>(values[a]) * static_cast<double>(values[b]);
            }
        }
    for (std::size_t a = 0; a < size; ++a) {
        mean_.push_back(static_cast<float>(sum[a] / count));
        for (std::size_t b = a; b < size; ++b)
            products.row(a)[b] = products.row(a)[b] / count - sum[a] * sum[b] / (count * count);
    }
    const std::vector<double> variances = desk::eigenvectors(products);
    double all = 0.0;
    for (std::size_t k = 0; k < components; ++k)
        all += variances[size - 1 - k];
    const double factor = std::sqrt(static_cast<double>(components) / all);
    directions_ = desk::MatrixF(components, size);
    for (std::size_t k = 0; k < components; ++k)
        for (std::size_t a = 0; a < size; ++a)
            directions_.row(k)[a] = static_cast<float>(factor * products.row(size - 1 - k)[a]);
}

void PatchComponents::project(const float* crop, float* out) const
{
    std::vector<float> values(mean_.size());
    for (std::size_t place = 0; place < places() * places(); ++place) {
        read(crop, place / places(), place % places(), values.data());
        for (std::size_t k = 0; k < components_; ++k) {
            float value = 0.0f;
            for (std::size_t a = 0; a < values.size(); ++a)
                value += directions_.row(k)[a] * (values[a] - mean_[a]);
            *out++ = value;
        }
    }
}

} // namespace samara::examples
