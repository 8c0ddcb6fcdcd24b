// Where a result goes, whatever it is called: what links lead to, and whether two names are one file.
#pragma once

#include <string>
#include <vector>

namespace samara::desk {

// What a path comes to when links are followed: an open descriptor of this process, or the path of what is (or would
// be) there. "-" is standard output.
struct Place {
    int descriptor = -1;
    std::string path;
};

Place place_of(const std::string& path);

// Whether a result takes the place of what is there (or is not yet): true of files, false of pipes and devices, which
// are written to.
bool is_replaced(const Place& place);

// What can be known before anything is computed: that it is no directory, and that it can be made. Else BadInput with
// the system's reason.
void require_writable(const std::string& path);

// A path and what gave it: "--in", or "the argument".
struct NamedFile {
    std::string source;
    std::string path;
};

// BadInput that names both where writing one of `written` would destroy one of `read`, or another one of `written`: the
// same file, whatever it is called. Standard output counts as written.
void require_distinct(const std::vector<NamedFile>& read, const std::vector<NamedFile>& written);

} // namespace samara::desk
