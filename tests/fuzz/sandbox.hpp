// For fuzzers of the desk: a directory of their own for files, and what its code may throw.
#pragma once

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "input.hpp"
#include "ports/host/text/error.hpp"

namespace fuzz {

// Runs `call`; what the user got wrong, and a want of memory, are answers like others. Any other exception would reach
// the user as an internal error, and is one. False where something was thrown.
template <class Call>
bool accepted(Call call)
{
    try {
        call();
        return true;
    } catch (const samara::desk::BadInput& problem) {
        require(*problem.what() != '\0', "every refusal has a sentence");
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        require(false, "no internal error");
    }
    return false;
}

class Sandbox {
public:
    Sandbox()
    {
        std::string name = (std::filesystem::temp_directory_path() / "samara-fuzz-XXXXXX").string();
        require(::mkdtemp(name.data()) != nullptr, "there is a place for files");
        place_ = name;
    }
    Sandbox(const Sandbox&) = delete;
    Sandbox& operator=(const Sandbox&) = delete;
    ~Sandbox()
    {
        std::error_code ignored;
        std::filesystem::remove_all(place_, ignored);
    }
    std::string path(const std::string& name) const { return (place_ / name).string(); }
    std::string write(const std::string& name, const std::string& bytes) const
    {
        std::ofstream(path(name), std::ios::binary) << bytes;
        return path(name);
    }
    void clear() const
    {
        for (const auto& entry : std::filesystem::directory_iterator(place_))
            std::filesystem::remove_all(entry.path());
    }
    std::vector<std::string> files() const
    {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(place_))
            names.push_back(entry.path().filename().string());
        return names;
    }

private:
    std::filesystem::path place_;
};

} // namespace fuzz
