// From rows of a source to features, in blocks of a size that does not depend on how many rows there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ports/host/data/matrix.hpp"
#include "ports/host/data/row_set.hpp"
#include "ports/host/text/map_text.hpp"
#include "ports/host/training/map_data.hpp"
#include "ports/host/training/trained.hpp"

namespace samara::desk {

class FeatureStage {
public:
    FeatureStage(MapSpec spec, std::vector<std::uint16_t> kept_rows, Scaling scaling, unsigned threads);

    const MapSpec& spec() const { return spec_; }
    const std::vector<std::uint16_t>& kept_rows() const { return kept_rows_; }
    const Scaling& scaling() const { return scaling_; }
    unsigned threads() const { return threads_; }
    std::size_t features() const { return features_; }

    // The same with each feature times its factor.
    FeatureStage with_factors(std::vector<float> factors) const;

    // How many rows a block of z may have without being large.
    std::size_t block_rows() const;

    // Of the first `count` rows of x, which is scaled in place; times the factors, and less `shift` where that is not
    // empty.
    void compute(MatrixF& x, std::size_t count, const std::vector<float>& shift, MatrixF& z) const;

    // Calls `body` with blocks of features, in order: the first rows.size() rows of z, whose numbers in the source are
    // `rows`. A progress line named `label`, unless it is empty.
    void in_blocks(const RowSet& rows, const std::string& label, const std::vector<float>& shift,
                   const std::function<void(const MatrixF& z, const std::vector<std::size_t>& rows)>& body) const;

    // All at once.
    MatrixF all(const RowSet& rows) const;

private:
    void compute_some(MatrixF& x, std::size_t first, std::size_t end, const std::vector<float>& shift,
                      MatrixF& z) const;

    MapSpec spec_;
    std::vector<std::uint16_t> kept_rows_;
    MapData data_; // the same as the core reads them
    Scaling scaling_;
    unsigned threads_;
    std::size_t features_;
    std::vector<float> factors_; // of features; empty: all 1
};

} // namespace samara::desk
