// What nearly every file of this room includes, compiled once.
#pragma once
#include <ATen/ATen.h>

#include "base/precompiled.h"
