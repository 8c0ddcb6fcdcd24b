#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "ports/host/text/error.hpp"
#include "ports/host/text/map_text.hpp"
#include "ports/host/training/compute.hpp"
#include "ports/host/training/map_twin.hpp"
#include "ports/host/training/ntk_fit.hpp"
#include "tests/host/refusal.hpp"

namespace {

using namespace samara;
using namespace samara::desk;
using samara::desk::test::refusal;

RffSpec rff(const std::string& text) { return std::get<RffSpec>(parse_map(text).spec); }
ArcCosSpec arccos(const std::string& text) { return std::get<ArcCosSpec>(parse_map(text).spec); }
PolynomialSpec polynomial(const std::string& text) { return std::get<PolynomialSpec>(parse_map(text).spec); }
DotSpec dot(const std::string& text) { return std::get<DotSpec>(parse_map(text).spec); }
template <class Spec>
Spec parsed(const std::string& text)
{
    return std::get<Spec>(parse_map(text).spec);
}

// Of the names that there are, in the order of the list.
const std::string maps_list = [] {
    std::vector<std::string> names;
    for (const MapHelp& map : map_catalogue()) {
        names.push_back(map.name);
    }
    return "expected " + one_of(names);
}();

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
    CHECK(polynomial("polynomial") == PolynomialSpec{});
    CHECK(dot("dot") == DotSpec{});
    CHECK(parsed<NngpSpec>("nngp") == NngpSpec{});
    CHECK(parsed<NtkSpec>("ntk") == NtkSpec{});
    CHECK(parsed<NtkSketchSpec>("ntk-sketch") == NtkSketchSpec{});
    CHECK(parsed<NtkPolySpec>("ntk-poly") == NtkPolySpec{});
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
    CHECK(arccos("arccos:pairs=45,orders=2") == ArcCosSpec{.orders = Orders::two, .pairs = 45});
    CHECK(arccos("arccos:rows=dense").rows == Rows::dense);
    CHECK(polynomial("polynomial:seed=3,features=9,orders=1,sketch=count,offset=0,scale=0.25,degree=32") ==
          PolynomialSpec{.features = 9,
                         .degree = 32,
                         .sketch = PowerSketch::count,
                         .orders = Orders::one,
                         .scale = 0.25f,
                         .offset = 0.0f,
                         .seed = 3});
    CHECK(dot("dot:coefficients=0.5;0;1e-3,sketch=srht,orders=none,features=77,seed=0x10") ==
          DotSpec{.features = 77, .orders = Orders::none, .coefficients = {{0.5f, 0.0f, 1e-3f}, 3}, .seed = 16});
    CHECK(dot("dot:coefficients=2").coefficients == Coefficients{{2.0f}, 1});
    CHECK(parsed<NngpSpec>("nngp:seed=2,features=9,orders=1,sweeps=4,rows=unit,depth=16") ==
          NngpSpec{.features = 9, .depth = 16, .rows = Rows::unit, .orders = Orders::one, .sweeps = 4, .seed = 2});
    CHECK(parsed<NtkSpec>("ntk:depth=3,step=64,relu=30,tensor=60,sketch=count,rows=gibbs,sweeps=0,orders=none,"
                          "features=90,seed=7") == NtkSpec{.features = 90,
                                                           .depth = 3,
                                                           .step = 64,
                                                           .relu = 30,
                                                           .tensor = 60,
                                                           .sketch = NtkTensor::count,
                                                           .rows = Rows::gibbs,
                                                           .orders = Orders::none,
                                                           .sweeps = 0,
                                                           .seed = 7});
    CHECK(parsed<NtkSpec>("ntk:sketch=none").sketch == NtkTensor::none);
    CHECK(parsed<NtkSpec>("ntk:sketch=srht,rows=auto,orders=auto") == NtkSpec{});
    CHECK(parsed<NtkSketchSpec>("ntk-sketch:depth=2,relu-degree=0,step-degree=15,relu=32768,tensor=4,relu-powers=5,"
                                "step-powers=6,fix-diagonal=no,base=osnap,rows=dense,orders=none,features=5,seed=1") ==
          NtkSketchSpec{.features = 5,
                        .depth = 2,
                        .relu_degree = 0,
                        .step_degree = 15,
                        .relu = 32768,
                        .tensor = 4,
                        .relu_powers = 5,
                        .step_powers = 6,
                        .fix_diagonal = false,
                        .base = PolyBase::osnap,
                        .rows = Rows::dense,
                        .orders = Orders::none,
                        .seed = 1});
    CHECK(parsed<NtkSketchSpec>("ntk-sketch:fix-diagonal=yes,base=srht,rows=auto,orders=auto") == NtkSketchSpec{});
    CHECK(parsed<NtkPolySpec>("ntk-poly:depth=32,degree=2,rows=dense,orders=none,features=16777216,seed=3") ==
          NtkPolySpec{
              .features = 16777216, .depth = 32, .degree = 2, .rows = Rows::dense, .orders = Orders::none, .seed = 3});
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
    CHECK(refused("rft") == "found the unknown map 'rft' (did you mean 'rff'?), " + maps_list);
    CHECK(refused("wavelet") == "found the unknown map 'wavelet', " + maps_list);
    CHECK(refused("rbf") == "found the unknown map 'rbf', which samara calls rff; " + maps_list);
    CHECK(refused("") == "found the unknown map '', " + maps_list);
    CHECK(refused("polynomal").starts_with("found the unknown map 'polynomal' (did you mean 'polynomial'?)"));
    CHECK(refused("rff:width=2") == "rff: found the unknown key 'width', expected kernel, bandwidth, gamma, form, "
                                    "rows, orders, numbers, features or seed");
    CHECK(refused("arccos:ordr=1") == "arccos: found the unknown key 'ordr' (did you mean 'order'?), expected order, "
                                      "rows, sweeps, orders, pairs, numbers, features or seed");
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
    for (const char* number : {"0", "33", "-1", "2.0", ""}) {
        CHECK(refused(std::string("polynomial:degree=") + number) ==
              "polynomial: degree: found '" + std::string(number) + "', expected a whole number from 1 to 32");
    }
    for (const char* number : {"0", "-1", "1e30", "nan", "inf", "x", ""}) {
        CHECK(refused(std::string("polynomial:scale=") + number) ==
              "polynomial: scale: found '" + std::string(number) + "', expected a number: 2^-30 to 2^30");
    }
    for (const char* number : {"-0", "-1", "1e-30", "1e30", "nan", "1;2", ""}) {
        CHECK(refused(std::string("polynomial:offset=") + number) ==
              "polynomial: offset: found '" + std::string(number) + "', expected a number: 0, 2^-30 to 2^30");
    }
    CHECK(refused("polynomial:sketch=osnap") == "polynomial: sketch: found 'osnap', expected srht or count");
    CHECK(refused("polynomial:orders=2") == "polynomial: orders: found '2', expected auto, none or 1");
    CHECK(refused("polynomial:features=1048577") ==
          "polynomial: features: found '1048577', expected a whole number from 1 to 1048576");
    CHECK(refused("polynomial:rows=dense").starts_with("polynomial: found the unknown key 'rows'"));
    std::string many = "1";
    for (unsigned j = 0; j < 33; ++j) {
        many += ";1";
    }
    CHECK(dot("dot:coefficients=" + many.substr(2)).coefficients.count == 33);
    for (const std::string& list :
         {std::string(), std::string(";"), std::string("1;"), std::string(";1"), std::string("1;;1"),
          std::string("1;0"), std::string("0"), std::string("1;-1"), std::string("1;nan"), std::string("1;1e30"),
          std::string("1;1e-30"), std::string("1 ;1"), std::string("1:1")}) {
        CHECK(refused("dot:coefficients=" + list) ==
              "dot: coefficients: found '" + list +
                  "', expected 1 to 33 numbers joined by ';', each 0 or from 2^-60 "
                  "to 2^60, the last one above 0");
    }
    CHECK(refused("dot:coefficients=" + many).starts_with("dot: coefficients: found '1;1;1"));
    CHECK(refused("dot:coefficients=1,2") == "dot: found '2', expected key=value");
    for (const char* map : {"nngp", "ntk", "ntk-sketch"}) {
        for (const char* number : {"0", "17", "-1", "1.0", ""}) {
            CHECK(refused(std::string(map) + ":depth=" + number) ==
                  std::string(map) + ": depth: found '" + number + "', expected a whole number from 1 to 16");
        }
    }
    CHECK(refused("ntk-poly:depth=33") == "ntk-poly: depth: found '33', expected a whole number from 1 to 32");
    CHECK(refused("ntk-poly:degree=1") == "ntk-poly: degree: found '1', expected a whole number from 2 to 32");
    CHECK(
        refused("ntk-poly:coefficients=1;1") ==
        "ntk-poly: found the unknown key 'coefficients', expected depth, degree, rest, rows, orders, features or seed");
    CHECK(refused("ntk-poly:rows=unit") == "ntk-poly: rows: found 'unit', expected auto, hadamard or dense");
    CHECK(refused("nngp:rows=quasi") == "nngp: rows: found 'quasi', expected auto, hadamard, dense, unit or gibbs");
    CHECK(refused("nngp:sweeps=1001").starts_with("nngp: sweeps: found '1001'"));
    CHECK(refused("nngp:features=1048577") ==
          "nngp: features: found '1048577', expected a whole number from 1 to 1048576");
    CHECK(refused("ntk:sketch=osnap") == "ntk: sketch: found 'osnap', expected srht, count or none");
    CHECK(refused("ntk:step=1048577") == "ntk: step: found '1048577', expected a whole number from 0 to 1048576");
    CHECK(refused("ntk:wavelets=2") ==
          "ntk: found the unknown key 'wavelets', expected depth, step, relu, tensor, sketch, "
          "rows, sweeps, orders, features or seed");
    CHECK(refused("ntk-sketch:relu-degree=16") ==
          "ntk-sketch: relu-degree: found '16', expected a whole number from 0 to 15");
    CHECK(refused("ntk-sketch:tensor=32769") ==
          "ntk-sketch: tensor: found '32769', expected a whole number from 0 to 32768");
    CHECK(refused("ntk-sketch:fix-diagonal=1") == "ntk-sketch: fix-diagonal: found '1', expected yes or no");
    CHECK(refused("ntk-sketch:step_degree=1").find("(did you mean 'step-degree'?)") != std::string::npos);
    CHECK(refused("ntk-sketch:orders=2") == "ntk-sketch: orders: found '2', expected auto, none or 1");
    CHECK(refused("ntk-sketch:size=64").starts_with("ntk-sketch: found the unknown key 'size'"));
    CHECK(refused("ntk-polly").starts_with("found the unknown map 'ntk-polly' (did you mean 'ntk-poly'?)"));
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
          "arccos: orders: found '1', expected none or even, because gibbs rows are not isotropic");
    CHECK(unfit("polynomial:offset=0,orders=1", 4) ==
          "polynomial: orders: found '1', expected none, because the kernel has no orders 0 and 1");
    CHECK(unfit("polynomial:features=8,orders=1", 16) ==
          "polynomial: features: found '8', expected enough for the exact orders and each sketched one; the nearest "
          "is 18");
    CHECK(unfit("dot", 4) == "dot: coefficients: found none, expected 1 to 33 of them");
    CHECK(unfit("dot:coefficients=0;0;1,orders=1", 4) ==
          "dot: orders: found '1', expected none, because the kernel has no orders 0 and 1");
    CHECK(
        unfit("dot:coefficients=1;1;1,sketch=count,orders=none,features=8", 4).starts_with("dot: features: found '8'"));
    CHECK(unfit("nngp:orders=1,features=18,depth=3", 16) ==
          "nngp: features: found '18', expected at least inputs + 1 + depth for orders=1; the nearest is 20");
    CHECK(unfit("nngp:orders=1,rows=gibbs", 16) ==
          "nngp: orders: found '1', expected none, because gibbs rows are not isotropic");
    CHECK(unfit("ntk:relu=10,tensor=20,orders=none,features=40", 16) ==
          "ntk: features: found '40', expected what the sizes relu and tensor make; the nearest is 30");
    CHECK(unfit("ntk:sketch=none,orders=1", 16) ==
          "ntk: orders: found '1', expected none, because sketch=none is the whole tensor product");
    CHECK(unfit("ntk:sketch=none,step=10,relu=10", 64) == "accepted");
    CHECK(unfit("ntk:sketch=none,step=20,relu=10", 64) ==
          "ntk: features: found '1024', expected at least relu (1 + step + ... ) + inputs step^depth for sketch=none; "
          "the nearest is 1290");
    CHECK(unfit("ntk:sketch=count,relu=10,tensor=14,orders=none,features=24", 16) ==
          "ntk: tensor: found '14', expected even, with half of it without prime factors above 5, for sketch=count; "
          "the nearest is 16");
    CHECK(unfit("ntk-sketch:relu=3", 16) == "ntk-sketch: relu: found '3', expected 4 to 32768, or 0; the nearest is 4");
    CHECK(
        unfit("ntk-sketch:orders=none,features=40000", 16) ==
        "ntk-sketch: relu: found '0', expected 4 to 32768, because the features leave no such size for 0; the nearest "
        "is 32768");
    CHECK(unfit("ntk-sketch:orders=1,fix-diagonal=no", 16) ==
          "ntk-sketch: orders: found '1', expected none, because fix-diagonal=no is the text's own form");
    CHECK(unfit("ntk-sketch:orders=1,relu=10,tensor=20", 16) ==
          "ntk-sketch: features: found '1024', expected what the sizes relu and tensor make; the nearest is 47");
    CHECK(unfit("ntk-sketch:orders=1,relu=1000,features=500", 20)
              .ends_with("relu and tensor features; the nearest is 1025"));
    CHECK(unfit("ntk-sketch:orders=1,relu=32768,tensor=32768,depth=16", 20)
              .ends_with("expected what the sizes relu and tensor make"));
    CHECK(unfit("ntk-poly:features=17,orders=1", 16) ==
          "ntk-poly: features: found '17', expected at least inputs + 2 for orders=1; the nearest is 18");
}

TEST_CASE("map text: the coefficients of ntk-poly are those of its depth and degree")
{
    const auto spec = std::get<NtkPolySpec>(fitted("ntk-poly:depth=3,degree=12", 20));
    CHECK(spec.coefficients.count == 13);
    CHECK(spec.coefficients == ntk_poly_coefficients(3, 12));
    const auto last = std::get<NtkPolySpec>(fitted("ntk-poly:depth=3,degree=12,rest=last", 20));
    CHECK(last.coefficients == ntk_poly_coefficients(3, 12, Remainder::last));
    CHECK(last.coefficients.c[12] > spec.coefficients.c[12]);
    const auto fit = std::get<NtkPolySpec>(fitted("ntk-poly:depth=3,degree=12,rest=fit", 20));
    CHECK(fit.coefficients == fit_ntk_poly(3, 12));
    CHECK(fit.remainder == Remainder::fit);
    CHECK(resolved(fit));
    CHECK(fitted(map_text(fit), 20) == MapSpec(fit));
    CHECK(refused("ntk-poly:rest=optimal") == "ntk-poly: rest: found 'optimal', expected spread, last or fit");
    CHECK(resolved(spec));
    CHECK(coefficients_text({{0.5f, 0.0f, 2.0f}, 3}) == "0.5;0;2");
    CHECK(coefficients_text({}).empty());
}

TEST_CASE("map text: the exact kernel needs no sizes")
{
    for (const char* text :
         {"rff:features=2", "arccos:orders=1", "arccos:orders=2,pairs=300", "polynomial:features=1",
          "nngp:features=3,orders=1", "ntk:relu=10,tensor=20,features=7", "ntk:sketch=none,step=500,relu=500",
          "ntk:sketch=count,tensor=7", "ntk-sketch", "ntk-sketch:features=1,relu=32768", "ntk-poly:features=1"}) {
        CAPTURE(text);
        const MapSpec spec = fit_map(parse_map(text), data_of(2, 1000), "x.csv", MapUse::kernel);
        CHECK(std::visit([](const auto& s) { return s.inputs; }, spec) == 1000);
        CHECK(kernel_matrix(spec, MatrixF(1, 1000, std::vector<float>(1000, 1.0f)), 1).values[0] > 0.0);
    }
}

TEST_CASE("map text: a resolved spec printed and read again is the same")
{
    for (const char* text : {"rff",
                             "rff:bandwidth=0.1,kernel=laplacian,seed=18446744073709551615",
                             "rff:gamma=3e-7,form=phase",
                             "rff:rows=fastfood,features=2",
                             "rff:rows=quasi,orders=none",
                             "rff:bandwidth=auto",
                             "arccos",
                             "arccos:order=0,rows=gibbs,sweeps=0",
                             "arccos:rows=unit,features=3",
                             "arccos:orders=1",
                             "arccos:orders=2",
                             "arccos:orders=2,pairs=1,rows=unit",
                             "polynomial",
                             "polynomial:degree=5,scale=0.1,offset=3e-7,sketch=count,seed=18446744073709551615",
                             "polynomial:offset=0,degree=1,features=1",
                             "polynomial:orders=1,degree=3",
                             "dot:coefficients=0.1;0;3e-17;0.7,orders=1",
                             "dot:coefficients=1",
                             "dot:coefficients=0;0;1e18,sketch=count",
                             "nngp",
                             "nngp:depth=4,rows=gibbs,sweeps=2",
                             "nngp:orders=1,depth=2",
                             "ntk",
                             "ntk:depth=3,sketch=count",
                             "ntk:sketch=none,depth=2,features=5000",
                             "ntk:rows=gibbs,features=77",
                             "ntk:depth=2,orders=1,features=333,rows=unit",
                             "ntk:relu=100,tensor=200,step=50,orders=none,features=300",
                             "ntk-sketch",
                             "ntk-sketch:relu=77,tensor=60,relu-powers=33,fix-diagonal=no,base=osnap,relu-degree=0",
                             "ntk-sketch:orders=none,rows=dense,features=99",
                             "ntk-sketch:orders=1,depth=3,features=999",
                             "ntk-poly",
                             "ntk-poly:depth=32,degree=32,rows=dense",
                             "ntk-poly:depth=2,rest=fit",
                             "ntk-poly:degree=2,orders=none,seed=18446744073709551615"}) {
        for (const std::size_t cols : {1u, 15u, 16u, 64u}) {
            CAPTURE(text);
            CAPTURE(cols);
            const MapSpec spec = fitted(text, cols);
            CHECK(fitted(map_text(spec), cols) == spec);
            CHECK(std::visit([](const auto& s) { return resolved(s); }, spec));
        }
    }
    CHECK(map_text(fitted("rff:bandwidth=0.1,seed=3", 16)) ==
          "rff:kernel=gaussian,bandwidth=0.1,form=pair,rows=hadamard,orders=none,numbers=float,features=1024,seed=3");
    CHECK(map_text(fitted("rff:bandwidth=0.1,seed=3,orders=1", 16)) ==
          "rff:kernel=gaussian,bandwidth=0.1,form=pair,rows=hadamard,orders=1,numbers=float,features=1024,seed=3");
    CHECK(map_text(fitted("polynomial:offset=0.1,seed=3", 16)) ==
          "polynomial:degree=2,scale=1,offset=0.1,numbers=float,sketch=srht,orders=1,features=1024,seed=3");
    CHECK(map_text(fitted("dot:coefficients=0.1;0;2,orders=none", 16)) ==
          "dot:coefficients=0.1;0;2,sketch=srht,orders=none,features=1024,seed=0");
    CHECK(map_text(fitted("nngp:seed=3", 16)) == "nngp:depth=1,rows=hadamard,sweeps=0,orders=1,features=1024,seed=3");
    CHECK(map_text(fitted("ntk:orders=none,features=100,rows=gibbs", 16)) ==
          "ntk:depth=1,step=64,relu=40,tensor=60,sketch=srht,rows=gibbs,sweeps=1,orders=none,features=100,seed=0");
    CHECK(map_text(fitted("ntk-sketch:fix-diagonal=no", 16)) ==
          "ntk-sketch:depth=1,relu-degree=4,step-degree=4,relu=1024,tensor=1024,relu-powers=1024,step-powers=1024,"
          "fix-diagonal=no,base=srht,rows=hadamard,orders=none,features=1024,seed=0");
    CHECK(map_text(fitted("ntk-sketch:features=117", 16)) ==
          "ntk-sketch:depth=1,relu-degree=4,step-degree=4,relu=30,tensor=70,relu-powers=128,step-powers=128,"
          "fix-diagonal=yes,base=srht,rows=hadamard,orders=1,features=117,seed=0");
    CHECK(map_text(fitted("ntk-poly:depth=2", 16)) ==
          "ntk-poly:depth=2,degree=32,rest=spread,rows=hadamard,orders=1,features=1024,seed=0");
    // Exact features are a quarter at most.
    CHECK(map_text(fitted("arccos:features=11", 2)) ==
          "arccos:order=1,rows=dense,sweeps=0,orders=none,pairs=0,numbers=float,features=11,seed=0");
    CHECK(map_text(fitted("arccos:features=18", 2)) ==
          "arccos:order=1,rows=dense,sweeps=0,orders=1,pairs=0,numbers=float,features=18,seed=0");
    CHECK(map_text(fitted("arccos:orders=2,features=8", 2)) ==
          "arccos:order=1,rows=dense,sweeps=0,orders=2,pairs=3,numbers=float,features=8,seed=0");
}

TEST_CASE("map text: seed and features set from outside")
{
    MapSpec spec = ArcCosSpec{};
    set_seed(spec, 9);
    set_features(spec, 12);
    CHECK(seed_of(spec) == 9);
    CHECK(features_of(spec) == 12);
    CHECK(spec == MapSpec(ArcCosSpec{.features = 12, .seed = 9}));
    CHECK(most_features_of(spec) == most_features);
    CHECK(has_rows(spec));
    CHECK(name_of(spec) == "arccos");
    spec = DotSpec{};
    CHECK(most_features_of(spec) == most_inputs);
    CHECK(!has_rows(spec));
    CHECK(name_of(spec) == "dot");
    spec = NtkPolySpec{};
    CHECK(most_features_of(spec) == most_features);
    CHECK(has_rows(spec));
    for (const char* name : {"nngp", "ntk", "ntk-sketch"}) {
        spec = parse_map(name).spec;
        CHECK(name_of(spec) == name);
        CHECK(most_features_of(spec) == most_inputs);
        CHECK(!has_rows(spec));
    }
    CHECK(MapTwin<NtkSketchSpec>::overflow_advice({.fix_diagonal = false}) ==
          std::string("fix-diagonal=yes, or another seed"));
    CHECK(MapTwin<NtkSketchSpec>::overflow_advice({}) == std::string("another seed, larger sizes or lower degrees"));
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
    CHECK(maps.size() == AllMaps::count); // test_every_map.cpp compares the names
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
