// The single layers behind Confine. Each returns 0 or an errno.
#pragma once
#include <string>

#include "sandbox/sandbox.h"

namespace akgen::sandbox {

int LandlockAbi();  // 0: not available
int ApplyLandlock(const Profile& profile);
int ApplySeccomp(Syscalls syscalls, bool allow_exec, bool allow_processes = false);
int ApplyLimits(const Profile& profile);
// `confined`: Landlock will hold.
int DropUser(const Profile& profile, bool confined);

}  // namespace akgen::sandbox
