// How a table is read, where its bytes do not say it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ports/host/data/csv_header.hpp"

namespace samara::desk {

enum class DataFormat { npy, csv, idx, libsvm, npz };

// What the user said of a file beside its name, and what is known before it is read.
struct TableReading {
    std::optional<DataFormat> format = {}; // in place of the suffix; of a target in a file of its own the suffix counts
    std::size_t columns = 0;               // of a libsvm file, whose last ones may be zeros everywhere; 0: not said
    bool blanks_are_missing = false;       // an empty cell of a CSV file is a NaN
    CsvHeader header = CsvHeader::automatic;          // of CSV files
    CsvHeader target_header = CsvHeader::automatic;   // of a target in a CSV file of its own
    const std::vector<std::string>* labels = nullptr; // the classes that the target is one of, where they are known
};

} // namespace samara::desk
