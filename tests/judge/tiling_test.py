#!/usr/bin/env python3
"""AK3017: tiling functions that depend on memory that nothing has written, on addresses or on earlier calls are found, every
time and wherever things lie; those that leave bytes alone which the kernel does not read are right.

tiling_test.py AKGEN REPO [--layouts N]
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from fresh_cache import fresh_cache  # noqa: E402

LAYOUTS = int(sys.argv.pop()) if sys.argv[-2] == "--layouts" and sys.argv.pop(-2) else 2
AKGEN, REPO = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
AT, SET_BLOCKS = "  FastGeluTilingData tiling;\n", "context->SetBlockDim((total + perCore - 1) / perCore);"
TILE = "tiling.set_tile(static_cast<uint32_t>(ub / kCost / kGrain) * kGrain);"
LESS = "tiling.set_tile(kGrain * (1 + ({}) % 3));"  # another tile is as good a one
WRONG = "tiling.set_total(total - ({}) % 2);"
LOCAL = "  struct Many { uint32_t words[100]; } many;\n  uint32_t *volatile word = &many.words[50];\n"
HEAP = "  uint32_t *volatile word = new uint32_t[100] + 50;\n"
GROWN = """  char *grown = static_cast<char *>(std::realloc(nullptr, 200));
  std::memset(grown, 7, 200);
  grown = static_cast<char *>(std::realloc(grown, 300));
  for (int i = 0; i < 200; ++i)
    if (grown[i] != 7) return ge::GRAPH_FAILED;
  std::free(grown);
"""
ZERO = """  for (int turn = 0; turn < 3; ++turn) {
    unsigned char *zero = static_cast<unsigned char *>(std::calloc(3, 100000));
    for (int i = 0; i < 300000; ++i)
      if (zero[i]) return ge::GRAPH_FAILED;
    std::memset(zero + 90000 * turn, 7, 5000);
    std::free(zero);
  }
"""
GIVEN_BACK = """  uint32_t *volatile word = static_cast<uint32_t *>(std::calloc(50000, 4)) + 30000;
  std::memset(word - 5, 7, 400);
  std::free(word - 30000);
"""
BUFFER = "tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());"
STRUCT = """  struct Plain { uint32_t total, perCore, tile, none; } plain;
  plain.total = total, plain.perCore = perCore, plain.tile = static_cast<uint32_t>(ub / kCost / kGrain) * kGrain;
  std::memcpy(context->GetRawTilingData()->GetData(), &plain, sizeof plain);
"""
# name: edits of the host code; words of the reason, "" where it passes
TILINGS = {
    "as it is": ([], ""),
    "blocks by a variable without a value": ([(AT, AT + LOCAL), (SET_BLOCKS, "context->SetBlockDim(1 + *word % 7);")],
                                             "what memory holds that nothing has written"),
    "data by a variable without a value": ([(AT, AT + LOCAL), ("tiling.set_total(total);", WRONG.format("*word"))], "(total)"),
    "data by a fresh allocation": ([(AT, AT + HEAP), ("tiling.set_total(total);", WRONG.format("*word"))], "what memory holds that nothing has written"),
    "data by memory given back": ([(AT, AT + GIVEN_BACK), ("tiling.set_total(total);", WRONG.format("~*word"))], "what memory holds that nothing has written"),
    "a key by the address of a variable": ([(AT, AT + LOCAL), ("context->SetTilingKey(context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? 1 : 2);",
                                                             "static const uint64_t first = uint64_t(word);\n  context->SetTilingKey(uint64_t(word) == first ? 1 : 2);")], "the addresses of its memory or on earlier calls"),
    "blocks by the address of an allocation": ([(AT, AT + HEAP), (SET_BLOCKS, "context->SetBlockDim(1 + uint64_t(word) % 11);")], "the addresses of its memory or on earlier calls"),
    "blocks by earlier calls": ([(AT, AT + "  static uint32_t calls = 0;\n"), (SET_BLOCKS, "context->SetBlockDim(1 + ++calls);")], "the addresses of its memory or on earlier calls"),
    "a failure by a variable without a value": ([(AT, AT + LOCAL + "  if (*word & 1) return ge::GRAPH_FAILED;\n")], "it fails"),
    "a pointer without a value": ([(AT, AT + "  struct Many { uint32_t *words[100]; } many;\n  uint32_t **volatile word = &many.words[50];\n"
                                             "  if (*word && **word) return ge::GRAPH_FAILED;\n")], "when it was called again"),
    "a field that the kernel does not read": ([(AT, AT + STRUCT), (BUFFER, ""), ("context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());",
                                                                             "context->GetRawTilingData()->SetDataSize(sizeof plain);")], ""),
    "a tile by what is as good": ([(AT, AT + LOCAL), (TILE, LESS.format("*word"))], ""),
    "an allocation that grows": ([(AT, AT + GROWN)], ""),
    "memory that starts with zero": ([(AT, AT + ZERO)], ""),
}


class Tiling(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="akgen_tiling_")))

    def project(self, name, edits):
        project = self.folder / name.replace(" ", "_")
        shutil.copytree(REPO / "examples/kernels/fast_gelu", project)
        host = project / "op_host/fast_gelu.cpp"
        text = "#include <cstdlib>\n#include <cstring>\n" + host.read_text()
        for before, after in edits:
            self.assertIn(before, text)
            text = text.replace(before, after)
        host.write_text(text)
        return project

    def judge(self, project, layout):
        record = pathlib.Path(f"{project}.json")
        # What the system puts above the stack, and whether it draws addresses, moves everything else.
        environment = {**os.environ, "AKGEN_CACHE": fresh_cache(self.folder / "cache"), "PADDING": "x" * (layout * 997)}
        fixed = ["setarch", "-R"] if layout % 2 and shutil.which("setarch") else []
        done = subprocess.run([*fixed, str(AKGEN), "judge", str(project), "--task", "FastGelu", "--case", "0", "--seed", "1", "--json", str(record)],
                              env=environment, capture_output=True, text=True, timeout=120)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        said = json.loads(record.read_text())
        codes = sorted({f["code"] for c in said["cases"] for f in c.get("findings", [])})
        return said["verdict"], codes, said.get("reason", ""), said["cases"][0].get("block_dim")

    def same_everywhere(self, name, edits):
        project = self.project(name, edits)
        all_said = [self.judge(project, layout) for layout in range(LAYOUTS)]
        self.assertEqual(all_said, all_said[:1] * LAYOUTS)
        return all_said[0]

    def test_what_depends_on_memory_is_found(self):
        for name, (edits, says) in TILINGS.items():
            if says:
                with self.subTest(name):
                    verdict, codes, reason, _ = self.same_everywhere(name, edits)
                    crash = says == "when it was called again"
                    self.assertEqual((verdict, codes), ("runtime_error", []) if crash else ("finding", ["AK3017"]), reason)
                    self.assertIn(says, reason)

    def test_what_makes_no_difference_passes(self):
        for name, (edits, says) in TILINGS.items():
            if not says:
                with self.subTest(name):
                    self.assertEqual(self.same_everywhere(name, edits)[:2], ("pass", []))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
