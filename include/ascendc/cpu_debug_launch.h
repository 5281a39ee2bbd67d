// Direct launches in debug builds. Included by programs under ASCENDC_CPU_DEBUG.
#ifndef AKGEN_CPU_DEBUG_LAUNCH_H
#define AKGEN_CPU_DEBUG_LAUNCH_H
#include "acl/launch.h"
#endif  // AKGEN_CPU_DEBUG_LAUNCH_H
