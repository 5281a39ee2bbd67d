// What every test includes, compiled once.
#pragma once
#include <gtest/gtest.h>

#include "base/precompiled.h"
