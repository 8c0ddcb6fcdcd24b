#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "ports/host/error.hpp"
#include "ports/host/map_text.hpp"

namespace {

using namespace samara;
using namespace samara::desk;

RffSpec rff(const std::string& text) { return std::get<RffSpec>(parse_map(text).spec); }
ArcCosSpec arccos(const std::string& text) { return std::get<ArcCosSpec>(parse_map(text).spec); }

MatrixF data_of(std::size_t rows, std::size_t cols)
{
    MatrixF x(rows, cols);
    for (std::size_t index = 0; index < x.values.size(); ++index) {
        x.values[index] = static_cast<float>(index * 29 % 83) / 16.0f;
    }
    return x;
}

MapSpec fitted(const std::string& text, std::size_t cols)
{
    return fit_map(parse_map(text), data_of(5, cols), "x.csv");
}

template <class Action>
std::string refusal(Action action)
{
    try {
        action();
    } catch (const BadInput& problem) {
        return problem.what();
    }
    return "accepted";
}
std::string refused(const std::string& text)
{
    return refusal([&] { parse_map(text); });
}
std::string unfit(const std::string& text, std::size_t cols)
{
    return refusal([&] { fitted(text, cols); });
}

} // namespace

TEST_CASE("map text: a name alone has the spec's defaults")
{
    CHECK(rff("rff") == RffSpec{});
    CHECK(arccos("arccos") == ArcCosSpec{});
    CHECK(!parse_map("rff").median_bandwidth);
}

TEST_CASE("map text: every key in any order")
{
    CHECK(rff("rff:seed=7,rows=quasi,kernel=cauchy,features=33,form=phase,orders=none,bandwidth=0.25") ==
          RffSpec{.features = 33,
                  .kernel = Kernel::cauchy,
                  .form = Form::phase,
                  .rows = Rows::quasi,
                  .orders = Orders::none,
                  .bandwidth = 0.25f,
                  .seed = 7});
    CHECK(arccos("arccos:order=0,rows=gibbs,sweeps=3,orders=none,features=5,seed=0xffffffffffffffff") ==
          ArcCosSpec{.features = 5,
                     .order = 0,
                     .rows = Rows::gibbs,
                     .orders = Orders::none,
                     .sweeps = 3,
                     .seed = ~std::uint64_t{0}});
    CHECK(rff("rff:rows=hadamard").rows == Rows::hadamard);
    CHECK(rff("rff:rows=fastfood").rows == Rows::fastfood);
    CHECK(rff("rff:rows=auto,orders=auto") == RffSpec{});
    CHECK(rff("rff:orders=1").orders == Orders::one);
    CHECK(arccos("arccos:rows=unit").rows == Rows::unit);
    CHECK(arccos("arccos:rows=dense").rows == Rows::dense);
}

TEST_CASE("map text: bandwidth as a number, as gamma, or from the data")
{
    CHECK(rff("rff:bandwidth=1e-3").bandwidth == 1e-3f);
    CHECK(rff("rff:gamma=0.5").bandwidth == 1.0f);
    CHECK(rff("rff:gamma=8").bandwidth == 0.25f);
    CHECK(rff("rff:gamma=0.25,kernel=laplacian").bandwidth == 4.0f);
    const MapRequest request = parse_map("rff:bandwidth=auto,kernel=laplacian");
    CHECK(request.median_bandwidth);
    // Distances of the rows 0, 3, 4 and 10: 1, 3, 4, 6, 7, 10.
    const MatrixF line(4, 1, {0.0f, 3.0f, 4.0f, 10.0f});
    CHECK(std::get<RffSpec>(fit_map(request, line, "x.csv")).bandwidth == 5.0f);
}

TEST_CASE("map text: what is refused, and how")
{
    CHECK(refused("rbf") == "found the unknown map 'rbf' (did you mean 'rff'?), expected rff or arccos");
    CHECK(refused("gaussian") == "found the unknown map 'gaussian', expected rff or arccos");
    CHECK(refused("") == "found the unknown map '', expected rff or arccos");
    CHECK(
        refused("rff:width=2") ==
        "rff: found the unknown key 'width', expected kernel, bandwidth, gamma, form, rows, orders, features or seed");
    CHECK(refused("arccos:ordr=1") == "arccos: found the unknown key 'ordr' (did you mean 'order'?), expected order, "
                                      "rows, sweeps, orders, features or seed");
    CHECK(refused("rff:seed=1,seed=1") == "rff: seed: found the key twice, expected it once");
    CHECK(refused("rff:") == "rff: found '', expected key=value");
    CHECK(refused("rff:seed=1,") == "rff: found '', expected key=value");
    CHECK(refused("rff:features") == "rff: found 'features', expected key=value");
    CHECK(refused("rff:features=") == "rff: features: found '', expected a whole number from 1 to 16777216");
    CHECK(refused("rff:features=0") == "rff: features: found '0', expected a whole number from 1 to 16777216");
    CHECK(refused("rff:features=16777217").starts_with("rff: features: found '16777217'"));
    CHECK(refused("rff:features=1e3").starts_with("rff: features: found '1e3'"));
    CHECK(refused("rff:features=99999999999999999999").starts_with("rff: features: found"));
    CHECK(refused("rff:seed=-1") ==
          "rff: seed: found '-1', expected a whole number from 0 to 18446744073709551615, decimal or after 0x");
    CHECK(refused("rff:seed=0x").starts_with("rff: seed: found '0x'"));
    CHECK(refused("rff:kernel=gausian") ==
          "rff: kernel: found 'gausian', expected gaussian, laplacian or cauchy (did you mean 'gaussian'?)");
    CHECK(refused("arccos:rows=quasi") == "arccos: rows: found 'quasi', expected auto, hadamard, dense, unit or gibbs");
    CHECK(refused("arccos:order=2") == "arccos: order: found '2', expected 1 or 0");
    CHECK(refused("arccos:sweeps=1001") == "arccos: sweeps: found '1001', expected a whole number from 0 to 1000");
    for (const char* number : {"0", "-1", "nan", "inf", "1e-30", "1e30", "1e99", "1x", "", "0x1p3", "1;2"}) {
        CHECK(refused(std::string("rff:bandwidth=") + number) ==
              "rff: bandwidth: found '" + std::string(number) + "', expected a number from 2^-30 to 2^30 or auto");
    }
    for (const char* number : {"0", "-1", "nan", "inf", "1e99", "one"}) {
        CHECK(refused(std::string("rff:gamma=") + number) ==
              "rff: gamma: found '" + std::string(number) +
                  "', expected a positive number that gives a bandwidth from 2^-30 to 2^30");
    }
    CHECK(refused("rff:gamma=1,bandwidth=1") == "rff: gamma: found '1', expected bandwidth or gamma but not both");
    CHECK(refused("rff:gamma=1,bandwidth=auto") == "rff: gamma: found '1', expected bandwidth or gamma but not both");
    CHECK(refused("rff:gamma=1,kernel=cauchy") ==
          "rff: gamma: found '1', expected bandwidth, because the cauchy kernel has no gamma");
    CHECK(refused("rff:rows=\x1b[2J").find('\x1b') == std::string::npos);
}

TEST_CASE("map text: a spec that the core refuses becomes a sentence")
{
    CHECK(unfit("rff:features=1023", 4) ==
          "rff: features: found '1023', expected an even number, because the form is pair; the nearest is 1024");
    CHECK(unfit("rff:features=66,orders=1", 64) == "rff: features: found '66', expected an even number, at least "
                                                   "inputs + 3 for orders=1; the nearest is 68");
    CHECK(unfit("arccos:features=65,orders=1", 64) ==
          "arccos: features: found '65', expected at least inputs + 2 for orders=1; the nearest is 66");
    CHECK(unfit("rff:rows=quasi", 1025) == "rff: inputs: found 1025 (the columns of x.csv), expected at most 1024 for "
                                           "quasi rows; the nearest is 1024");
    CHECK(unfit("rff:kernel=laplacian,rows=hadamard", 4) == "rff: rows: found 'hadamard', expected dense or quasi, "
                                                            "because only the gaussian kernel's spectrum is radial");
    CHECK(unfit("arccos:rows=gibbs,orders=1", 4) ==
          "arccos: orders: found '1', expected none, because gibbs rows are not isotropic");
}

TEST_CASE("map text: a resolved spec printed and read again is the same")
{
    for (const char* text :
         {"rff", "rff:bandwidth=0.1,kernel=laplacian,seed=18446744073709551615", "rff:gamma=3e-7,form=phase",
          "rff:rows=fastfood,features=2", "rff:rows=quasi,orders=none", "rff:bandwidth=auto", "arccos",
          "arccos:order=0,rows=gibbs,sweeps=0", "arccos:rows=unit,features=3", "arccos:orders=1"}) {
        for (const std::size_t cols : {1u, 15u, 16u, 64u}) {
            CAPTURE(text);
            CAPTURE(cols);
            const MapSpec spec = fitted(text, cols);
            CHECK(fitted(map_text(spec), cols) == spec);
            CHECK(std::visit([](const auto& s) { return resolved(s); }, spec));
        }
    }
    CHECK(map_text(fitted("rff:bandwidth=0.1,seed=3", 16)) ==
          "rff:kernel=gaussian,bandwidth=0.1,form=pair,rows=hadamard,orders=1,features=1024,seed=3");
    CHECK(map_text(fitted("arccos:features=8", 2)) == "arccos:order=1,rows=dense,sweeps=0,orders=1,features=8,seed=0");
}

TEST_CASE("map text: seed and features set from outside")
{
    MapSpec spec = ArcCosSpec{};
    set_seed(spec, 9);
    set_features(spec, 12);
    CHECK(seed_of(spec) == 9);
    CHECK(features_of(spec) == 12);
    CHECK(spec == MapSpec(ArcCosSpec{.features = 12, .seed = 9}));
}

TEST_CASE("median distance: by hand, of few rows, and of more than are sampled")
{
    const MatrixF corners(3, 2, {0.0f, 0.0f, 3.0f, 4.0f, 0.0f, 4.0f});
    CHECK(median_distance(corners, Kernel::gaussian) == 4.0);
    CHECK(median_distance(corners, Kernel::laplacian) == 4.0);
    CHECK(median_distance(MatrixF(2, 2, {0.0f, 0.0f, 3.0f, 4.0f}), Kernel::cauchy) == 5.0);
    CHECK(median_distance(MatrixF(2, 2, {0.0f, 0.0f, 3.0f, 4.0f}), Kernel::laplacian) == 7.0);
    CHECK(median_distance(MatrixF(1, 2), Kernel::gaussian) == 0.0);

    // A grid on [0, 1): the median distance is 1 - 1/sqrt(2). The parity of a row must not be met in step.
    MatrixF grid(5000, 1), striped(5000, 1);
    for (std::size_t row = 0; row < grid.rows; ++row) {
        grid.values[row] = static_cast<float>(row) / 5000.0f;
        striped.values[row] = row % 5 == 0 ? 1.0f : 0.0f;
    }
    CHECK(median_distance(grid, Kernel::gaussian) == doctest::Approx(1.0 - std::sqrt(0.5)).epsilon(0.02));
    CHECK(median_distance(striped, Kernel::gaussian) == 0.0);
    CHECK(refusal([&] { fit_map(parse_map("rff:bandwidth=auto"), striped, "x.csv"); }) ==
          "rff: bandwidth: found the median distance 0 between the rows of x.csv, expected one from 2^-30 to 2^30 or "
          "the bandwidth as a number");
}

TEST_CASE("catalogue: every map and key, with the spec's own default")
{
    const auto maps = map_catalogue();
    REQUIRE(maps.size() == 2);
    CHECK(maps[0].name == "rff");
    CHECK(maps[1].name == "arccos");
    for (const MapHelp& map : maps) {
        CHECK(!map.estimates.empty());
        for (const KeyHelp& key : map.keys) {
            CAPTURE(key.name);
            CHECK(!key.values.empty());
            CHECK(!key.meaning.empty());
            if (!key.fallback.empty()) {
                CHECK(parse_map(map.name + ":" + key.name + "=" + key.fallback).spec == parse_map(map.name).spec);
            }
        }
    }
}
