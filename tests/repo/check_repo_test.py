#!/usr/bin/env python3
"""Plants one violation at a time in a small clean tree: check_repo must catch each, and only it."""
import os
import tempfile
import unittest

import check_repo
import documents
import record_keys
import shape
import vocabulary
from documents import document_tables

CLEAN = {
    "cmake/layers.txt": "# table\nbase:\nrecord:\nchip:\nsim: chip\ntask:\ntoolchain:\ncli: sim\n",
    "src/base/status.h": "#pragma once\nnamespace akgen { int F(); }\n",
    "src/chip/chip.cc": '#include "chip/chip.h"\n#include "base/status.h"\n'
                        'namespace akgen {\nint F() {\n  // printf("a comment is no call")\n'
                        '  return Report("AK0110");\n}\n}\n',
    "src/chip/chip.h": "#pragma once\nclass Chip {\n public:\n  int size() const { return 1; }\n};\n",
    "src/sim/exec/core.cc": '#include "chip/chip.h"\n#include "sim/exec/deep/deep.h"\nvoid G() { std::snprintf(buffer, 4, "exit(1)"); log.printf("x"); }\n',
    "src/sim/exec/core.h": "struct Core;\n",
    "src/sim/exec/deep/deep.h": '#include "sim/check/kinds.h"\n',
    "src/sim/check/kinds.h": "enum class Kind;\n",
    "src/toolchain/device.cc": 'auto macro = "__DAV_C220_VEC__";  // of Ascend910B2\n',
    "src/sim/family.cc": 'auto config = "ascend910b";  // of the 910B2 with 196608 bytes\n',
    "src/chip/heat.cc": 'int warmth = Get("warmth");  // a key is no prose\n',
    "src/cli/main.cc": "#include \"sim/exec/core.h\"\nint main() { printf(\"hello\"); exit(1); }\n",
    "src/sim/runner_main.cc": "int main() { std::cerr << 1; abort(); }\n",
    "src/sim/capture.cc": '#include "toolchain/slog.h"\nvoid F() { std::cout.rdbuf(0); }\n',
    "include/ascendc/toolchain/slog.h": "int x;\n",
    "docs/diagnostics/AK0110.md": "# AK0110: no such chip\n\n## Example\n\n## Fix\n",
    "README.md": "fine, with the key `warmth` in backticks; renames, the warmths\n",
    "CONTRIBUTING.md": "# x\n\n## Words\n\n| say | not |\n|---|---|\n| resume | `goes on where` |\n| heat | `warmth`, `name*` |\n",
    "CHANGELOG.md": "the warmth of old days\n",
    "src/sim/check/codes.inc": 'ROW("AK1001")\n',
    "docs/diagnostics/AK1001.md": "# AK1001: outside\n\n## Example\n\n## Fix\n",
    "tests/cases/memory/past.cpp": "// expect: AK1001 AK1102\n",
    "tests/cases/memory/past_ok.cpp": "// expect: clean\n",
    "tests/repo/codes.txt": "# code file case twin\nAK0110 tests/chip/chip_test.cc Unknown Known\n",
    "tests/chip/chip_test.cc": 'TEST(Chip, Known) {\n}\n\nTEST(Chip, Unknown) {\n  Expect("AK0110");\n}\n',
    "docs/auto_sync.md": "| rule | by | covered | not covered |\n|---|---|---|---|\n| V to V | compiler | sync/a_ok.cpp | sync/a_raw.cpp |\n",
    "docs/links.md": "# Links\n\n[this](#links), [a](auto_sync.md), [src](../src), [web](https://example.org/x)\n",
    "docs/tables/constraints.tsv": "none\t`Nop`\n",
    "docs/generated/constraints.md": document_tables.constraints(lambda _: "none\t`Nop`\n"),
    "docs/tables/exploits.tsv": "C1\tcheats\ta test\t`rejected`\n",
    "docs/generated/exploits.md": document_tables.exploits(lambda _: "C1\tcheats\ta test\t`rejected`\n"),
    "docs/trust.md": "# Trust\n",
    "docs/tables/upstream.tsv": "section\tS\trun it\ncolumns\tkernel\twhy\nrow\tA\tshort\n",
    "docs/upstream.md": "# Public kernels\n",
    "tests/exploits/candidates/c01_a.toml": "x = 1\n",
    "data/timing/a2.toml": "parameters = {}\n",
    "data/timing/errors.toml": "clock = []\neager = []\n",
    "docs/timing.md": "# Time\n",
    "docs/constraints.md": "# Constraints\n",
    "tests/cases/sync/a_ok.cpp": "// expect: clean\n",
    "tests/cases/sync/a_raw.cpp": "// expect: AK0110\n",
}


def body(lines):
    return "int Long() {\n" + "  Step();\n" * (lines - 2) + "}\n"


# name: (path, content, rule that must fire)
PLANTED = {
    "edge that nobody uses": ("cmake/layers.txt", "base:\nrecord:\nchip:\nsim: chip\ntask: chip\ntoolchain:\ncli: sim\n",
                              "layers"),
    "folder and the one inside it": ("src/sim/exec/deep/back.h", '#include "sim/exec/core.h"\n', "folder-cycle"),
    "folders side by side, by way of a third": ("src/sim/check/back.h", '#include "sim/exec/core.h"\n', "folder-cycle"),
    "include against the direction": ("src/chip/up.cc", '#include "sim/timing/replay.h"\n', "layers"),
    "include across": ("src/task/spec.cc", '#include "chip/chip.h"\n', "layers"),
    "base looks up": ("src/base/up.cc", '#include "record/verdict.h"\n', "layers"),
    "relative include": ("src/sim/rel.cc", '#include "../chip/chip.h"\n', "layers"),
    "module without a row": ("src/attic/old.cc", "int x;\n", "layers"),
    "long file": ("src/sim/long.cc", "int x;\n" * (check_repo.MAX_FILE_LINES + 1), "file-length"),
    "long file of tests": ("tests/sim/long.cc", "int x;\n" * 600, "file-length"),
    "files in a circle": ("src/chip/circle.h", '#include "chip/circle.h"\n', "file-cycle"),
    "class that offers too much": ("src/sim/wide.h", "class W {\n public:\n" + "  void F();\n" * 20 + "  int f;\n" * 11 + "};\n", "class-members"),
    "long function": ("src/sim/fn.cc", "namespace a {\n" + body(81) + "}\n", "function-length"),
    "long member": ("src/sim/member.h", "struct S {\n" + body(90) + "};\n", "function-length"),
    "long function after a conditional": ("src/sim/cond.cc", "#if A\nint F() {\n#else\nint G() {\n#endif\n}\n" + body(85),
                                          "function-length"),
    "printf": ("src/sim/p.cc", 'void F() { printf("x"); }\n', "no-printing"),
    "std::printf": ("src/sim/p2.cc", 'void F() { std::printf("x"); }\n', "no-printing"),
    "fprintf": ("src/sim/p3.cc", 'void F() { fprintf(stderr, "x"); }\n', "no-printing"),
    "cerr": ("src/chip/c.cc", "void F() { std::cerr << 1; }\n", "no-printing"),
    "fmt::print": ("src/task/f.cc", 'void F() { fmt::print("x"); }\n', "no-printing"),
    "exit": ("src/sim/e.cc", "void F() { exit(1); }\n", "no-exit"),
    "std::abort": ("src/sim/e2.cc", "void F() { std::abort(); }\n", "no-exit"),
    "_exit without fork": ("src/sim/e3.cc", "void F() { _exit(1); }\n", "no-exit"),
    "dump": ("src/sim/j.cc", "auto t = j.dump();\n", "json"),
    "dump of a pointer": ("src/sim/j2.cc", "auto t = j->dump(1);\n", "json"),
    "parse": ("src/sim/j3.cc", "auto t = nlohmann::json::parse(x);\n", "json"),
    "system": ("src/sim/s.cc", 'void F() { system("ls"); }\n', "no-shell"),
    "torch in task": ("src/task/t.cc", "#include <torch/script.h>\n", "fence"),
    "llvm in sim": ("src/sim/l.cc", '#include "llvm/IR/Module.h"\n', "fence"),
    "Asio elsewhere": ("src/sim/port.cc", "#include <boost/asio.hpp>\n", "fence"),
    "socket in sim": ("src/sim/net.cc", "#include <sys/socket.h>\n", "fence"),
    "code without page": ("src/sim/d.cc", 'auto e = Report("AK0999");\n', "diagnostics"),
    "code in a table without page": ("src/sim/d.inc", 'ROW("AK0998")\n', "diagnostics"),
    "page nobody reports": ("docs/diagnostics/AK0777.md", "# AK0777\n## Example\n## Fix\n", "diagnostics"),
    "page without a fix": ("docs/diagnostics/AK0110.md", "# AK0110\n## Example\n", "diagnostics"),
    "chip code without a case": ("tests/cases/memory/past.cpp", "// expect: AK1002\n", "code-tests"),
    "case whose twin is not clean": ("tests/cases/memory/past_ok.cpp", "// expect: AK1102\n", "code-tests"),
    "code without a line in the table": ("tests/repo/codes.txt", "# nothing\n", "code-tests"),
    "line that names no test": ("tests/repo/codes.txt", "AK0110 tests/chip/chip_test.cc Unheard Known\n", "code-tests"),
    "line whose test does not meet the code": ("tests/repo/codes.txt", "AK0110 tests/chip/chip_test.cc Known Unknown\n",
                                               "code-tests"),
    "line that is its own twin": ("tests/repo/codes.txt", "AK0110 tests/chip/chip_test.cc Unknown Unknown\n", "code-tests"),
    "line of an unused code": ("tests/repo/codes.txt",
                               "AK0110 tests/chip/chip_test.cc Unknown Known\nAK0777 tests/chip/chip_test.cc Unknown Known\n",
                               "code-tests"),
    "machine path": ("docs/a.md", "see /" + "work/shared/x\n", "machine-path"),
    "home path": ("run.sh", "cd /home/someone/akgen\n", "machine-path"),
    "unfinished": ("src/sim/u.cc", "// TODO: later\n", "unfinished"),
    "unfinished word": ("src/sim/v.cc", "// a stub for now\n", "unfinished"),
    "vendor text": ("include/ascendc/x.h", "// Copyright (c) 2025 Huawei Technologies\n", "clean-room"),
    "banner": ("src/sim/b.cc", "// ---------- helpers ----------\n", "banner"),
    "sync rule without a case": ("docs/auto_sync.md", "| V to S | compiler | sync/b_ok.cpp | sync/a_raw.cpp |\n", "auto-sync"),
    "sync rule whose twin is clean": ("tests/cases/sync/a_raw.cpp", "// expect: clean\n", "auto-sync"),
    "sync rule whose case is not": ("tests/cases/sync/a_ok.cpp", "// expect: AK0110\n", "auto-sync"),
    "sync page without rows": ("docs/auto_sync.md", "nothing\n", "auto-sync"),
    "instructions by number": ("src/sim/o.cc", "bool F(int op) { return op <= AKGEN_OP_Duplicate; }\n", "op-order"),
    "name of a chip": ("src/sim/n.cc", 'std::string chip = "910B2";\n', "chip"),
    "name of a chip as the vendor spells it": ("src/sim/n2.cc", 'auto c = LoadChip("ascend910_9392");\n', "chip"),
    "size of a chip's memory": ("src/sim/n3.h", "uint32_t ub_bytes = 196608;\n", "chip"),
    "size of a chip's memory as a product": ("src/sim/n4.cc", "constexpr int kUb = 192 * 1024 - 256;\n", "chip"),
    "macro of a chip's compiler": ("src/sim/n5.cc", 'auto flag = "-D__NPU_ARCH__=2201";\n', "chip"),
    "type of another header's name": ("src/sim/again.h", "#pragma once\nstruct Chip final : Core {\n};\n", "types"),
    "word of the table": ("docs/heat.md", "The Warmth is fine.\n", "vocabulary"),
    "word of the table with an ending": ("docs/heat.md", "Naming and named.\n", "vocabulary"),
    "phrase over two lines": ("docs/heat.md", "It goes on\nwhere it was.\n", "vocabulary"),
    "word of the table in a comment": ("src/sim/heat.cc", "int x;  // its warmth\n", "vocabulary"),
    "phrase over two lines of a comment": ("src/sim/heat.cc", "// it goes on\n// where it was\n", "vocabulary"),
    "word of the table in a message": ("src/sim/heat.cc", 'auto s = "no warmth here";\n', "vocabulary"),
    "word of the table in Python": ("tools/heat", "#!/usr/bin/env python3\n\"\"\"Of its warmth.\"\"\"\n", "vocabulary"),
    "no table of words": ("CONTRIBUTING.md", "# x\n", "vocabulary"),
    "camel file": ("src/sim/MyFile.cc", "int x;\n", "names"),
    "source that does not say what it is": ("src/sim/bare.cc", "int x;\n", "opening"),
    "too many words": ("docs/long.md", "word " * (documents.MAX_WORDS + 1), "words"),
    "a decision that is no half page": ("docs/decisions/0001-long.md", "word " * (documents.MAX_DECISION_WORDS + 1), "words"),
    "a long release": ("CHANGELOG.md", "# Changelog\n\n## [1.0.0]\n" + "- more\n" * documents.MAX_RELEASE_LINES + "\n## [0.9.0]\n", "changelog"),
    "link to no file": ("docs/a.md", "see [b](b.md)\n", "links"),
    "link to no heading": ("docs/a.md", "# a\n\nsee [b](#c)\n", "links"),
    "mention of no file": ("src/sim/a.h", "// see docs/b.md\n", "links"),
    "page that differs from its table": ("docs/generated/constraints.md", "# old\n", "generated"),
    "exploit without a row": ("tests/exploits/candidates/c02_b.toml", "x = 1\n", "exploits"),
    "a class that does too much": ("src/sim/large.h", "#pragma once\nclass Large {\n" + "".join(
        f"  V<int> F{k}() {{ return {{1}}; }}" + "\n" * (k % 3 == 2) for k in range(shape.MAX_METHODS + 1)) + "};\n", "methods"),
    "a long line": ("src/sim/wide.cc", "int x;  // " + "wide " * 30 + "\n", "columns"),
    "a long line beside a raw string": ("src/sim/wide.cc", 'auto s = R"(\n' + "a" * 200 + '\n)";\nint y;  // ' + "wide " * 30 + "\n", "columns"),
    "a limit by its old name": ("src/sim/limit.cc", "constexpr int kMost" + "Cores = 3;\n", "limit-name"),
    "keys read everywhere": ("src/sim/keys.cc", "".join(f'auto a{i} = j["k{i}"];\n' for i in range(record_keys.MOST + 1)), "record-keys"),
}


def write(root, files, bare=False):
    for path, content in files.items():
        if not bare and path.startswith("src/") and path.endswith(".cc"):
            content = "// What it is.\n" + content
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as f:
            f.write(content)


CLEAN["docs/generated/timing.md"] = document_tables.timing(CLEAN.__getitem__)
CLEAN["docs/generated/upstream.md"] = document_tables.upstream(CLEAN.__getitem__)


class CheckRepo(unittest.TestCase):
    def test_clean_tree_is_silent(self):
        with tempfile.TemporaryDirectory() as root:
            write(root, CLEAN)
            self.assertEqual(check_repo.problems(root), [])

    def test_planted_violations_are_caught(self):
        for name, (path, content, rule) in PLANTED.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as root:
                write(root, CLEAN)
                write(root, {path: content}, bare=rule == "opening")
                found = check_repo.problems(root)
                self.assertTrue(found, "not caught")
                self.assertEqual({f[2] for f in found}, {rule}, found)

    def test_every_rule_is_planted(self):
        planted = {rule for _, _, rule in PLANTED.values()}
        text = ""
        for module in (check_repo, documents, record_keys, shape, vocabulary):
            with open(module.__file__, encoding="utf-8") as f:
                text += f.read()
        for rule in planted:
            self.assertIn(f'"{rule}"', text)
        self.assertGreaterEqual(len(planted), 12)

    def test_function_lines(self):
        self.assertEqual(list(check_repo.functions(body(80))), [(1, 80)])
        self.assertEqual(list(check_repo.functions("namespace a {\nclass B {\n};\n}\n")), [])
        twins = "struct A {\n  A() : x{1} {}\n};\nint F(int a,\n      int b) {\n  if (a) {\n  }\n}\n"
        self.assertIn((5, 4), list(check_repo.functions(twins)))

    def test_empty_folder_is_a_problem(self):
        with tempfile.TemporaryDirectory() as root:
            self.assertTrue(check_repo.problems(root))


if __name__ == "__main__":
    unittest.main()
