#ifndef AKGEN_PLATFORM_PLATFORM_INFO_DEF_H
#define AKGEN_PLATFORM_PLATFORM_INFO_DEF_H
#include "platform/platform_info.h"
#endif
