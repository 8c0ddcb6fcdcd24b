// Rows of a map that are kept, as the core reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "samara/map.hpp"

namespace samara::desk {

class KeptRows {
public:
    KeptRows() = default; // all rows
    explicit KeptRows(const std::vector<std::uint16_t>& rows)
    {
        for (const std::uint16_t row : rows) {
            bytes_.push_back(static_cast<std::byte>(row & 255u));
            bytes_.push_back(static_cast<std::byte>(row >> 8u));
        }
    }

    // The data of a map of this spec: none for a map without rows. Refers to this object.
    template <FeatureMapSpec Spec>
    typename Map<Spec>::Data data(const Spec&) const
    {
        if constexpr (RowSpec<Spec>) {
            return ChosenRows(bytes_);
        } else {
            return {};
        }
    }

private:
    std::vector<std::byte> bytes_;
};

} // namespace samara::desk
