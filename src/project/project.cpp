#include "project/kernels.hpp"

namespace samara {

SAMARA_KERNEL_TABLES(project, SAMARA_PROJECT_KERNELS)

} // namespace samara
