#pragma once
#include <gtest/gtest.h>

#include "lm/precompiled.h"
