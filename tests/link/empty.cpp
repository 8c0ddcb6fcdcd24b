// What an image takes before there is a map in it.
#include "measure.hpp"

extern "C" int firmware_main()
{
    return samara::test::measure(0, [](const float*) { return true; });
}
