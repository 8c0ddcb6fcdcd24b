// The data of a map, as the core reads them: the rows that are kept, and the skeleton of a map of skeletons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "ports/host/text/map_text.hpp"
#include "ports/host/training/coded_rows.hpp"
#include "samara/map.hpp"

namespace samara::desk {

// How the numbers of kept rows lie in a model: two bytes each, or in fewer bits, which takes a walk to find one.
enum class RowForm { listed, coded };

class MapData {
public:
    // `kept_rows`: ascending; empty: all.
    MapData(const MapSpec& map, const std::vector<std::uint16_t>& kept_rows, RowForm form = RowForm::listed)
    {
        if (map.skeleton) {
            const MergedFeatures& all = map.skeleton->list;
            const MergedFeatures list = kept_rows.empty() ? all : kept_of(all, kept_rows);
            bytes_ = data_bytes(*map.skeleton, list);
            listed_ = static_cast<std::uint32_t>(list.indices.size());
            return;
        }
        if (form == RowForm::coded && !kept_rows.empty()) {
            bytes_ = coded_rows(kept_rows);
            coded_ = true;
            return;
        }
        for (const std::uint16_t row : kept_rows) {
            bytes_.push_back(static_cast<std::byte>(row & 255u));
            bytes_.push_back(static_cast<std::byte>(row >> 8u));
        }
    }

    // Of the map that this was made for: none for a map without rows. Refers to this object.
    template <FeatureMapSpec Spec>
    typename Map<Spec>::Data of(const Spec&) const
    {
        if constexpr (RowSpec<Spec>) {
            ChosenRows kept(bytes_);
            if (coded_ && !ChosenRows::read(ChosenRows::coded_kind, bytes_, kept)) {
                throw std::logic_error("kept rows: a code that does not read");
            }
            return kept;
        } else if constexpr (DataSpec<Spec>) {
            SkeletonData data;
            if (!SkeletonData::of(bytes_, listed_, data)) {
                throw std::logic_error("skeleton: a map has none");
            }
            return data;
        } else {
            return {};
        }
    }

private:
    std::vector<std::byte> bytes_;
    std::uint32_t listed_ = 0;
    bool coded_ = false;
};

} // namespace samara::desk
