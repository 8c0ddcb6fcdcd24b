// Algorithm 2 of arXiv 2104.01351, lines 2 to 11: rows from the density |v|^2 N(v) / d by a Gibbs sampler started at
// N(0, I). The conditional of one coordinate given z, the others' sum of squares, is sampled as the mixture that it is:
// z / (1 + z) N(0, 1) + 1 / (1 + z) (a random sign times chi with 3 degrees of freedom). Rows are brought to length
// sqrt(d), eq. (16). With few sweeps the rows are not isotropic (10 % in d = 2 with one sweep, 1.6 / d^2 beyond); rows
// of kind unit are the exact sampler. One row at a time: the sweeps are sequential, and the row is kept.
#include "project/kernels.hpp"
#include "simd/vectors.hpp"
#include "stream/lanes.hpp"

namespace samara::SAMARA_ARCH {

void gibbs_rows(const RowBlock& b)
{
    float* v = b.work;
    const auto draw = [](Xoshiro& words, float& first, float& second) {
        float lanes[2][F::size];
        const NormalPair z = normals(broadcast(words.word()));
        store(lanes[0], z.first);
        store(lanes[1], z.second);
        first = lanes[0][0];
        second = lanes[1][0];
    };
    const float root = sqrt_scalar(static_cast<float>(b.inputs));
    for (std::uint32_t r = 0; r < b.rows; ++r) {
        Xoshiro words(stream_key(b.seed, Domain::gibbs_rows, row_number(b, r)));
        float squares = 0.0f, unused;
        for (std::uint32_t j = 0; j < b.inputs; j += 2) {
            draw(words, v[j], j + 1 < b.inputs ? v[j + 1] : unused);
            squares = fma_scalar(v[j], v[j], squares);
            if (j + 1 < b.inputs)
                squares = fma_scalar(v[j + 1], v[j + 1], squares);
        }
        for (std::uint32_t sweep = 0; sweep < b.sweeps; ++sweep) {
            float sum = 0.0f; // of the new coordinates so far; the old ones' sum is reduced step by step
            for (std::uint32_t j = 0; j < b.inputs; ++j) {
                squares = fma_scalar(-v[j], v[j], squares);
                squares = squares > 0.0f ? squares : 0.0f;
                const float z = squares + sum;
                const std::uint32_t choice = words.word();
                float normal, n1, n2, n3;
                draw(words, normal, n1);
                draw(words, n2, n3);
                const float u = static_cast<float>((choice >> 8) | 1u) * 0x1p-24f;
                float chi = sqrt_scalar(fma_scalar(n3, n3, fma_scalar(n2, n2, n1 * n1)));
                chi = (choice & 1u) != 0 ? -chi : chi;
                v[j] = u * (1.0f + z) < z ? normal : chi;
                sum = fma_scalar(v[j], v[j], sum);
            }
            squares = sum;
        }
        const float scale = b.scale * (root / sqrt_scalar(sum_of_squares(v, b.inputs, 1.0f)));
        for (std::size_t k = 0; k < b.samples; ++k) {
            const float* x = b.x + k * b.x_stride;
            float acc = 0.0f;
            for (std::uint32_t j = 0; j < b.inputs; ++j)
                acc = fma_scalar(v[j], x[j], acc);
            b.out[k * b.out_stride + r] = acc * scale;
        }
    }
}

} // namespace samara::SAMARA_ARCH
