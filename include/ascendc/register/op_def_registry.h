// OP_ADD(Class): makes an operator definition known.
#ifndef AKGEN_REGISTER_OP_DEF_REGISTRY_H
#define AKGEN_REGISTER_OP_DEF_REGISTRY_H
#include "register/op_def.h"

#define OP_ADD(op_type, ...)                                                       \
  [[maybe_unused]] static const bool g_##op_type##_added = ::ops::AkgenRegisterOp( \
      #op_type, [](const char* type) -> ::ops::OpDef { return op_type(type); })
#endif
