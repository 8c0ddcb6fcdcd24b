#include "ports/host/data/npz.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <istream>
#include <utility>
#include <vector>

#include "ports/host/data/files.hpp"
#include "ports/host/data/memory_limit.hpp"
#include "ports/host/data/npy.hpp"
#include "ports/host/data/zip.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

const ZipMember* member_named(const std::vector<ZipMember>& members, const std::string& name)
{
    const auto found =
        std::find_if(members.begin(), members.end(), [&](const ZipMember& member) { return member.name == name; });
    return found == members.end() ? nullptr : &*found;
}

class SparseArchive {
public:
    SparseArchive(std::istream& archive, const std::vector<ZipMember>& members, const std::string& path)
        : archive_(archive), members_(members), path_(path)
    {}

    SparseRows read()
    {
        ZipReader format_reader(archive_, member("format.npy"), path_);
        ReaderBuffer format_buffer(format_reader);
        std::istream format_stream(&format_buffer);
        format_stream.exceptions(std::ios::badbit);
        const std::string format = npy_word(format_stream, path_ + ": format.npy");
        if (format != "csr") {
            throw BadInput(path_ + ": found a sparse matrix of the format " + quoted_text(format) +
                           ", expected 'csr' (in SciPy x.tocsr())");
        }
        double bytes = 0.0;
        for (const char* const name : {"indices.npy", "indptr.npy", "data.npy"}) {
            bytes += static_cast<double>(member(name).bytes);
        }
        require_memory(path_, "a sparse matrix", bytes);

        std::vector<double> shape;
        read_column("shape.npy", true, [&](double value) { shape.push_back(value); });
        constexpr double most_rows = 1e15;
        if (shape.size() != 2 || !(shape[0] >= 1.0 && shape[0] <= most_rows) || !(shape[1] >= 1.0)) {
            throw BadInput(path_ + ": shape.npy: found no rows and columns, expected a matrix");
        }
        const auto rows = static_cast<std::size_t>(shape[0]);
        SparseRows sparse;
        sparse.cols = static_cast<std::size_t>(std::min(shape[1], most_rows));
        require_usable_width(path_, rows, sparse.cols);
        read_starts(sparse, rows);
        const std::size_t entries = sparse.starts.back();
        std::size_t count = read_column("indices.npy", true, [&](double value) {
            if (!(value >= 0.0 && value < shape[1])) {
                refuse("indices.npy", "the column " + number_text(value),
                       "one from 0 to " + std::to_string(sparse.cols - 1));
            }
            sparse.columns.push_back(static_cast<std::uint32_t>(value));
        });
        require_count("indices.npy", count, entries);
        count =
            read_column("data.npy", false, [&](double value) { sparse.values.push_back(static_cast<float>(value)); });
        require_count("data.npy", count, entries);
        return sparse;
    }

private:
    [[noreturn]] void refuse(const std::string& member, const std::string& found, const std::string& expected) const
    {
        throw BadInput(path_ + ": " + member + ": found " + found + ", expected " + expected);
    }

    const ZipMember& member(const std::string& name) const
    {
        const ZipMember* const found = member_named(members_, name);
        if (found == nullptr) {
            throw BadInput(path_ + ": found no " + name + ", expected the arrays that scipy.sparse.save_npz writes");
        }
        return *found;
    }

    // Calls `take` with one value after the other; how many.
    std::size_t read_column(const std::string& name, bool whole, const std::function<void(double)>& take)
    {
        ZipReader reader(archive_, member(name), path_);
        const ArrayFile file = array_in_memory(reader, DataFormat::npy, path_ + ": " + name);
        if (file.layout.cols != 1 || (whole && file.layout.type.kind != 'i' && file.layout.type.kind != 'u')) {
            refuse(name, shape_text(file.layout) + (file.layout.type.kind == 'f' ? " (floats)" : ""),
                   whole ? "one dimension of integers" : "one dimension");
        }
        std::vector<double> block(std::min<std::size_t>(file.layout.rows, 65536));
        for (std::size_t first = 0; first < file.layout.rows; first += block.size()) {
            const std::size_t count = std::min(block.size(), file.layout.rows - first);
            read_values(*file.stream, file.layout, first, count, block.data(), path_ + ": " + name);
            std::for_each_n(block.begin(), count, take);
        }
        return file.layout.rows;
    }

    void read_starts(SparseRows& sparse, std::size_t rows)
    {
        sparse.starts.clear();
        double last = 0.0;
        constexpr double most_entries = 1e15;
        const std::size_t count = read_column("indptr.npy", true, [&](double value) {
            if (!(value >= last && value <= most_entries) || (sparse.starts.empty() && value != 0.0)) {
                refuse("indptr.npy",
                       "the start " + number_text(value) + " of row " + std::to_string(sparse.starts.size() + 1),
                       sparse.starts.empty() ? "0" : "ascending ones");
            }
            last = value;
            sparse.starts.push_back(static_cast<std::size_t>(value));
        });
        require_count("indptr.npy", count, rows + 1);
    }

    void require_count(const std::string& name, std::size_t found, std::size_t expected) const
    {
        if (found != expected) {
            refuse(name, std::to_string(found) + " values", std::to_string(expected) + " by the other arrays");
        }
    }

    std::istream& archive_;
    const std::vector<ZipMember>& members_;
    const std::string& path_;
};

} // namespace

std::optional<SparseRows> read_sparse_npz(const std::string& path)
{
    std::ifstream archive = open_input(path);
    const std::vector<ZipMember> members = zip_members(archive, path);
    if (member_named(members, "format.npy") == nullptr) {
        return std::nullopt;
    }
    return SparseArchive(archive, members, path).read();
}

ArrayFile open_npz(const std::string& path, bool texts_too)
{
    std::ifstream archive = open_input(path);
    const std::vector<ZipMember> members = zip_members(archive, path);
    if (members.size() != 1) {
        std::string names;
        for (const ZipMember& member : members) {
            names += (names.empty() ? "" : ", ") + member.name;
        }
        throw BadInput(path + ": found " + std::to_string(members.size()) + " arrays" +
                       (names.empty() ? "" : " (" + quoted_text(names) + ")") +
                       ", expected one, or the sparse matrix of scipy.sparse.save_npz as the inputs");
    }
    ZipReader reader(archive, members.front(), path);
    return array_in_memory(reader, DataFormat::npy, path, texts_too);
}

} // namespace samara::desk
