#pragma once
#include <cstdint>

struct ScaleTiling {
  uint32_t count;
  float factor;
};
