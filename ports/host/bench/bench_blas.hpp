// A stored matrix and the BLAS: what `samara bench` compares maps with.
#pragma once

#include <cstddef>

namespace samara::desk {

// What this was built with: "OpenBLAS", "BLIS", or "BLAS" where we do not know whose.
extern const char* const blas_name;

// Before the first product.
void use_one_blas_thread();

// W: `rows` rows of `inputs` weights, one after the other.
struct StoredMatrix {
    const float* weights;
    std::size_t rows, inputs;
};

// sgemv: one sample, `rows` results.
void multiply_sample(const StoredMatrix& matrix, const float* sample, float* results);

// sgemm: the samples one after the other, and so their results.
void multiply_samples(const StoredMatrix& matrix, const float* samples, std::size_t count, float* results);

} // namespace samara::desk
