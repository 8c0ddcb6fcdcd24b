// Small classification sets, after arXiv 2104.01351, section 5.2: random features of the neural tangent kernel beside
// random Fourier features and both exact kernels, each with the size, depth, bandwidth and ridge that do best on a
// validation half, judged on the test folds that came with the data. uci.sh builds and runs it.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ports/host/commands/args.hpp"
#include "ports/host/commands/choose_simd.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/text/map_text.hpp"
#include "ports/host/text/progress.hpp"
#include "ports/host/training/blas.hpp"
#include "ports/host/training/compute.hpp"
#include "ports/host/training/threads.hpp"
#include "uci_protocol.hpp"
#include "uci_results.hpp"

namespace samara::uci {
namespace {

using desk::BadInput;
using desk::quoted_text;

// The paper's Table 1 has a line for some of them.
struct KnownMethod {
    const char *name, *text, *published;
};
constexpr KnownMethod known_methods[] = {
    {"ntk-dense", "ntk:depth={depth},features={features},rows=dense,orders=none,seed={seed}", "81.84"},
    {"ntk-unit", "ntk:depth={depth},features={features},rows=unit,orders=none,seed={seed}", "81.85"},
    {"ntk", "ntk:depth={depth},features={features},seed={seed}", ""},
    {"rff-dense", "rff:bandwidth={bandwidth},features={features},rows=dense,orders=none,seed={seed}", "81.61"},
    {"rff", "rff:bandwidth={bandwidth},features={features},seed={seed}", ""},
    {"ntk-exact", "ntk:depth={depth}", "82.24"},
    {"rbf-exact", "rff:bandwidth={bandwidth}", "81.79"},
};

const desk::CommandPage page = {
    "uci DIRECTORY",
    "Compares random features with exact kernels on the classification sets of DIRECTORY, and prints a table.\n"
    "Of each set NAME it reads four files, .npy or .csv:\n"
    "  NAME.x      the inputs, a sample a row, standardised\n"
    "  NAME.y      the class of each row, a whole number from 0 on\n"
    "  NAME.tune   for each row 0 (train) or 1 (validate): the split that chooses features, depth, bandwidth, ridge\n"
    "  NAME.folds  a line a fold, in it for each row 0 (train) or 1 (test); in both files 255 is neither\n\n"
    "A method of your own is NAME=MAP: a map with {depth}, {bandwidth}, {features}, {seed} in the places of numbers.\n"
    "Without {features} it is the map's exact kernel. Two methods, for instance:\n"
    "  --methods 'rff relu=arccos:features={features},seed={seed}'\n",
    {{"--methods", "WORDS", "by name or NAME=MAP, separated by commas or blanks", "all below"},
     {"--results", "FILE", "where each result is written as it comes, and found again by the next run",
      "uci-results.csv"},
     {"--threads", "N", "results at a time; of 5,000 rows each takes 0.6 GB", "the machine's cores"},
     {"--seeds", "N", "random maps of each kind, from the seeds 0 to N - 1; the table has their mean", "5"}}};

std::vector<Method> chosen_methods(const std::string& words)
{
    std::vector<Method> methods;
    const auto add = [&](const Method& method) {
        if (method.name.empty()) {
            throw BadInput("--methods: found no name before '=', expected NAME=MAP");
        }
        for (const Method& other : methods) {
            if (other.name == method.name) {
                throw BadInput("--methods: found " + quoted_text(method.name) + " twice, expected it once");
            }
        }
        methods.push_back(method);
    };
    std::istringstream by_blanks(words);
    for (std::string word; by_blanks >> word;) {
        // Only a map's text has an equals sign, and its own commas.
        if (const std::size_t equals = word.find('='); equals != std::string::npos) {
            add({word.substr(0, equals), word.substr(equals + 1)});
            continue;
        }
        std::istringstream by_commas(word);
        for (std::string name; std::getline(by_commas, name, ',');) {
            std::vector<std::string> names;
            const KnownMethod* found = nullptr;
            for (const KnownMethod& known : known_methods) {
                names.emplace_back(known.name);
                found = name == known.name ? &known : found;
            }
            if (found == nullptr) {
                throw BadInput("--methods: found the unknown method " + quoted_text(name) +
                               desk::did_you_mean(name, names) + ", expected one of those that --help lists");
            }
            add({found->name, found->text});
        }
    }
    if (methods.empty()) {
        throw BadInput("--methods: found no method, expected at least one");
    }
    return methods;
}

struct Job {
    const Set* set;
    const Method* method;
    std::uint64_t seed, choice_cost, cost;

    Key key() const { return {set->name, method->name, method->text, seed}; }
};

// The largest first, so that at the end no thread is left alone with a large one.
void compute(std::vector<Job> jobs, unsigned threads, Results& results)
{
    std::stable_sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.cost > b.cost; });
    std::uint64_t total = 0;
    for (const Job& job : jobs) {
        total += job.cost;
    }
    // The outputs are small and many: a thread a job is worth more than threads inside one.
    desk::set_blas_threads(1);
    desk::Progress progress("uci: ms of work", total);
    desk::in_pieces(jobs.size(), 1, threads, "", [&](std::size_t i, std::size_t) {
        const Job& job = jobs[i];
        const auto start = std::chrono::steady_clock::now();
        Result result{run(*job.set, *job.method, job.seed, [&] { progress.advance(job.choice_cost); }), 0.0};
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        result.seconds = std::round(1e3 * taken.count()) / 1e3;
        results.add(job.key(), std::move(result));
    });
}

double mean_of(const std::vector<double>& values)
{
    double sum = 0.0;
    for (const double value : values) {
        sum += value;
    }
    return sum / static_cast<double>(values.size());
}

double deviation_of(const std::vector<double>& values)
{
    const double mean = mean_of(values);
    double squares = 0.0;
    for (const double value : values) {
        squares += (value - mean) * (value - mean);
    }
    return values.size() > 1 ? std::sqrt(squares / static_cast<double>(values.size() - 1)) : 0.0;
}

// Accuracies in per cent, of each set with each seed.
using Accuracies = std::vector<std::vector<double>>;

void print_table(const std::vector<Method>& methods, const std::vector<Accuracies>& runs, double seconds)
{
    const std::size_t sets = runs.front().size();
    const auto count = static_cast<double>(sets);
    std::vector<std::vector<double>> accuracies;
    for (const Accuracies& of_method : runs) {
        accuracies.emplace_back();
        for (const std::vector<double>& of_set : of_method) {
            accuracies.back().push_back(mean_of(of_set));
        }
    }
    std::printf("%zu sets, %zu methods, %.0f s of computing\n\n", sets, methods.size(), seconds);
    std::printf("%-12s %8s %8s %8s %8s %8s %8s %8s %8s %8s\n", "method", "accuracy", "+-", "std", "seeds", "P90", "P95",
                "PMA", "rank", "paper");
    for (std::size_t m = 0; m < methods.size(); ++m) {
        double p90 = 0.0, p95 = 0.0, pma = 0.0, rank = 0.0;
        for (std::size_t s = 0; s < sets; ++s) {
            const double own = accuracies[m][s];
            double most = 0.0, place = 0.5;
            for (const std::vector<double>& other : accuracies) {
                most = std::max(most, other[s]);
                // Equals share the mean of their places; the method itself counts as half.
                place += other[s] > own ? 1.0 : other[s] < own ? 0.0 : 0.5;
            }
            const double share = most > 0.0 ? own / most : 1.0;
            p90 += share >= 0.90 ? 100.0 / count : 0.0;
            p95 += share >= 0.95 ? 100.0 / count : 0.0;
            pma += 100.0 * share / count;
            rank += place / count;
        }
        std::vector<double> of_seeds;
        for (std::size_t seed = 0; seed < runs[m].front().size(); ++seed) {
            std::vector<double> of_sets;
            for (const std::vector<double>& of_set : runs[m]) {
                of_sets.push_back(of_set[seed]);
            }
            of_seeds.push_back(mean_of(of_sets));
        }
        const double deviation = deviation_of(accuracies[m]);
        const char* published = "";
        for (const KnownMethod& known : known_methods) {
            published = methods[m].name == known.name && methods[m].text == known.text ? known.published : published;
        }
        std::printf("%-12s %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %8s\n", methods[m].name.c_str(),
                    mean_of(accuracies[m]), 1.96 * deviation / std::sqrt(count), deviation, deviation_of(of_seeds), p90,
                    p95, pma, rank, published);
    }
    std::printf(
        "\naccuracy  %%, the mean over the sets of the mean over a set's test folds and over the seeds;\n"
        "          +-: 95 %% interval of that mean, from how the sets differ\n"
        "std       of the sets' accuracies\n"
        "seeds     standard deviation of the accuracy from seed to seed\n"
        "P90, P95  %% of the sets where a method reaches 90 %%, 95 %% of the best accuracy of all methods here\n"
        "PMA       %%, the mean over the sets of the accuracy relative to that best one\n"
        "rank      the mean place among the methods here (Friedman's), 1 the best\n"
        "paper     accuracy in Table 1 of arXiv 2104.01351: over 90 sets, with support vectors instead of least\n"
        "          squares; there the best accuracy is among ten methods\n");
}

int run_program(const std::vector<std::string>& words)
{
    const desk::Arguments arguments(words, page.options);
    std::string all;
    if (arguments.help()) {
        std::printf("%s\n", desk::help_text(page).c_str());
        for (const KnownMethod& known : known_methods) {
            std::printf("  %-10s %s\n", known.name, known.text);
        }
        return 0;
    }
    arguments.require_positionals(1, 1, "a directory of data sets");
    for (const KnownMethod& known : known_methods) {
        all += std::string(all.empty() ? "" : ",") + known.name;
    }
    if (const std::string problem = desk::choose_simd(); !problem.empty()) {
        throw BadInput(problem);
    }
    const std::vector<Method> methods = chosen_methods(arguments.text("--methods", all));
    const unsigned seeds = arguments.integer("--seeds", 1, 1000);
    const unsigned threads = arguments.integer("--threads", 1, 1024, std::max(1u, std::thread::hardware_concurrency()));

    // All of the input is judged before the first minute of computing.
    const std::string& directory = arguments.positionals().front();
    std::vector<Set> sets;
    for (const std::string& name : set_names(directory)) {
        sets.push_back(read_set(directory, name));
    }
    for (const Method& method : methods) {
        check(sets.front(), method);
    }
    Results results(arguments.text("--results", "uci-results.csv"));
    std::vector<Job> all_jobs, jobs;
    for (const Method& method : methods) {
        for (const Set& set : sets) {
            const auto cost = static_cast<std::uint64_t>(1.0 + choice_cost(set, method));
            for (unsigned seed = 0; seed < (method.has("{seed}") ? seeds : 1); ++seed) {
                all_jobs.push_back({&set, &method, seed, cost, cost * choice_count(method)});
                if (results.find(all_jobs.back().key()) == nullptr) {
                    jobs.push_back(all_jobs.back());
                }
            }
        }
    }
    if (jobs.size() < all_jobs.size()) {
        std::fprintf(stderr, "uci: %zu of %zu results were there already\n", all_jobs.size() - jobs.size(),
                     all_jobs.size());
    }
    compute(std::move(jobs), threads, results);

    std::vector<Accuracies> runs(methods.size(), Accuracies(sets.size()));
    double seconds = 0.0;
    for (const Job& job : all_jobs) {
        const Result& result = *results.find(job.key());
        runs[static_cast<std::size_t>(job.method - methods.data())][static_cast<std::size_t>(job.set - sets.data())]
            .push_back(result.outcome.accuracy);
        seconds += result.seconds;
    }
    print_table(methods, runs, seconds);
    return 0;
}

} // namespace
} // namespace samara::uci

int main(int argc, char** argv)
{
    try {
        return samara::uci::run_program(samara::desk::words_from(argc, argv));
    } catch (const samara::desk::BadInput& problem) {
        std::fprintf(stderr, "uci: %s\n", problem.what());
        return 2;
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "uci: %s\n", problem.what());
        return 1;
    }
}
