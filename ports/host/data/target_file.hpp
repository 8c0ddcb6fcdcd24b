// A target in a file of its own.
#pragma once

#include <string>

#include "ports/host/data/table_reading.hpp"
#include "ports/host/data/table_source.hpp"
#include "ports/host/data/target.hpp"

namespace samara::desk {

// NPY (numbers or text), CSV or IDX, each perhaps compressed, with as many answers as `data` has rows: another number
// is BadInput that names both.
//
// The first line of a CSV file is a header where it is text above numbers. Text above text is a header only where
// nothing else can be meant: `data` has a header, too, the file is one line longer than its rows, and no other line is
// the same; where the reading's labels (null: none are known) are a model's classes, the line is a label exactly if it
// is one of them. So an answer too many or too few never shifts the others.
// `option`: what asks for it, for messages; of others than --target the rows are called rows.
RawTarget read_target(const std::string& path, const TableSource& data, const TableReading& reading = {},
                      const std::string& option = "--target");

} // namespace samara::desk
