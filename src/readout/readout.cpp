#include "readout/kernels.hpp"

namespace samara {

SAMARA_KERNEL_TABLES(readout, SAMARA_READOUT_KERNELS)

} // namespace samara
