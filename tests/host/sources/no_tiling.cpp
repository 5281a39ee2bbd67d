// A definition without a tiling function, and one whose constructor throws.
#include "register/op_def_registry.h"

namespace ops {
class NoTiling : public OpDef {
 public:
  explicit NoTiling(const char* name) : OpDef(name) { this->Input("x").DataType({ge::DT_FLOAT}); }
};
OP_ADD(NoTiling);

class Throws : public OpDef {
 public:
  explicit Throws(const char* name) : OpDef(name) { throw std::runtime_error("half a definition"); }
};
OP_ADD(Throws);
}  // namespace ops
