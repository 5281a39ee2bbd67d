// The host runtime of a direct-launch program: what `acl/acl.h` offers, served by the simulated
// chip. One device (id 0 … 7 all name the same chip). Launches run when they are made; streams and
// events keep their order by that. Sizes are bytes; device pointers are 512-byte aligned and
// readable by the host only through aclrtMemcpy.
#ifndef AKGEN_ACL_ACL_H
#define AKGEN_ACL_ACL_H
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "acl/acl_rt.h"
#include "acl/launch.h"

#endif  // AKGEN_ACL_ACL_H
