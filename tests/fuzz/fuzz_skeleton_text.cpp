// Any text as a skeleton: refused with a line's number, or bytes that are one.
#include "ports/host/skeleton/skeleton_text.hpp"
#include "samara/skeleton.hpp"
#include "sandbox.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text(reinterpret_cast<const char*>(data), size);
    std::vector<std::byte> bytes;
    samara::Skeleton skeleton;
    if (fuzz::accepted([&] { bytes = samara::desk::skeleton_from_text(text, "net.txt"); }))
        fuzz::require(samara::Skeleton::read(bytes, skeleton), "a text that is accepted is a skeleton");
    return 0;
}
