#ifndef AKGEN_PLATFORM_PLATFORM_ASCENDC_H
#define AKGEN_PLATFORM_PLATFORM_ASCENDC_H
#include "tiling/platform/platform_ascendc.h"
#endif
