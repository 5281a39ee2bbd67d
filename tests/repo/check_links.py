#!/usr/bin/env python3
"""The named executable must not need libtorch or LLVM at start. Uses readelf (binutils)."""
import re
import subprocess
import sys

text = subprocess.run(["readelf", "-dW", sys.argv[1]], capture_output=True, text=True, check=True).stdout
needed = re.findall(r"\(NEEDED\)\s+Shared library: \[(.+?)\]", text)
heavy = [n for n in needed if re.match(r"lib(torch|c10|LLVM|clang|openblas|python)", n)]
print("needs:", ", ".join(needed))
if not needed or heavy:
    sys.exit(f"too heavy: {heavy}" if heavy else "no dynamic section read")
