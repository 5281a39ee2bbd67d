// The older name of platform_info.h.
#ifndef AKGEN_PLATFORM_PLATFORM_INFOS_DEF_H
#define AKGEN_PLATFORM_PLATFORM_INFOS_DEF_H
#include "platform/platform_info.h"
#endif
