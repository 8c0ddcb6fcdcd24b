// How the maps' errors fall with their features: the relative Frobenius error of the kernel matrix of 200 vectors at
// 1,024, 4,096 and 16,384 features, and the factor from the first to the last, which is 4 where the error goes like one
// over the root.
//
//   bench-consistency tests/data/unit_200x64.csv [SEEDS]
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../map/measure.hpp"

namespace {

using namespace samara;

constexpr std::uint32_t sizes[] = {1024, 4096, 16384};

// truth_of: what the features should come to.
template <class Spec>
void print_line(const char* name, const measure::Points& points, unsigned seeds, Spec request,
                double (*truth_of)(const Spec&, std::span<const float>, std::span<const float>) = kernel)
{
    std::vector<double> truth;
    for (std::size_t i = 0; i < points.count; ++i)
        for (std::size_t j = 0; j < points.count; ++j)
            truth.push_back(truth_of(request, points.row(i), points.row(j)));
    double errors[3] = {};
    for (int k = 0; k < 3; ++k) {
        request.features = sizes[k];
        Spec spec = resolve(request);
        if (!resolved(spec)) {
            std::fprintf(stderr, "%s: no map of %u features\n", name, sizes[k]);
            std::exit(2);
        }
        for (spec.seed = 0; spec.seed < seeds; ++spec.seed)
            errors[k] += measure::relative_error(truth, measure::gram(spec, points)) / seeds;
    }
    std::printf("%-32s %8.4f %8.4f %8.4f %8.2f\n", name, errors[0], errors[1], errors[2], errors[0] / errors[2]);
    std::fflush(stdout);
}

double cut_off(const NtkSketchSpec& s, std::span<const float> x, std::span<const float> y)
{
    return ntk_taylor_kernel(x, y, s.depth, s.relu_degree, s.step_degree, s.fix_diagonal);
}

} // namespace

int main(int count, char** words)
{
    const measure::Points points = count > 1 ? measure::read_points(words[1]) : measure::Points{};
    const int seeds = count > 2 ? std::atoi(words[2]) : 4;
    if (points.count == 0 || seeds < 1) {
        std::fprintf(stderr, "usage: bench-consistency VECTORS.csv [SEEDS]\n");
        return 2;
    }
    const auto n = static_cast<std::uint32_t>(points.inputs);
    const auto line = [&](const char* name, const auto& spec) {
        print_line(name, points, static_cast<unsigned>(seeds), spec);
    };
    std::printf("%-32s %8u %8u %8u %8s\n", "features", sizes[0], sizes[1], sizes[2], "factor");
    // Every map as it comes, at depth 2 where it has one; not those that need coefficients, data, or memory for the
    // exact kernel.
    static_cast<void>(AllMaps::any([&]<class Spec>(Spec spec) {
        std::string name = Map<Spec>::name;
        spec.inputs = n;
        if constexpr (requires { spec.depth; }) {
            spec.depth = 2;
            name += ", depth 2";
        }
        if constexpr (KernelSpec<Spec>)
            if (resolved(resolve(spec)))
                line(name.c_str(), spec);
        return false;
    }));
    line("rff, orders none", RffSpec{.inputs = n, .orders = Orders::none});
    line("arccos, orders none", ArcCosSpec{.inputs = n, .orders = Orders::none});
    line("ntk, orders none", NtkSpec{.inputs = n, .orders = Orders::none});
    line("ntk", NtkSpec{.inputs = n});
    line("ntk, depth 2, orders none", NtkSpec{.inputs = n, .depth = 2, .orders = Orders::none});
    line("ntk, depth 3", NtkSpec{.inputs = n, .depth = 3});
    for (const std::uint32_t depth : {1u, 2u}) {
        const NtkSketchSpec sketch{.inputs = n, .depth = depth, .orders = Orders::none};
        NtkSketchSpec text = sketch, exact = sketch;
        text.fix_diagonal = false;
        exact.orders = Orders::one;
        std::printf("depth %u, against the kernel cut off\n", depth);
        print_line("ntk-sketch, orders none", points, static_cast<unsigned>(seeds), sketch, cut_off);
        print_line("ntk-sketch, fix-diagonal no", points, static_cast<unsigned>(seeds), text, cut_off);
        print_line("ntk-sketch, orders 1", points, static_cast<unsigned>(seeds), exact, cut_off);
    }
    return 0;
}
