#ifndef AKGEN_REGISTER_OP_IMPL_KERNEL_REGISTRY_H
#define AKGEN_REGISTER_OP_IMPL_KERNEL_REGISTRY_H
#include "register/op_impl_registry.h"
#endif
