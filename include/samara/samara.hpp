// Everything.
#pragma once

#include "samara/checkpoint.hpp"
#include "samara/fixed.hpp"
#include "samara/kernel.hpp"
#include "samara/learn.hpp"
#include "samara/map.hpp"
#include "samara/memory.hpp"
#include "samara/model.hpp"
#include "samara/predictor.hpp"
#include "samara/project.hpp"
#include "samara/simd.hpp"
#include "samara/sketch.hpp"
#include "samara/status.hpp"
#include "samara/stream.hpp"
#include "samara/transform.hpp"
#include "samara/version.hpp"
