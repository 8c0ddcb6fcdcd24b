// Images as the source's classifiers see them (arXiv 1703.07872, section 6): 24 x 24 pixels of a larger one, at random
// places, perhaps mirrored, of another brightness, contrast and saturation, whitened; then patch after patch by its
// principal components.
#pragma once

#include <cstdint>
#include <vector>

#include "ports/host/data/matrix.hpp"

namespace samara::examples {

inline constexpr std::size_t image_side = 32, crop_side = 24, image_channels = 3,
                             crop_size = crop_side * crop_side * image_channels;

// 32 x 32 x 3 bytes to a whitened crop. With a seed of 0 it is the middle, as it is.
void crop(const float* image, std::uint64_t seed, float* out);

// Patches with a stride of 2 that become their first components, of variance 1 all together.
class PatchComponents {
public:
    // Learned from crops, a row each.
    PatchComponents(const desk::MatrixF& crops, std::size_t patch, std::size_t components);

    std::size_t places() const { return (crop_side - patch_) / 2 + 1; } // in a row, and rows of them
    std::size_t columns() const { return places() * places() * components_; }
    void project(const float* crop, float* out) const;

private:
    void read(const float* crop, std::size_t top, std::size_t left, float* values) const;

    std::size_t patch_, components_;
    std::vector<float> mean_;
    desk::MatrixF directions_; // a row each
};

} // namespace samara::examples
