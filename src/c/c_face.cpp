// The C functions for the maps that the build names. A file of its own, so that a program's own SAMARA_C_FACE takes its
// place: no other object of the archive needs this one.
#include "samara/c_face.hpp"

#include "samara/map.hpp"

#ifdef SAMARA_C_MAPS
SAMARA_C_FACE(SAMARA_C_MAPS)
#else
SAMARA_C_FACE(SAMARA_ALL_MAPS)
#endif
