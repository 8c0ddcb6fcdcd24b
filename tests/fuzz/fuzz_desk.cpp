// The desk's commands in this process, on files made of any bytes: they end with an answer or with a sentence, never
// with an internal error, and leave a whole output or none. What was trained predicts the data it was trained on.
#include <algorithm>
#include <iterator>

#include "ports/host/commands/commands.hpp"
#include "ports/host/training/model_file.hpp"
#include "samara/memory.hpp"
#include "sandbox.hpp"

namespace {

using namespace samara;
using namespace samara::desk;
using fuzz::accepted;
using fuzz::Input;
using fuzz::require;

using Words = std::vector<std::string>;

const char* const maps[] = {"rff:features=8",
                            "rff:features=9,form=phase,bandwidth=auto",
                            "arccos:features=12,orders=none",
                            "arccos:features=200,orders=2",
                            "polynomial:features=16",
                            "ntk:features=24",
                            "ntk-poly:features=12,degree=4",
                            "rff:features=16,rows=quasi"};
const char* const suffixes[] = {".csv", ".npy", ".idx", ".csv.gz", ".npy.gz", ".idx.gz", ".libsvm", ".npz"};

template <std::size_t n>
std::string choice(std::uint32_t& bits, const char* const (&words)[n])
{
    const std::uint32_t chosen = bits % n;
    bits /= n;
    return words[chosen];
}

// A sealed model with the CRC that it should have, so that the checks behind it are reached. Empty where it computes
// for longer than a fuzzer can wait.
std::string model_from(std::string bytes)
{
    std::vector<std::uint32_t> words((bytes.size() + 3) / 4 + 1);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    const std::span<std::byte> all = std::as_writable_bytes(std::span(words)).first(bytes.size());
    if (bytes.size() >= 20) {
        const std::uint32_t total = read_u32(all.data() + 12);
        if (total >= 20 && total <= bytes.size())
            write_u32(all.data() + total - 4, crc32(all.first(total - 4)));
    }
    AllMaps::In<Predictor> predictor;
    if (predictor.open(all) == Status::ok) {
        const bool quick = AllMaps::any([&]<class Spec>(Spec spec) {
            typename Map<Spec>::Data chosen;
            if (!predictor.model().get(spec, chosen))
                return false;
            return spec.inputs <= 256 && spec.features <= 4096 && operations(spec, chosen) <= 5'000'000;
        });
        if (!quick)
            return {};
    }
    return {reinterpret_cast<const char*>(all.data()), all.size()};
}

class Session {
public:
    Session(const fuzz::Sandbox& place, Input& in) : place_(place), what_(in.byte()), bits_(in.word())
    {
        const std::size_t first = in.half() % 4096u, second = in.half() % 4096u;
        data_ = place_.write("data" + choice(bits_, suffixes), in.text(first));
        second_ = in.text(second);
        third_ = in.rest();
    }

    void run()
    {
        switch (what_ % 9) {
        case 0:
        case 1:
            return train();
        case 2:
            return with_model([&](const std::string& model) {
                Words words{model, "--in", data_, "--out", out(bits_ % 2 != 0 ? "p.csv" : "p.npy")};
                if (bits_ % 4 < 2)
                    words.emplace_back("--scores");
                call(predict_command, words);
            });
        case 3:
            return with_model([&](const std::string& model) {
                const std::string target = place_.write("target" + choice(bits_, suffixes), third_);
                call(evaluate_command, {model, "--in", data_, "--target", bits_ % 2 != 0 ? target : "column:-1"});
            });
        case 4:
            return with_model([&](const std::string& model) { call(inspect_command, {model}); });
        case 5:
            return with_model([&](const std::string& model) {
                const char* const kinds[] = {"--c-header", "--c-source", "--c-function"};
                call(export_command, {model, choice(bits_, kinds), "--name", "toy", "--out", out("toy")});
            });
        case 6:
            return with_model([&](const std::string& model) {
                const std::string state = place_.write("state", third_);
                Words words{model, state, bits_ % 2 != 0 ? "--state-out" : "--out", out("merged")};
                if (bits_ % 4 < 2)
                    words.push_back(state);
                call(merge_command, words);
            });
        case 7:
            return call(features_command,
                        {choice(bits_, maps), "--in", data_, "--threads", "1", "--out", out("z.csv")});
        default:
            if (bits_ % 2 != 0)
                return call(kernel_command,
                            {choice(bits_, maps), "--in", data_, "--threads", "1", "--out", out("k.npy")});
            return call(compare_command, {choice(bits_, maps), "--in", data_, "--threads", "1"});
        }
    }

private:
    std::string out(const std::string& name)
    {
        out_ = place_.path(name);
        return out_;
    }

    // A model that cannot be had ends the session.
    template <class Use>
    void with_model(Use use)
    {
        const std::string bytes = model_from(second_);
        if (!bytes.empty())
            use(place_.write("model.samara", bytes));
    }

    void call(int (*command)(const Words&), const Words& words)
    {
        const std::vector<std::string> before = place_.files();
        int code = 2;
        const bool good = accepted([&] { code = command(words); });
        require(!good || code == 0 || code == 1, "a command's code is 0, 1 or 2");
        good_ = good && code == 0;
        for (const std::string& name : place_.files()) {
            require(name.find(".part") == std::string::npos, "nothing is left half-written");
            require(good_ || std::find(before.begin(), before.end(), name) != before.end(), "no output of a failure");
        }
    }

    void train()
    {
        const std::string map = choice(bits_, maps);
        Words words{map, "--in", data_, "--threads", "1", "--out", out("m.samara")};
        const auto option = [&](const char* name, const auto& values) {
            const std::string value = choice(bits_, values);
            if (!value.empty()) {
                words.emplace_back(name);
                words.push_back(value);
            }
        };
        const char* const targets[] = {"column:-1", "column:1", "label", "file"};
        const char* const scales[] = {"", "centre", "standardise", "minmax", "unit"};
        const char* const ridges[] = {".01", "loo", "cv", "holdout", "rule", "auto"};
        const char* const types[] = {"", "float16", "int8"};
        const char* const tasks[] = {"", "", "classify", "regress"};
        const char* const missing[] = {"", "mean"};
        const std::string target = choice(bits_, targets);
        words.emplace_back("--target");
        words.push_back(target == "file" ? place_.write("target" + choice(bits_, suffixes), second_) : target);
        option("--scale", scales);
        option("--ridge", ridges);
        option("--readout", types);
        option("--task", tasks);
        option("--missing", missing);
        call(train_command, words);
        if (!good_)
            return;
        const std::string model = out_;
        require(accepted([&] { LoadedModel loaded(model); }), "what was trained opens");
        call(inspect_command, {model});
        require(good_, "what was trained is inspected");
        if (target != "file")
            return; // the data have a column more than the model's inputs
        call(predict_command, {model, "--in", data_, "--out", out("p.csv")});
        require(good_, "what was trained predicts its data");
    }

    const fuzz::Sandbox& place_;
    std::uint8_t what_;
    std::uint32_t bits_;
    std::string data_, second_, third_, out_;
    bool good_ = false;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const fuzz::Sandbox place;
    place.clear();
    Input in(data, size);
    Session(place, in).run();
    return 0;
}
