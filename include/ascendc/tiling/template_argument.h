#ifndef ASCENDC_TILING_TEMPLATE_ARGUMENT_H
#define ASCENDC_TILING_TEMPLATE_ARGUMENT_H
#include "akgen/tiling_template.h"
#endif
