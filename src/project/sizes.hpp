#pragma once

#include "samara/project.hpp"
