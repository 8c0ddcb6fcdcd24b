// The tool where memory or the disk gives out: each allocation of a command fails in turn, alone and with all that
// follow, and each output is cut at every length. The command must end with code 2 and a sentence or do without, leave
// an output that was there as it was, and nothing half-written beside it.
//
//   test-failures [all]      without the word the first hundred allocations, and forty of the others
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <new>
#include <string>
#include <vector>

#include "ports/host/training/model_file.hpp"
#include "samara/learn.hpp"

int samara_main(int count, char** words); // main() of the tool, under another name

namespace {

// Shared with the children, so that the parent learns how many allocations there were.
struct Allocations {
    long made, failing; // the one that fails; 0: none
    bool all_after;
};
Allocations* allocations = nullptr;
bool watched = false; // in the children alone

bool next_fails()
{
    if (!watched)
        return false;
    const long number = __atomic_add_fetch(&allocations->made, 1, __ATOMIC_RELAXED);
    return allocations->failing != 0 &&
           (number == allocations->failing || (allocations->all_after && number > allocations->failing));
}

void* allocate(std::size_t bytes, std::size_t alignment)
{
    if (next_fails())
        return nullptr;
    const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    return alignment <= alignof(std::max_align_t) ? std::malloc(rounded) : std::aligned_alloc(alignment, rounded);
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment)
{
    void* const memory = allocate(bytes, alignment);
    if (memory == nullptr)
        throw std::bad_alloc();
    return memory;
}

} // namespace

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, 16); }
void* operator new[](std::size_t bytes) { return allocate_or_throw(bytes, 16); }
void* operator new(std::size_t bytes, std::align_val_t a)
{
    return allocate_or_throw(bytes, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t bytes, std::align_val_t a)
{
    return allocate_or_throw(bytes, static_cast<std::size_t>(a));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, 16); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, 16); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

unsigned failures = 0;

void check(bool good, const std::string& what)
{
    if (!good) {
        ++failures;
        std::printf("%s\n", what.c_str());
    }
}

std::string contents(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// A command as it is typed, and what it writes.
struct Command {
    std::string name;
    Words words;
    Words outputs;
};

struct Ended {
    int code = -1; // -1: by a signal
    std::string said;
};

// Runs the tool in a child, whose standard output is `out`.
Ended run(const Words& words, const fs::path& said, const char* out, const std::function<void()>& before)
{
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
        const int output = ::open(out, O_WRONLY), error = ::open(said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        ::dup2(output, STDOUT_FILENO);
        ::dup2(error, STDERR_FILENO);
        std::vector<char*> arguments;
        std::vector<std::string> copies = words;
        copies.insert(copies.begin(), "samara");
        for (std::string& word : copies)
            arguments.push_back(word.data());
        const int count = static_cast<int>(arguments.size());
        arguments.push_back(nullptr);
        before();
        watched = true;
        const int code = samara_main(count, arguments.data());
        watched = false;
        std::fflush(nullptr);
        ::_exit(code);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(said)};
}

class Place {
public:
    Place()
    {
        std::string name = (fs::temp_directory_path() / "samara-failures-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            std::exit(1);
        root_ = name;
        fs::create_directory(root_ / "out");
        fs::current_path(root_);
        std::ofstream x("x.csv"), y("y.csv");
        for (int i = 0; i < 24; ++i) {
            x << (i * 7 % 11) / 4.0 - 1.0 << ',' << (i * i % 13) / 8.0 << '\n';
            y << (i * 5 % 7) / 2.0 << '\n';
        }
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place()
    {
        std::error_code ignored;
        fs::current_path("/", ignored);
        fs::remove_all(root_, ignored);
    }

    // Every output holds this before a command, and must hold it or the whole new one after it.
    void reset(const Command& command) const
    {
        for (const auto& entry : fs::directory_iterator("out"))
            fs::remove(entry.path());
        for (const std::string& output : command.outputs)
            std::ofstream(output) << old_;
    }
    Ended run(const Command& command, const std::function<void()>& before, const char* out = "/dev/null") const
    {
        reset(command);
        return ::run(command.words, root_ / "said", out, before);
    }
    // What a run that went well writes.
    std::vector<std::string> whole(const Command& command) const
    {
        const Ended ended = run(command, [] {});
        check(ended.code == 0, command.name + ": " + ended.said);
        std::vector<std::string> found;
        for (const std::string& output : command.outputs)
            found.push_back(contents(output));
        return found;
    }
    void judge(const Command& command, const Ended& ended, const std::vector<std::string>& whole,
               const std::string& when) const
    {
        const std::string name = command.name + ", " + when + ": ";
        check(ended.code == 0 || ended.code == 2, name + "ended by a signal or with another code; said " + ended.said);
        const std::size_t last = ended.said.rfind('\n', ended.said.size() < 2 ? 0 : ended.said.size() - 2);
        const std::string line = ended.said.substr(last == std::string::npos ? 0 : last + 1);
        check(ended.code == 0 || (line.starts_with("samara: ") && line.ends_with('\n')),
              name + "no sentence: " + ended.said);
        check(ended.said.find("internal error") == std::string::npos, name + ended.said);
        for (std::size_t i = 0; i < command.outputs.size(); ++i) {
            const std::string found = contents(command.outputs[i]);
            // Of several outputs the first may be whole already.
            check(found == whole[i] || (ended.code != 0 && found == old_),
                  name + command.outputs[i] + " is neither old nor new");
        }
        std::size_t files = 0;
        for ([[maybe_unused]] const auto& entry : fs::directory_iterator("out"))
            ++files;
        check(files == command.outputs.size(), name + "a file is left beside the output");
    }

private:
    fs::path root_;
    const std::string old_ = "what was there before\n";
};

// A gathered state of the model in "model", as a device would send it.
void write_state()
{
    using namespace samara;
    const desk::LoadedModel model("model");
    const GramSpec spec{.features = model.model().features(), .outputs = model.model().outputs()};
    std::vector<std::uint32_t> memory(state_bytes(spec) / 4);
    Gram gram;
    bool good = gram.open(spec, std::as_writable_bytes(std::span(memory))) == Status::ok &&
                gram.start(model.model()) == Status::ok;
    for (std::uint32_t i = 0; i < 40 && good; ++i) {
        std::vector<float> z(spec.features);
        for (std::uint32_t j = 0; j < spec.features; ++j)
            z[j] = static_cast<float>((i * 7 + j * 5 + i * j) % 11) / 8.0f;
        good = gram.add(z, std::vector<float>(spec.outputs, 1.0f)) == Status::ok;
    }
    check(good, "the state");
    std::ofstream("state", std::ios::binary)
        .write(reinterpret_cast<const char*>(memory.data()), static_cast<std::streamsize>(4 * memory.size()));
}

void fail_allocations(const Place& place, const Command& command, bool all)
{
    *allocations = {};
    const std::vector<std::string> whole = place.whole(command);
    const long count = allocations->made;
    const long step = all ? 1 : std::max(1L, count / 40);
    long tried = 0, refused = 0;
    for (long number = 1; number <= count; number += all || number < 100 ? 1 : step)
        for (const bool all_after : {false, true}) {
            if (!all && all_after && number % 4 != 0)
                continue;
            ++tried;
            const Ended ended = place.run(command, [&] { *allocations = {0, number, all_after}; });
            refused += ended.code == 2 ? 1 : 0;
            place.judge(command, ended, whole,
                        "allocation " + std::to_string(number) + (all_after ? " and all after it" : ""));
        }
    // Most of them cannot be done without.
    check(2 * refused > tried, command.name + ": few of the failing allocations were noticed");
    std::printf("%s: %ld allocations; %ld of %ld failing ones ended it\n", command.name.c_str(), count, refused, tried);
}

void fill_disk(const Place& place, const Command& command)
{
    const std::vector<std::string> whole = place.whole(command);
    std::size_t longest = 0;
    for (const std::string& output : whole)
        longest = std::max(longest, output.size());
    std::size_t tried = 0;
    for (std::size_t bytes = 0; bytes < longest; bytes += std::max<std::size_t>(1, longest / 5), ++tried) {
        const Ended ended = place.run(
            command,
            [&] {
                // As where it is ignored, so that a write says it instead.
                std::signal(SIGXFSZ, SIG_IGN);
                // The sentence itself must fit.
                const rlimit limit{bytes, bytes};
                ::setrlimit(RLIMIT_FSIZE, &limit);
            },
            "/dev/null");
        const std::string when = "files of at most " + std::to_string(bytes) + " bytes";
        // Where files may have no bytes, the sentence has none either.
        check(ended.code == 2, command.name + ", " + when + ": code " + std::to_string(ended.code));
        Ended heard = ended;
        heard.said = "samara: not heard\n";
        place.judge(command, heard, whole, when);
    }
    std::printf("%s: cut at %zu lengths\n", command.name.c_str(), tried);
}

} // namespace

int main(int count, char**)
{
    const bool all = count > 1;
    allocations = static_cast<Allocations*>(
        ::mmap(nullptr, sizeof(Allocations), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (allocations == MAP_FAILED)
        return 1;
    const Place place;
    const Words training = {"train",   "rff:features=8", "--in", "x.csv",     "--target", "y.csv", "--task",
                            "regress", "--ridge",        ".01",  "--threads", "1",        "--out"};
    const auto with = [](Words words, const std::string& last) {
        words.push_back(last);
        return words;
    };
    const Command model{"a model to begin with", with(training, "model"), {}};
    check(place.run(model, [] {}).code == 0, model.name);
    write_state();
    const std::vector<Command> commands = {
        {"train", with(training, "out/m"), {"out/m"}},
        {"predict", {"predict", "model", "--in", "x.csv", "--threads", "1", "--out", "out/p.csv"}, {"out/p.csv"}},
        {"predict to npy",
         {"predict", "model", "--in", "x.csv", "--threads", "1", "--out", "out/p.npy"},
         {"out/p.npy"}},
        {"features",
         {"features", "rff:features=8", "--in", "x.csv", "--threads", "1", "--out", "out/z.npy"},
         {"out/z.npy"}},
        {"kernel", {"kernel", "arccos", "--in", "x.csv", "--threads", "1", "--out", "out/k.csv"}, {"out/k.csv"}},
        {"export", {"export", "model", "--c-header", "--name", "toy", "--out", "out/m.h"}, {"out/m.h"}},
        {"merge", {"merge", "model", "state", "--out", "out/n"}, {"out/n"}},
        {"merge states", {"merge", "model", "state", "state", "--state-out", "out/s"}, {"out/s"}},
        {"evaluate", {"evaluate", "model", "--in", "x.csv", "--target", "y.csv"}, {}},
        {"inspect", {"inspect", "model"}, {}},
    };
    for (const Command& command : commands) {
        fail_allocations(place, command, all);
        *allocations = {};
        if (!command.outputs.empty()) {
            fill_disk(place, command);
        } else {
            const Ended ended = place.run(
                command, [] {}, "/dev/full");
            place.judge(command, ended, {}, "standard output is full");
            check(ended.code == 2, command.name + ": standard output is full, and it says that all is well");
        }
        if (command.words.size() < 2 || command.outputs.empty())
            continue;
        Command full = command;
        full.words.back() = full.name == "predict to npy" || full.name == "features" ? "-" : "/dev/full";
        full.outputs.clear();
        const bool by_suffix =
            full.words.back() == "/dev/full" && (command.name == "predict" || command.name == "kernel");
        if (by_suffix)
            full.words.back() = "-";
        const Ended ended = place.run(
            full, [] {}, "/dev/full");
        place.judge(full, ended, {}, "the disk is full");
        check(ended.code == 2, full.name + ": the disk is full, and it says that all is well");
    }
    ::munmap(allocations, sizeof(Allocations));
    std::printf(failures == 0 ? "all is well\n" : "%u failures\n", failures);
    return failures == 0 ? 0 : 1;
}
