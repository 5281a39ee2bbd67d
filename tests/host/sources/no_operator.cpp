// A host source that forgets OP_ADD.
#include "register/op_def_registry.h"

int NoOperatorHere() { return 1; }
