// The advanced API.
#ifndef AKGEN_KERNEL_ADV_API_H
#define AKGEN_KERNEL_ADV_API_H
#include "kernel/adv_flash.h"
#include "kernel/adv_library.h"
#include "kernel/adv_math.h"
#include "kernel/adv_nn.h"
#include "kernel/adv_norm.h"
#include "kernel/adv_quant.h"
#include "kernel/adv_reduce.h"
#include "kernel/adv_shape.h"
#include "kernel/adv_transdata.h"
#endif  // AKGEN_KERNEL_ADV_API_H
