// Any bytes are safe to open, and what opens is safe to compute with. libFuzzer's inputs get a right CRC, so that the
// checks behind it are reached.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "samara/predictor.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace samara;
    // Exactly as long as the input, so that the sanitizer sees a byte too many; aligned by malloc.
    auto* bytes = static_cast<std::byte*>(std::malloc(size == 0 ? 1 : size));
    if (bytes == nullptr)
        return 0;
    std::memcpy(bytes, data, size);
    if (size >= 20) {
        const std::uint32_t total = read_u32(bytes + 12);
        if (total >= 20 && total <= size) {
            const std::uint32_t crc = crc32({bytes, total - 4});
            std::memcpy(bytes + total - 4, &crc, 4);
        }
    }
    AllMaps::In<Predictor> predictor;
    // What would compute for longer is refused; what computes may need some memory.
    constexpr std::uint64_t most_operations = 1u << 22;
    if (predictor.open({bytes, size}, {.most_operations = most_operations}) == Status::ok) {
        const Model& model = predictor.model();
        for (std::uint32_t o = 0; o < model.outputs(); ++o)
            if (std::strlen(model.label(o)) > size)
                std::abort();
        const std::span<const std::byte> words = model.application().data;
        if (words.size() > most_application_bytes || (!words.empty() && words.data() + words.size() > bytes + size))
            std::abort();
        if (predictor.operations() > most_operations || predictor.workspace_bytes() == 0)
            std::abort();
        if (predictor.workspace_bytes() <= 1u << 24) {
            std::vector<float> x(model.inputs(), 0.75f), scores(model.outputs()), z(model.features());
            std::vector<std::uint32_t> work(predictor.workspace_bytes() / 4);
            const auto memory = std::as_writable_bytes(std::span<std::uint32_t>(work));
            std::uint32_t output = 0;
            const Status status = predictor.predict(x, output, scores, memory);
            if (status == Status::ok && output >= model.outputs())
                std::abort();
            (void)predictor.features(x, z, memory);
        }
    }
    std::free(bytes);
    return 0;
}
