// Any text as a map: what is accepted can be said again and is the same map, and computes features of a sample.
#include "ports/host/text/map_text.hpp"
#include "ports/host/training/compute.hpp"
#include "sandbox.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace samara::desk;
    fuzz::Input in(data, size);
    MatrixF x(3, 1u + in.byte() % 12u);
    for (std::size_t i = 0; i < x.values.size(); ++i)
        x.values[i] = static_cast<float>(i % 5) - 1.5f;
    const std::string text = in.rest();
    MapSpec spec;
    MapRequest request;
    if (!fuzz::accepted([&] { request = parse_map(text); }) ||
        !fuzz::accepted([&] { spec = fit_map(request, x, "data.csv"); }))
        return 0;
    MapSpec again;
    fuzz::require(fuzz::accepted([&] { again = fit_map(parse_map(map_text(spec)), x, "data.csv"); }),
                  "a map's text is accepted");
    fuzz::require(again == spec, "a map's text gives the same map");
    const bool small = std::visit(
        [](const auto& s) {
            return s.features <= 1024 && samara::workspace_bytes(s) <= 1u << 20 && operations(s, {}) <= 5'000'000;
        },
        spec);
    if (small)
        fuzz::accepted([&] { static_cast<void>(compute_features(spec, {}, x, 1)); });
    return 0;
}
