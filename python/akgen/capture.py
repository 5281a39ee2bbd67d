"""`python -m akgen.capture FILE.py[:NAME] --out DIR`: a function in PyTorch becomes a task that akgen plans and judges.

The function is called once with example arguments while PyTorch records its operators; the record is compared with the function itself, in
float64, on other values and other sizes. What the record assumes is a guard. `akgen kernel` starts this.

exit status: 0 captured, 1 refused, 2 usage error, 3 no PyTorch. DIR/capture.json says which, and why.
"""
from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

MISSING = "PyTorch is not installed for {python}: install it (Debian: apt-get install python3-torch; else: pip install torch), or name another Python in $AKGEN_PYTHON"
SCHEMA = 1


def write(out: Path, record: Dict[str, Any]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / "capture.json").write_text(json.dumps({"schema": SCHEMA, **record}, indent=1) + "\n", encoding="utf-8")


def parsed(argv: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="akgen.capture", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="FILE.py or FILE.py:NAME")
    parser.add_argument("--example", action="append", default=[], help="x=f16[1024, 4096] eps=1e-5")
    parser.add_argument("--fix", action="append", default=[], help="NAME or NAME.DIM: a parameter, or a dimension, that stays as in the example")
    parser.add_argument("--products-as-sums", action="store_true", help="matrix products as sums of elementwise products")
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args(argv)


def main(argv: Optional[Sequence[str]] = None) -> int:
    options = parsed(argv)
    said = re.fullmatch(r"(.*\.py)(?::(\w+))?", options.file)
    if not said or not Path(said[1]).is_file():
        print(f"akgen.capture: there is no file {options.file if not said else said[1]}; write FILE.py or FILE.py:NAME", file=sys.stderr)
        return 2
    try:
        import torch  # noqa: F401
    except ImportError:
        print(MISSING.format(python=sys.executable), file=sys.stderr)
        return 3
    from .captured.refusal import Refused
    from .captured.task import captured
    path = Path(said[1]).resolve()
    try:
        record = captured(path, said[2], options.example, options.fix, options.out, options.products_as_sums)
    except Refused as e:
        refusal = e.record(str(path))
        refusal["file"] = said[1]
        write(options.out, {"captured": False, "function": said[2] or "", "refusal": refusal})
        place = f"{said[1]}:{e.line}: " if e.line else f"{said[1]}: "
        print(place + e.reason, file=sys.stderr)
        return 1
    write(options.out, {"captured": True, **record})
    return 0


if __name__ == "__main__":
    sys.exit(main())
