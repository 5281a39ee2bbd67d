// What a kernel must not write itself, whatever its text says. Machine code of the host has no
// meaning on the chip, and would reach past the sandboxed C library; the chip's interface and the
// mark of functions that announce their own accesses and work belong to the headers, however they
// are spelled: pasted together, in a pragma, as another function's name.
#pragma once
#include <clang/CodeGen/CodeGenAction.h>

#include <memory>
#include <string>

#include "toolchain/builder/compiler.h"

namespace akgen::toolchain {

// Both compile like EmitObjAction, with errors at what must not be there. Of `files` and
// `links` all but the prelude are the candidate's; they must outlive the action.
std::unique_ptr<clang::CodeGenAction> DeviceCode(const VirtualFiles& files,
                                                 const VirtualLinks& links,
                                                 const std::string& prelude);
// Host code runs on this machine, and may only call what it imports: no assembly.
std::unique_ptr<clang::CodeGenAction> HostCode(const VirtualFiles& files, const VirtualLinks& links,
                                               const std::string& prelude);

}  // namespace akgen::toolchain
