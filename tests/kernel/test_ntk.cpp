// The kernels of fully connected networks, NNGP and NTK: golden values, the recursion of arXiv 2104.01351, Eq. (5), in
// long double, ends and special angles, and the kernel of the truncated Taylor series.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "kernel/series.hpp"
#include "samara/kernel.hpp"

#include "../simd/support.hpp"

namespace {

using namespace samara;
using namespace samara::test;
using V = std::span<const float>;
using Real = long double;

constexpr Real pi = 3.14159265358979323846264338327950288L;

double relative(double found, Real exact)
{
    return static_cast<double>(std::abs((static_cast<Real>(found) - exact) / exact));
}

std::vector<float> random_vector(std::size_t n, RandomNumbers& numbers)
{
    std::vector<float> v(n);
    for (float& value : v)
        value = numbers.symmetric() + numbers.symmetric() + numbers.symmetric();
    return v;
}

// S and K of arXiv 2106.07880, Eq. (3) and (4), made with mpmath in 60 digits by the text's own formulas:
//   k0 = lambda a: 1 - acos(a) / pi;  k1 = lambda a: (sqrt(1 - a*a) + a * (pi - acos(a))) / pi
//   s = k = mpf(cosine);  depth times:  s, k = k1(s), k * k0(s) + k1(s)
struct OfCosine {
    double cosine;
    std::uint32_t depth;
    double nngp, ntk;
};
const OfCosine of_cosine[] = {
    {-1.0, 1, 0.0, 0.0},
    {-1.0, 2, 0.31830988618379067, 0.31830988618379067},
    {-1.0, 5, 0.68095353335573635, 1.4303904972103674},
    {-1.0, 32, 0.97341811256993807, 9.5526193623056064},
    {-1.0 + 0x1p-30, 1, 8.5295095781535254e-15, -1.3737736737510757e-5},
    {-1.0 + 0x1p-30, 2, 0.31830988618379494, 0.31830301731542618},
    {-1.0 + 0x1p-30, 5, 0.68095353335573756, 1.4303885520115223},
    {-1.0 + 0x1p-30, 32, 0.97341811256993809, 9.5526193211519935},
    {-0.75, 1, 0.038002107551934281, -0.13453798457002763},
    {-0.75, 2, 0.33754081286386753, 0.26864399707555077},
    {-0.75, 5, 0.68645850703346223, 1.4389477543380298},
    {-0.75, 32, 0.97353582350199091, 9.5758968140936085},
    {-0.25, 1, 0.20330987784454146, 0.098417533658333025},
    {-0.25, 2, 0.42656642676762379, 0.48218905265642031},
    {-0.25, 5, 0.71356358097311178, 1.6204005598316252},
    {-0.25, 32, 0.9741543827409642, 9.7036695338253888},
    {0.0, 1, 0.31830988618379067, 0.31830988618379067},
    {0.0, 2, 0.49373109020037155, 0.68570863628294249},
    {0.0, 5, 0.73594635062763665, 1.7921959668445928},
    {0.0, 32, 0.97472047512431335, 9.8246765569255282},
    {0x1p-20, 1, 0.31831036302109363, 0.31831083985854133},
    {0x1p-20, 2, 0.49373137778825815, 0.68570955001132393},
    {0x1p-20, 5, 0.73594645034277914, 1.7921967642332261},
    {0x1p-20, 32, 0.97472047777105726, 9.8246771316620602},
    {0.625, 1, 0.695293726141196, 1.1421068770213677},
    {0.625, 2, 0.746580610995642, 1.5971369672084283},
    {0.625, 5, 0.83954489929674198, 2.7684280158128595},
    {0.625, 32, 0.97832765974136189, 10.692678332842887},
    {0.96875, 1, 0.97041046750784763, 1.8618676101379842},
    {0.96875, 2, 0.97194023753330776, 2.6892772789275097},
    {0.96875, 5, 0.97587207559925149, 4.8550066121523884},
    {0.96875, 32, 0.99111039424560022, 16.068587882845633},
    {1.0 - 0x1p-30, 1, 0.99999999906868595, 1.9999862604006173},
    {1.0 - 0x1p-30, 2, 0.99999999906869448, 2.9999587843103615},
    {1.0 - 0x1p-30, 5, 0.99999999906872007, 5.9997939346517078},
    {1.0 - 0x1p-30, 32, 0.99999999906895031, 32.992748160055305},
    {1.0 - 0x1p-50, 1, 0.99999999999999911, 1.9999999865842397},
    {1.0 - 0x1p-50, 2, 0.99999999999999911, 2.999999959752722},
    {1.0 - 0x1p-50, 5, 0.99999999999999911, 5.9999997987636224},
    {1.0 - 0x1p-50, 32, 0.99999999999999911, 32.999992916481092},
    {1.0, 1, 1.0, 2.0},
    {1.0, 2, 1.0, 3.0},
    {1.0, 5, 1.0, 6.0},
    {1.0, 32, 1.0, 33.0},
};

// The same with polynomials for k1 and k0, in 60 digits; their coefficients from binomial(2*i, i) / 4**i / pi, which
// agree with mpmath's taylor(k1, 0, 12) and taylor(k0, 0, 11) to 1e-60. `fixed`: the last one plus 1 - sum(all).
struct Taylor {
    double cosine;
    std::uint32_t depth, relu_degree, step_degree;
    double plain, fixed;
};
const Taylor taylor[] = {
    {-1.0, 1, 0, 0, -0.20422528454052332, 0.0},
    {-0.75, 1, 0, 0, -0.16311614734863595, -0.048239424794591581},
    {0.625, 1, 0, 0, 1.1298195851196055, 1.2095950868932474},
    {1.0 - 0x1p-20, 1, 0, 0, 1.7957728510937052, 1.999997746105597},
    {1.0, 1, 0, 0, 1.7957747154594767, 2.0},
    {-1.0, 1, 2, 5, -0.079056194409690204, 0.0},
    {-0.75, 1, 2, 5, -0.13498392027816601, -0.1317052747235077},
    {0.625, 1, 2, 5, 1.1420426137229902, 1.1426201822100335},
    {1.0 - 0x1p-20, 1, 2, 5, 1.9209412467445043, 1.9999965667213417},
    {1.0, 1, 2, 5, 1.9209438055903098, 2.0},
    {-1.0, 3, 2, 5, 0.658517826606832, 0.68571402318691399},
    {-0.75, 3, 2, 5, 0.66884684945213381, 0.67048642092413543},
    {0.0, 3, 2, 5, 1.0603800504608125, 1.0604869840610565},
    {0.625, 3, 2, 5, 2.0113199903120978, 2.0205842672133914},
    {1.0 - 0x1p-20, 3, 2, 5, 3.5192185297739159, 3.9999879161263631},
    {1.0, 3, 2, 5, 3.5192250978353647, 4.0},
    {-1.0, 8, 2, 5, 2.4782775372383308, 2.5078597586293772},
    {-0.75, 8, 2, 5, 2.5058036876920282, 2.5289479991001926},
    {0.625, 8, 2, 5, 3.7582336324153043, 3.9463627195485413},
    {1.0 - 0x1p-20, 8, 2, 5, 6.2269528637992598, 8.9999527494118143},
    {1.0, 8, 2, 5, 6.2269671014608449, 9.0},
    {-1.0, 1, 8, 3, -0.091634894798514896, 0.0},
    {-0.75, 1, 8, 3, -0.13549204428432706, -0.12642023473062067},
    {0.625, 1, 8, 3, 1.1419823604136994, 1.1440909861044257},
    {1.0 - 0x1p-20, 1, 8, 3, 1.9083626775004631, 1.9999968628836262},
    {1.0, 1, 8, 3, 1.9083651052014851, 2.0},
    {-1.0, 3, 8, 3, 0.6573939970271636, 0.68571806827457609},
    {-0.75, 3, 8, 3, 0.66885728558025095, 0.67170552930390051},
    {0.0, 3, 8, 3, 1.0603739065381363, 1.0608243607328106},
    {0.625, 3, 8, 3, 2.0099479830746072, 2.0362073379659828},
    {1.0 - 0x1p-20, 3, 8, 3, 3.4775989226228528, 3.999989206985212},
    {1.0, 3, 8, 3, 3.4776051517933134, 4.0},
    {-1.0, 1, 64, 64, -0.022346079618764442, 0.0},
    {-0.75, 1, 64, 64, -0.13453798457002763, -0.13453798457002763},
    {0.625, 1, 64, 64, 1.1421068770213677, 1.1421068770213677},
    {1.0 - 0x1p-20, 1, 64, 64, 1.9776492993039653, 1.9999926086784499},
    {1.0, 1, 64, 64, 1.9776539203812356, 2.0},
    {-1.0, 3, 64, 64, 0.678932988589402, 0.68570863628294249},
    {-0.75, 3, 64, 64, 0.66915585257224942, 0.66915585257224942},
    {0.0, 3, 64, 64, 1.060388106802583, 1.060388106802583},
    {0.625, 3, 64, 64, 2.0124617433423475, 2.0124617433423475},
    {1.0 - 0x1p-20, 3, 64, 64, 3.8666210706655487, 3.9999639320769939},
    {1.0, 3, 64, 64, 3.866640153591357, 4.0},
    {-1.0, 8, 64, 64, 2.4881633080669914, 2.4896010960676345},
    {-0.75, 8, 64, 64, 2.5088889426733382, 2.5088889426733388},
    {0.625, 8, 64, 64, 3.7936611783274834, 3.7936611810637525},
    {1.0 - 0x1p-20, 8, 64, 64, 8.2123212883112946, 8.9998072818185235},
    {1.0, 8, 64, 64, 8.2124076559820729, 9.0},
};

// Golden values ntk_0 with nngp_0, and ntk_2 with nngp_2: numpy in double on inputs of three or four decimals. Among
// the rows of y are x[0], -x[1] and x[2] / 2.
struct Pairs {
    std::uint32_t depth;
    std::vector<float> x, y; // rows of 5
    std::vector<double> nngp, ntk;
};
const Pairs pairs[] = {
    {1,
     {-1.057f, -0.759f, -0.726f, -0.364f, 1.245f,  1.453f,  -0.46f,  -0.902f, 0.465f,  1.25f,
      1.521f,  0.975f,  -0.735f, 0.8f,    -0.448f, -0.296f, -0.117f, -2.098f, -1.712f, -0.106f},
     {0.434f,  2.415f, -1.174f, -0.143f, -0.101f, -0.897f, 0.086f,  -0.051f,  0.213f,  -1.186f,
      -2.898f, 1.01f,  0.454f,  -0.657f, 0.605f,  -1.057f, -0.759f, -0.726f,  -0.364f, 1.245f,
      -1.453f, 0.46f,  0.902f,  -0.465f, -1.25f,  0.7605f, 0.4875f, -0.3675f, 0.4f,    -0.224f},
     {1.025634260406842,
      0.6512345466318173,
      3.7325739057729197,
      3.902927,
      0.9932405164340324,
      0.14937400400785825,
      2.120401720966894,
      0.08844531578201374,
      0.45800064327679796,
      1.8484015164340326,
      0.0,
      1.4045231623296142,
      4.183044853588256,
      0.7765938875439135,
      0.431948763407724,
      0.2987480080157165,
      0.5725633246592283,
      2.3224975,
      3.636032079114167,
      1.369929471371587,
      3.2408237030230618,
      3.099282871422837,
      1.6408573486832045,
      0.8514513522239402},
     {0.4062691423817783,
      0.3775049884520516,
      5.666778324023725,
      7.805854,
      0.6191511193795115,
      -0.2299992047201668,
      2.3212040231480837,
      -0.4562349885257028,
      -0.8202209194827405,
      2.3294731193795117,
      0.0,
      2.13702533910861,
      6.942367980768078,
      0.5348332371808745,
      -0.8107182267708426,
      -0.4599984094403336,
      -0.19891532178277999,
      4.644995,
      5.0215315311690185,
      1.4328656582851245,
      3.6907368632034423,
      4.6647056903952775,
      1.3652769734678503,
      0.7685695382840322}},
    {2,
     {-0.495f, 0.3f,   -0.97f, 0.392f, 0.933f, -0.719f, -1.778f, -0.982f, -0.437f, -0.442f,
      0.942f,  -0.06f, 0.057f, 1.023f, 0.256f, -1.805f, -0.231f, 1.406f,  0.284f,  -1.329f},
     {1.993f,  -1.184f, 0.174f,  0.382f, -0.781f, -0.303f, 1.687f, 0.058f,  1.778f,  -0.266f,
      -0.768f, 1.225f,  -1.445f, 0.173f, 0.891f,  -0.495f, 0.3f,   -0.97f,  0.392f,  0.933f,
      0.719f,  1.778f,  0.982f,  0.437f, 0.442f,  0.471f,  -0.03f, 0.0285f, 0.5115f, 0.128f},
     {1.3747844957855757, 2.219694769197358,  3.1097478104322414, 2.300078,           1.6229478485128188,
      0.5457538634683525, 2.96471705708515,   1.9714269949299992, 2.28465178484474,   1.7383923600905629,
      1.6007492232494374, 0.6338178531176225, 2.5992387890715745, 2.2307708685019754, 1.4306164856964463,
      1.091507726936705,  1.9933295206770831, 1.0031389999999998, 2.7640916024653737, 3.633631900167456,
      2.4198303608224254, 1.5852916144131388, 2.7329883317599326, 0.7307105180091017},
     {1.210745930390467,  3.786111918919185,  8.018064267433381,  6.900234,          2.1552816988950183,
      0.7860096027711561, 4.520742496532386,  1.654980696393361,  2.845310868057646, 2.522184249440034,
      1.6007492232494374, 0.644901957602352,  5.512713505017179,  4.099923687794505, 1.7598348699572826,
      1.5720192055423121, 3.6273666649575187, 3.0094169999999996, 3.015830141205474, 5.7199428557638825,
      2.5217875422390907, 1.5621920461253875, 3.411476862914883,  0.7048321428294823}},
};

// Of two vectors in long double, with the angle or its supplement to full relative precision.
struct Exact {
    Real angle, supplement, lengths;
};
Exact exact_angle(V x, V y)
{
    Real xx = 0, yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xx += static_cast<Real>(x[i]) * static_cast<Real>(x[i]);
        yy += static_cast<Real>(y[i]) * static_cast<Real>(y[i]);
    }
    const Real nx = std::sqrt(xx), ny = std::sqrt(yy);
    Real minus = 0, plus = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Real a = static_cast<Real>(x[i]) / nx, b = static_cast<Real>(y[i]) / ny;
        minus += (a - b) * (a - b);
        plus += (a + b) * (a + b);
    }
    minus = std::sqrt(minus);
    plus = std::sqrt(plus);
    if (std::min(minus, plus) < 1e-3L) {
        // Lagrange's identity, |x|^2 |y|^2 sin^2 = sum of (x_i y_j - x_j y_i)^2 over pairs, loses nothing however
        // small.
        Real sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                sum += std::pow(static_cast<Real>(x[i]) * static_cast<Real>(y[j]) -
                                    static_cast<Real>(x[j]) * static_cast<Real>(y[i]),
                                2);
        const Real t = std::asin(std::sqrt(sum) / nx / ny);
        return minus < plus ? Exact{t, pi - t, nx * ny} : Exact{pi - t, t, nx * ny};
    }
    return {2 * std::atan2(minus, plus), 2 * std::atan2(plus, minus), nx * ny};
}

// sin t - t cos t; below 1/8 by its series.
Real arc(Real t)
{
    const Real u = t * t;
    const Real series =
        t * u / 3 * (1 - u / 10 * (1 - u / 28 * (1 - u / 54 * (1 - u / 88 * (1 - u / 130 * (1 - u / 180))))));
    return t < 0.125L ? series : std::sin(t) - t * std::cos(t);
}

// (NNGP, NTK) by angles, which near the ends is the only way to have a reference in long double at all.
std::pair<Real, Real> by_angles(const Exact& e, std::uint32_t depth)
{
    Real angle = e.angle, supplement = e.supplement, nngp = std::cos(angle), ntk = nngp;
    for (std::uint32_t l = 0; l < depth; ++l) {
        nngp = arc(supplement) / pi;
        ntk = ntk * supplement / pi + nngp;
        const Real half = std::sin(angle / 2);
        angle = 2 * std::asin(std::sqrt(half * half - arc(angle) / (2 * pi)));
        supplement = pi - angle;
    }
    return {e.lengths * nngp, e.lengths * ntk};
}

// arXiv 2104.01351, Eq. (5), as it stands: the kernels with their norms, F0 and F1 of K(x,y), K(x,x) and K(y,y).
std::pair<Real, Real> by_recursion(V x, V y, std::uint32_t depth)
{
    Real xy = 0, xx = 0, yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xy += static_cast<Real>(x[i]) * static_cast<Real>(y[i]);
        xx += static_cast<Real>(x[i]) * static_cast<Real>(x[i]);
        yy += static_cast<Real>(y[i]) * static_cast<Real>(y[i]);
    }
    const auto f0 = [](Real k, Real a, Real b) {
        return 1 - std::acos(std::clamp(k / std::sqrt(a * b), -1.0L, 1.0L)) / pi;
    };
    const auto f1 = [](Real k, Real a, Real b) {
        const Real t = std::acos(std::clamp(k / std::sqrt(a * b), -1.0L, 1.0L));
        return std::sqrt(a * b) * (std::sin(t) + (pi - t) * std::cos(t)) / pi;
    };
    Real ntk = xy;
    for (std::uint32_t l = 0; l < depth; ++l) {
        const Real dot = f0(xy, xx, yy);
        xy = f1(xy, xx, yy);
        xx = f1(xx, xx, xx);
        yy = f1(yy, yy, yy);
        ntk = xy + dot * ntk;
    }
    return {xy, ntk};
}

const std::uint32_t depths[] = {1, 2, 3, 4, 7, 8, 16, 31, 32};

struct Errors {
    double nngp = 0.0, ntk = 0.0;
    void see(V x, V y)
    {
        const Exact e = exact_angle(x, y);
        for (const std::uint32_t depth : depths) {
            const auto [s, k] = by_angles(e, depth);
            CHECK(nngp_kernel(x, y, depth) == nngp_kernel(y, x, depth));
            CHECK(ntk_kernel(x, y, depth) == ntk_kernel(y, x, depth));
            nngp = std::max(nngp, relative(nngp_kernel(x, y, depth), s));
            // NTK of depth 1 has a zero where tan s = 2 s, s = 1.1656
            if (depth > 1 || std::abs(e.supplement - 1.1656L) > 0.001L)
                ntk = std::max(ntk, relative(ntk_kernel(x, y, depth), k));
        }
    }
};

// Cholesky's pivots of the matrix plus a little of its trace are positive.
template <class Kernel>
bool semidefinite(const std::vector<std::vector<float>>& points, Kernel k)
{
    const std::size_t n = points.size();
    std::vector<Real> g(n * n);
    Real trace = 0;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j)
            g[i * n + j] = static_cast<Real>(k(points[i], points[j]));
        trace += g[i * n + i];
    }
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = j; i < n; ++i) {
            Real sum = g[i * n + j] + (i == j ? 1e-13L * trace : 0.0L);
            for (std::size_t l = 0; l < j; ++l)
                sum -= g[i * n + l] * g[j * n + l];
            if (i == j && !(sum > 0))
                return false;
            g[i * n + j] = i == j ? std::sqrt(sum) : sum / g[j * n + j];
        }
    }
    return true;
}

} // namespace

TEST_CASE("ntk kernels: golden values")
{
    // K_relu of depths 1, 3 and 8: golden values k_relu_0, numpy in double.
    const double cosines[] = {-1.0, -0.75, -0.25, 0.0, 0.25, 0.75, 0.95, 0.999999, 1.0};
    const std::pair<std::uint32_t, std::vector<double>> k_relu[] = {
        {1,
         {0.0, -0.13453798457002764, 0.09841753365833303, 0.3183098861837907, 0.5984175336583331, 1.3654620154299724,
          1.8073352443063158, 1.9995478425546653, 2.0}},
        {3,
         {0.6857086362829425, 0.6691558525722494, 0.8697525607805641, 1.060388106802583, 1.33568256359107,
          2.3659748590680567, 3.3023625016759253, 3.9972964058898834, 4.0}},
        {8,
         {2.4896010960676342, 2.5088889426733383, 2.6720235629515092, 2.8262739005589426, 3.066949918636224,
          4.28012158960166, 6.196930426982406, 8.983813661887698, 9.0}},
    };
    for (const auto& [depth, values] : k_relu)
        for (std::size_t i = 0; i < values.size(); ++i)
            CHECK(std::abs(ntk_of_cosine(cosines[i], depth) - values[i]) < 1e-13);

    for (const Pairs& p : pairs) {
        const std::size_t columns = p.y.size() / 5;
        REQUIRE(p.ntk.size() == p.x.size() / 5 * columns);
        REQUIRE(p.nngp.size() == p.ntk.size());
        for (std::size_t i = 0; i < p.x.size() / 5; ++i) {
            for (std::size_t j = 0; j < columns; ++j) {
                INFO("depth " << p.depth << ": " << i << " and " << j);
                const V x = V(p.x).subspan(i * 5, 5), y = V(p.y).subspan(j * 5, 5);
                const double s = p.nngp[i * columns + j], k = p.ntk[i * columns + j];
                CHECK(std::abs(nngp_kernel(x, y, p.depth) - s) <= 1e-6 * std::abs(s) + 4e-7);
                CHECK(std::abs(ntk_kernel(x, y, p.depth) - k) <= 1e-6 * std::abs(k) + 8e-7);
            }
        }
    }
}

TEST_CASE("ntk kernels: of a cosine, against 60 digits")
{
    double nngp = 0.0, ntk = 0.0;
    for (const OfCosine& c : of_cosine) {
        INFO("cosine " << c.cosine << ", depth " << c.depth);
        const double s = nngp_of_cosine(c.cosine, c.depth), k = ntk_of_cosine(c.cosine, c.depth);
        if (c.nngp == 0.0) {
            CHECK(s == 0.0);
            CHECK(k == 0.0);
            continue;
        }
        nngp = std::max(nngp, relative(s, static_cast<Real>(c.nngp)));
        ntk = std::max(ntk, relative(k, static_cast<Real>(c.ntk)));
    }
    MESSAGE("relative errors: nngp " << nngp << ", ntk " << ntk);
    CHECK(nngp < 1e-13);
    CHECK(ntk < 1e-13);

    // Beyond the ends, the ends; depth 0 is the cosine; the zero of depth 1 is where the header says.
    CHECK(ntk_of_cosine(1.0 + 1e-15, 3) == ntk_of_cosine(1.0, 3));
    CHECK(nngp_of_cosine(-2.0, 3) == nngp_of_cosine(-1.0, 3));
    CHECK(std::abs(ntk_of_cosine(0.3, 0) - 0.3) < 1e-15);
    CHECK(std::abs(nngp_of_cosine(-0.7, 0) + 0.7) < 1e-15);
    CHECK(ntk_of_cosine(-0.395, 1) < 0.0);
    CHECK(ntk_of_cosine(-0.394, 1) > 0.0);
    for (std::uint32_t depth = 2; depth <= 32; ++depth) {
        double least = 1.0;
        for (int i = -1000; i <= 1000; ++i)
            least = std::min(least, ntk_of_cosine(i / 1000.0, depth));
        CHECK(least > 0.2);
    }
}

TEST_CASE("ntk kernels: the recursion, the univariate form and angles are one kernel")
{
    RandomNumbers numbers(1);
    Errors errors;
    double recursion = 0.0, univariate = 0.0;
    for (int round = 0; round < 1000; ++round) {
        const std::size_t n = 2 + numbers.below(30);
        const std::vector<float> x = random_vector(n, numbers), y = random_vector(n, numbers);
        errors.see(x, y);
        const Exact e = exact_angle(x, y);
        const auto lengths = static_cast<double>(e.lengths), cosine = static_cast<double>(std::cos(e.angle));
        for (const std::uint32_t depth : depths) {
            const auto [s, k] = by_recursion(x, y, depth);
            const double found_s = nngp_kernel(x, y, depth), found_k = ntk_kernel(x, y, depth);
            const auto error = [&](double found, Real exact) {
                return static_cast<double>(std::abs(static_cast<Real>(found) - exact) / e.lengths);
            };
            recursion = std::max({recursion, error(found_s, s), error(found_k, k)});
            // A double's cosine knows its angle to 1e-16 / sin(angle) only.
            const double blunt = std::min(1.0, static_cast<double>(std::sin(e.angle)));
            univariate = std::max({univariate, blunt * std::abs(nngp_of_cosine(cosine, depth) - found_s / lengths),
                                   blunt * std::abs(ntk_of_cosine(cosine, depth) - found_k / lengths) / depth});
        }
    }
    MESSAGE("relative errors: nngp " << errors.nngp << ", ntk " << errors.ntk << "; over |x||y|: Eq. (5) " << recursion
                                     << ", of the cosine " << univariate);
    CHECK(errors.nngp < 1e-12);
    CHECK(errors.ntk < 1e-11); // down to 0.001 from the zero of depth 1
    CHECK(recursion < 1e-12);
    CHECK(univariate < 1e-13);
}

TEST_CASE("ntk kernels: parallel, antiparallel, orthogonal vectors and those that almost are")
{
    RandomNumbers numbers(2);
    Errors parallel, antiparallel, orthogonal;
    for (int round = 0; round < 1000; ++round) {
        const std::size_t n = 2 + 2 * numbers.below(30);
        const std::vector<float> x = random_vector(n, numbers);
        // The largest coordinate to the next float, or all by a few units in the last place, or all times a number.
        std::size_t largest = 0;
        for (std::size_t i = 0; i < n; ++i)
            largest = std::abs(x[i]) > std::abs(x[largest]) ? i : largest;
        std::vector<float> y = x, opposite(n), turned(n);
        if (round % 3 == 0)
            y[largest] = std::nextafter(y[largest], 100.0f);
        else
            for (float& v : y)
                v = round % 3 == 1 ? v * (1.0f + static_cast<float>(numbers.below(64)) * 0x1p-23f) : v * 1.7f;
        std::transform(y.begin(), y.end(), opposite.begin(), [](float v) { return -v; });
        parallel.see(x, y);
        // Equal vectors may come out of the rounding: depth 1 of their antipodes is 0.
        if (exact_angle(x, opposite).supplement > 0)
            antiparallel.see(x, opposite);
        else
            CHECK(ntk_kernel(x, opposite, 1) == 0.0);
        for (std::size_t i = 0; i < n; i += 2) { // by a right angle, and one unit in the last place off it
            turned[i] = -x[i + 1];
            turned[i + 1] = x[i];
        }
        orthogonal.see(x, turned);
        turned[largest] = std::nextafter(turned[largest], 100.0f);
        orthogonal.see(x, turned);

        const auto squares = static_cast<double>(exact_angle(x, x).lengths);
        for (const std::uint32_t depth : depths) {
            for (const float factor : {1.0f, 0.25f, 1024.0f}) { // powers of two round nothing
                std::vector<float> z = x;
                for (float& v : z)
                    v *= factor;
                const double length = squares * static_cast<double>(factor);
                CHECK(std::abs(nngp_kernel(x, z, depth) / length - 1.0) < 1e-14);
                CHECK(std::abs(ntk_kernel(x, z, depth) / length / (depth + 1.0) - 1.0) < 1e-13);
                for (float& v : z)
                    v = -v;
                CHECK(std::abs(nngp_kernel(x, z, depth) / length - nngp_of_cosine(-1.0, depth)) < 1e-14);
                CHECK(std::abs(ntk_kernel(x, z, depth) / length - ntk_of_cosine(-1.0, depth)) < 1e-13);
            }
        }
    }
    for (int exponent = 1; exponent < 140; ++exponent) { // one coordinate smaller and smaller
        const float small = std::ldexp(1.0f, -exponent);
        const float x[] = {1.0f, 0.0f, 2.0f}, y[] = {3.0f, small, 6.0f}, z[] = {-3.0f, small, -6.0f},
                    w[] = {2.0f, small, -1.0f};
        parallel.see(x, y);
        antiparallel.see(x, z);
        orthogonal.see(x, w);
    }
    MESSAGE("relative errors: parallel " << parallel.nngp << ", " << parallel.ntk << "; antiparallel "
                                         << antiparallel.nngp << ", " << antiparallel.ntk << "; orthogonal "
                                         << orthogonal.nngp << ", " << orthogonal.ntk);
    CHECK(parallel.nngp < 1e-12);
    CHECK(parallel.ntk < 1e-12);
    CHECK(antiparallel.nngp < 1e-12); // depth 1 is s^3 / (3 pi)
    CHECK(antiparallel.ntk < 1e-12);
    CHECK(orthogonal.nngp < 1e-12);
    CHECK(orthogonal.ntk < 1e-12);

    // Special angles: pi/2, pi/4, 3 pi/4, pi; depth 2 of orthogonal vectors is made of k1(1/pi) and k0(1/pi).
    const float a[] = {1.0f, 0.0f}, b[] = {0.0f, 3.0f}, c[] = {2.0f, 2.0f}, d[] = {-5.0f, 0.0f};
    const Real t = std::acos(1 / pi), s2 = (std::sin(t) + (pi - t) / pi) / pi;
    CHECK(relative(nngp_kernel(a, b, 1), 3 / pi) < 1e-14);
    CHECK(relative(ntk_kernel(a, b, 1), 3 / pi) < 1e-14);
    CHECK(relative(nngp_kernel(a, b, 2), 3 * s2) < 1e-14);
    CHECK(relative(ntk_kernel(a, b, 2), 3 * (s2 + (1 - t / pi) / pi)) < 1e-14);
    CHECK(relative(ntk_kernel(a, c, 1), (2 + 3 * pi) / pi) < 1e-14);
    CHECK(relative(ntk_kernel(c, d, 1), 5 * (2 - pi) / pi) < 1e-14);
    CHECK(ntk_kernel(a, d, 1) == 0.0);
    CHECK(relative(ntk_kernel(a, d, 2), 5 / pi) < 1e-14);
    CHECK(relative(ntk_kernel(c, c, 32), 33.0L * 8) < 1e-14);
}

TEST_CASE("ntk kernels: norms, zero vectors and vectors of different lengths")
{
    RandomNumbers numbers(3);
    for (int round = 0; round < 100; ++round) {
        const std::size_t n = 1 + numbers.below(20);
        std::vector<float> x(n), y(n), tiny(n), huge(n);
        x[0] = y[0] = 1.0f;
        for (std::size_t i = 1; i < n; ++i) {
            x[i] = static_cast<float>(numbers.below(15)) - 7.0f;
            y[i] = static_cast<float>(numbers.below(15)) - 7.0f;
        }
        for (std::size_t i = 0; i < n; ++i) { // subnormal, and close to the largest floats
            tiny[i] = x[i] * std::numeric_limits<float>::denorm_min();
            huge[i] = y[i] * 0x1p124f;
        }
        for (const std::uint32_t depth : {1u, 2u, 32u}) {
            CHECK(nngp_kernel(tiny, huge, depth) == nngp_kernel(x, y, depth) * 0x1p-25);
            CHECK(ntk_kernel(tiny, huge, depth) == ntk_kernel(x, y, depth) * 0x1p-25);
            CHECK(ntk_kernel(tiny, tiny, depth) == ntk_kernel(x, x, depth) * 0x1p-298);
            CHECK(ntk_kernel(huge, huge, depth) == ntk_kernel(y, y, depth) * 0x1p248);
            std::vector<float> triple = x;
            for (float& v : triple)
                v *= 3.0f;
            CHECK(std::abs(ntk_kernel(triple, y, depth) / 3.0 - ntk_kernel(x, y, depth)) <=
                  1e-12 * static_cast<double>(exact_angle(x, y).lengths));
        }
        CHECK(ntk_taylor_kernel(tiny, huge, 3, 4, 5, true) == ntk_taylor_kernel(x, y, 3, 4, 5, true) * 0x1p-25);
    }
    const float zero[] = {0.0f, -0.0f}, x[] = {1.0f, -2.0f}, longer[] = {1.0f, -2.0f, 0.0f};
    for (const std::uint32_t depth : {0u, 1u, 2u, 32u}) {
        for (const auto& [u, v] : {std::pair<V, V>{zero, x}, {x, zero}, {zero, zero}, {x, longer}, {V(), V()}}) {
            CHECK(nngp_kernel(u, v, depth) == 0.0);
            CHECK(ntk_kernel(u, v, depth) == 0.0);
            CHECK(ntk_taylor_kernel(u, v, depth, 2, 2, false) == 0.0);
            CHECK(ntk_taylor_kernel(u, v, depth, 2, 2, true) == 0.0);
        }
    }
    CHECK(ntk_kernel(x, x, 0) == doctest::Approx(5.0).epsilon(1e-14));
}

TEST_CASE("ntk kernels: Taylor coefficients")
{
    // Golden values taylor_coefficients_0 (k1) and taylor_coefficients_1 (k0).
    const double k1[] = {0.3183098861837907,    0.5, 0.15915494309189535,    0.0, 0.013262911924324612,   0.0,
                         0.0039788735772973835, 0.0, 0.0017762828470077605,  0.0, 0.0009670873278153362,  0.0,
                         0.000593439951159411,  0.0, 0.00039453974774883904, 0.0, 0.0002778217390398076,  0.0,
                         0.0002042806904704467, 0.0, 0.0001553608409104187,  0.0, 0.00012139667439104144, 0.0};
    const double k0[] = {0.5, 0.3183098861837907,   0.0, 0.05305164769729845,   0.0, 0.023873241463784303,
                         0.0, 0.014210262776062084, 0.0, 0.009670873278153363,  0.0, 0.007121279413912931,
                         0.0, 0.005523556468483747, 0.0, 0.004445147824636921,  0.0, 0.0036770524284680407,
                         0.0, 0.003107216818208374, 0.0, 0.0026707268366029115, 0.0, 0.002327649278541273};
    real::ArcCosTerms terms;
    for (std::size_t i = 0; i < 11; ++i) {
        CHECK(relative(terms.relu(), static_cast<Real>(k1[2 * i + 2])) < 1e-14);
        CHECK(relative(terms.step(), static_cast<Real>(k0[2 * i + 1])) < 1e-14);
        terms.next();
    }
    // mpmath: binomial(2*i, i) / 4**i / pi over (2i+1)(2i+2) and over 2i+1, of i = 100 and 1000
    for (std::size_t i = 11; i < 100; ++i)
        terms.next();
    CHECK(relative(terms.relu(), 4.4175848332757326e-7L) < 1e-14);
    CHECK(relative(terms.step(), 8.9235213632169799e-5L) < 1e-14);
    for (std::size_t i = 100; i < 1000; ++i)
        terms.next();
    CHECK(relative(terms.relu(), 1.417456508376247e-9L) < 1e-13);
    CHECK(relative(terms.step(), 2.8377479297692464e-6L) < 1e-13);

    // 1 - P(1) and 1 - Q(1) to three digits, and none with the last coefficient completed.
    const std::pair<std::uint32_t, std::pair<double, double>> missing[] = {
        {0, {2.25e-2, .1817}}, {8, {1.08e-3, .0601}}, {128, {2.04e-5, .0158}}, {1000, {9.45e-7, .00568}}};
    for (const auto& [order, mass] : missing) {
        CHECK(1.0 - real::relu_polynomial(1.0, order, false) == doctest::Approx(mass.first).epsilon(5e-3));
        CHECK(1.0 - real::step_polynomial(1.0, order, false) == doctest::Approx(mass.second).epsilon(5e-3));
        for (const double end : {-1.0, 1.0}) {
            CHECK(std::abs(real::relu_polynomial(end, order, true) - (end > 0.0)) < 1e-14);
            CHECK(std::abs(real::step_polynomial(end, order, true) - (end > 0.0)) < 1e-14);
        }
    }
}

TEST_CASE("ntk kernels: by truncated Taylor series, against 60 digits")
{
    double plain = 0.0, fixed = 0.0;
    for (const Taylor& t : taylor) {
        INFO("cosine " << t.cosine << ", depth " << t.depth << ", degrees " << t.relu_degree << " " << t.step_degree);
        const auto found = [&](bool fix) {
            return ntk_taylor_of_cosine(t.cosine, t.depth, t.relu_degree, t.step_degree, fix);
        };
        plain = std::max(plain, relative(found(false), static_cast<Real>(t.plain)));
        if (t.fixed == 0.0)
            CHECK(std::abs(found(true)) < 1e-14);
        else
            fixed = std::max(fixed, relative(found(true), static_cast<Real>(t.fixed)));
    }
    MESSAGE("relative errors: plain " << plain << ", with the diagonal fixed " << fixed);
    CHECK(plain < 1e-12);
    CHECK(fixed < 1e-12);

    RandomNumbers numbers(4);
    for (int round = 0; round < 200; ++round) {
        const std::size_t n = 2 + numbers.below(30);
        const std::vector<float> x = random_vector(n, numbers), y = random_vector(n, numbers);
        const Exact e = exact_angle(x, y), same = exact_angle(x, x);
        const auto lengths = static_cast<double>(e.lengths), squares = static_cast<double>(same.lengths);
        const auto cosine = static_cast<double>(std::cos(e.angle));
        for (const std::uint32_t depth : {1u, 3u, 32u}) {
            for (const bool fix : {false, true}) {
                const double found = ntk_taylor_kernel(x, y, depth, 8, 5, fix);
                CHECK(found == ntk_taylor_kernel(y, x, depth, 8, 5, fix));
                CHECK(std::abs(found / lengths - ntk_taylor_of_cosine(cosine, depth, 8, 5, fix)) < 1e-12);
            }
            CHECK(std::abs(ntk_taylor_kernel(x, x, depth, 8, 5, true) / squares / (depth + 1.0) - 1.0) < 1e-13);
            CHECK(ntk_taylor_kernel(x, x, depth, 8, 5, false) < squares * (depth + 1.0));
            // High degrees come back to the kernel: the tails are below 1e-6 and 6e-3, and smaller inside.
            if (std::abs(cosine) < 0.95)
                CHECK(std::abs(ntk_taylor_kernel(x, y, 3, 1000, 1000, false) - ntk_kernel(x, y, 3)) < 1e-10 * lengths);
        }
        CHECK(ntk_taylor_of_cosine(cosine, 0, 8, 5, true) == cosine);
    }
}

TEST_CASE("ntk kernels: Gram matrices are positive semidefinite")
{
    RandomNumbers numbers(5);
    std::vector<std::vector<float>> points;
    for (int i = 0; i < 16; ++i)
        points.push_back(random_vector(4, numbers));
    for (std::size_t i = 0; i < 8; ++i) { // with a parallel, an antiparallel and an almost parallel neighbour of some
        std::vector<float> v = points[i];
        for (float& value : v)
            value *= i % 3 == 0 ? 2.0f : i % 3 == 1 ? -1.0f : 1.0001f;
        v[0] = i % 3 == 2 ? std::nextafter(v[0], 9.0f) : v[0];
        points.push_back(v);
    }
    points.push_back(std::vector<float>(4, 0.0f));
    for (const std::uint32_t depth : {1u, 2u, 8u, 32u}) {
        CHECK(semidefinite(points, [=](V x, V y) { return nngp_kernel(x, y, depth); }));
        CHECK(semidefinite(points, [=](V x, V y) { return ntk_kernel(x, y, depth); }));
        CHECK(semidefinite(points, [=](V x, V y) { return ntk_taylor_kernel(x, y, depth, 2, 3, false); }));
        CHECK(semidefinite(points, [=](V x, V y) { return ntk_taylor_kernel(x, y, depth, 2, 3, true); }));
    }
    // and the check sees what is not
    CHECK_FALSE(semidefinite(points, [](V x, V y) { return ntk_kernel(x, y, 1) - 2.0 * nngp_kernel(x, y, 0); }));
}
