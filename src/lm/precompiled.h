// What nearly every file of this module includes, compiled once.
#pragma once
#include <ATen/ATen.h>

#include "base/precompiled.h"
