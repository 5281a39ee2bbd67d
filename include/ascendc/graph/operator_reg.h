// Prototypes of graph nodes: the graph engine reads them, and nothing here does.
#ifndef AKGEN_GRAPH_OPERATOR_REG_H
#define AKGEN_GRAPH_OPERATOR_REG_H
#include "graph/operator.h"

namespace ge {
struct AkgenPrototype {
  const AkgenPrototype& Part() const { return *this; }
};
}  // namespace ge

#define REG_OP(op) \
  [[maybe_unused]] static const ::ge::AkgenPrototype prototype_of_##op = ::ge::AkgenPrototype()
#define INPUT(...) Part()
#define OUTPUT(...) Part()
#define OPTIONAL_INPUT(...) Part()
#define DYNAMIC_INPUT(...) Part()
#define DYNAMIC_OUTPUT(...) Part()
#define ATTR(...) Part()
#define REQUIRED_ATTR(...) Part()
#define DATATYPE(...) Part()
#define GRAPH(...) Part()
#define DYNAMIC_GRAPH(...) Part()
#define OP_END_FACTORY_REG(op) Part();
#endif
