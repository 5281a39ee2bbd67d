#!/usr/bin/env python3
"""What users may expect of any command: words they know, files left alone that are not theirs to replace, nothing left behind.

manners_test.py AKGEN REPO
"""
import fcntl
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import pty
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from fresh_cache import fresh_cache  # noqa: E402

sys.dont_write_bytecode = True
AKGEN, REPO = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
RECORD = {"schema": 1, "task": "Sqrt", "verdict": "pass", "reason": "", "cases": []}


class Manners(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="akgen_manners_"))
        self.addCleanup(shutil.rmtree, self.dir, True)
        self.env = {**os.environ, "AKGEN_CACHE": fresh_cache(self.dir / "cache")}
        self.record = self.dir / "verdict.json"
        self.record.write_text(json.dumps(RECORD))

    def akgen(self, *args, code=0, **more):
        done = subprocess.run([AKGEN, *map(str, args)], capture_output=True, text=True, env={**self.env, **more})
        self.assertEqual(done.returncode, code, f"{args}: {done.stdout}{done.stderr}")
        return done

    def test_a_word_that_is_no_command(self):
        for words, near in ((["judg", "x", "--task", "Sqrt"], "`judge`"), (["bench", "shw", "run.db"], "`show`"), (["tasks", "shew"], "`show`"),
                            (["craft", "lowr", "x.py"], "`lower`")):
            self.assertIn(f"did you mean {near}", self.akgen(*words, code=2).stderr)
        self.assertIn("there are judge, run,", self.akgen("xylophone", code=2).stderr)
        self.assertIn("required", self.akgen(code=2).stderr)
        self.akgen("--help")
        self.akgen("bench", "--help")

    def test_a_code_has_its_page(self):
        for words in ("AK1201", "ak1201"):
            self.assertEqual(self.akgen("code", words).stdout, (REPO / "docs/diagnostics/AK1201.md").read_text())
        self.assertIn("did you mean `AK1201`", self.akgen("code", "AK12O1", code=2).stderr)
        self.assertIn("no code of akgen", self.akgen("code", "../diagnostics/AK1201", code=2).stderr)

    def test_a_record_from_elsewhere_names_any_file(self):
        place = {"file": "/dev/zero", "line": 1, "pipe": "PIPE_V", "what": "Add"}
        finding = {"code": "AK1201", "message": "m", "fix": "", "place": place, "other": {**place, "file": "/etc"}}
        self.record.write_text(json.dumps({**RECORD, "cases": [{"id": "0", "findings": [finding]}]}))
        self.assertIn("AK1201", self.akgen("explain", self.record).stdout)

    def test_the_list_that_run_writes_is_explained(self):
        place = {"file": "k.cpp", "line": 1, "pipe": "PIPE_V", "what": "Add"}
        finding = {"code": "AK1201", "message": "m", "fix": "", "place": place}
        (self.dir / "k.cpp").write_text("Add(z, x, y, 8);\n")
        self.record.write_text(json.dumps([{"file": str(self.dir / "k.cpp"), "verdict": "finding", "findings": [finding]}, {"verdict": "pass", "findings": []}]))
        said = self.akgen("explain", self.record).stdout
        self.assertIn("1 | Add(z, x, y, 8);", said)
        self.assertIn("no findings: pass", said)

    def test_completions_follow_the_parser(self):
        def completed(*words):
            script = f"source <({AKGEN} completions bash); COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _akgen; echo ${{COMPREPLY[@]}}"
            return subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=self.dir, env=self.env).stdout.split()

        self.assertEqual(completed("akgen", "jud"), ["judge"])
        self.assertIn("doctor", completed("akgen", "''"))
        self.assertEqual(completed("akgen", "bench", "sh"), ["show"])
        self.assertEqual(completed("akgen", "judge", "dir", "--edi"), ["--edits"])
        self.assertNotIn("--redraw", completed("akgen", "generate", "--re"), "old names are not offered")
        self.assertEqual(completed("akgen", "report", "verd"), ["verdict.json"])
        self.assertIn("bashcompinit", self.akgen("completions", "zsh").stdout)
        self.assertIn("-a judge", self.akgen("completions", "fish").stdout)
        self.akgen("completions", "tcsh", code=2)

    def test_the_manual_has_every_command_and_option(self):
        page = self.akgen("manual").stdout
        self.assertTrue(page.startswith(".TH AKGEN 1"))
        for words in ("judge", "bench run", "completions", "manual"):
            self.assertIn(f".SS akgen {words}\n", page)
        self.assertIn("\\-\\-edits", page)
        self.assertNotIn("redraw", page)
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-Tascii", "-ww"], input=page, capture_output=True, text=True)
            self.assertEqual((done.returncode, [line for line in done.stderr.splitlines() if "macro" in line]), (0, []))

    def test_an_old_option_name_works_with_a_warning(self):
        def warning(old, new):
            return f"warning: {old} is now called {new}; the old name goes in the next release\n"

        asked = ["generate", "Sqrt", "--generator", "craft", "--model", f"script:{self.dir}/none.jsonl", "--out", self.dir / "made"]
        settings = self.dir / "loop.toml"
        settings.write_text("redraw=1\n")
        refused = self.akgen(*asked, "--resample", 1, code=2).stderr   # the value arrives: a script cannot be resampled
        self.assertTrue(refused.startswith("error[AK0708]"), refused)
        for old in (["--redraw", 1], ["--config", settings]):
            self.assertEqual(self.akgen(*asked, *old, code=2).stderr, warning("--redraw", "--resample") + refused)
        for words, old, new, wrong, why in ((["corpus", "build"], "--alike", "--dedup-threshold", [2], "not in range"),
                                            (["corpus", "build"], "--together", "--per-build", [0], "not in range"),
                                            (["corpus", "prefer", "--model", "script:x"], "--apart", "--exclude-corpus", [self.dir, "nowhere"], "does not exist"),
                                            (["lm", "reinforce", "--config", settings], "--apart", "--exclude-corpus", ["nowhere"], "does not exist")):
            said = self.akgen(*words, "--out", self.dir / "out", old, *wrong, code=2).stderr   # its checks are those of the new name
            self.assertTrue(said.startswith(warning(old, new)), said)
            self.assertIn(why, said)
            help_ = self.akgen(*words[:2], "--help").stdout
            self.assertIn(new, help_)
            self.assertNotIn(old + " ", help_)

    def test_results_go_where_they_are_sent(self):
        kernel = REPO / "tests/cases/memory/aligned_ok.cpp"
        whole, link, pipe, null = (self.dir / n for n in ("whole.json", "link", "pipe", "null"))
        link.symlink_to("whole.json")
        self.akgen("run", kernel, "--json", link)
        self.assertTrue(link.is_symlink())
        self.assertEqual(json.loads(whole.read_text())[0]["verdict"], "pass")
        os.mkfifo(pipe)
        read = []
        reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
        reader.start()
        self.akgen("report", self.record, "--json", pipe)
        reader.join()
        self.assertIn("tasks", json.loads(read[0]))
        self.assertTrue(pipe.is_fifo())
        if os.geteuid() == 0:
            os.mknod(null, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
            for option in ("--json", "--html", "--markdown"):
                self.akgen("report", self.record, option, null)
                self.assertTrue(null.is_char_device(), option)
        self.assertIn("tasks", json.loads(self.akgen("report", self.record, "--json", "/dev/stdout").stdout))

    def test_tools_write_where_they_are_told(self):
        loader = importlib.machinery.SourceFileLoader("run_upstream", str(REPO / "lab/run_upstream"))
        tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_upstream", loader))
        loader.exec_module(tool)
        whole, link, pipe = (self.dir / n for n in ("whole.json", "link", "pipe"))
        link.symlink_to("whole.json")
        os.mkfifo(pipe)
        read = []
        reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
        reader.start()
        for path in (link, pipe):
            board = tool.Board(str(path), ["a"], False)
            board.add({"task": "a", "verdict": "pass", "passed": 1, "cases": 1, "reason": ""})
            board.finish()
        reader.join(10)
        self.assertTrue(link.is_symlink() and pipe.is_fifo())
        self.assertEqual([json.loads(t)["passed"] for t in (whole.read_text(), *read)], [1, 1])

    def test_a_sweep_repeats_its_inputs_by_every_task(self):
        for task in ("level1/math/Sqrt", "level3/GMM/FlashAttentionScoreWithLargeHeadDim"):
            (self.dir / "upstream/tasks" / task / "answer/0").mkdir(parents=True)
        asked, akgen = self.dir / "asked", self.dir / "akgen"
        akgen.write_text(f"""#!/bin/sh\necho "$@" >> {asked}\necho '{{"verdict": "pass", "cases": [{{"id": "0", "verdict": "pass"}}]}}'\n""")
        akgen.chmod(0o755)
        for level, *more in (["1"], ["1"], ["1", "--seed", "7"], ["3"]):
            table = self.dir / "sweep.json"
            subprocess.run([REPO / "lab/run_upstream", "npukernelbench", self.dir / "upstream", "--level", level, "--akgen", akgen, "--json", table, *more],
                           check=True, capture_output=True)
        said = [(line.split("--task ")[1].split()[0], line.split("--seed ")[1].split()[0]) for line in asked.read_text().splitlines()]
        self.assertEqual(said[:3], [("Sqrt", "1"), ("Sqrt", "1"), ("Sqrt", "7")])
        # An operator that is read in two ways is two tasks: its answer is judged by both.
        self.assertEqual(sorted(said[3:]), [("FlashAttentionScorePerHead", "1"), ("FlashAttentionScoreWithLargeHeadDim", "1")])

    def test_what_killed_processes_left_is_swept(self):
        boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text()[:8]
        temp = self.dir / "temp"
        names = {n: temp / f"akgen-tmp-{m}-{n}" for n, m in (("dead00", boot), ("living", boot), ("foreign", "00000000"))}
        for folder in (*names.values(), temp / "akgen-other"):
            (folder / "inner").mkdir(parents=True)
        (temp / f"akgen-tmp-{boot}-link00").symlink_to(temp / "akgen-other")
        lock = os.open(names["living"], os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        self.akgen("report", self.record, TMPDIR=str(temp))
        os.close(lock)
        left = {p.name for p in temp.iterdir()}
        self.assertEqual(left, {names["living"].name, names["foreign"].name, "akgen-other", f"akgen-tmp-{boot}-link00"})
        self.assertTrue((temp / "akgen-other/inner").exists())

    def test_a_damaged_store_is_wrong_use(self):
        good, text, torn = (self.dir / n for n in ("good.db", "text.db", "torn.db"))
        text.write_bytes(b"SQLite format 3\0" + b"no" * 5000)
        db = sqlite3.connect(good)   # one that is damaged behind its first page
        db.executescript("PRAGMA page_size=512; PRAGMA application_id=0x414b474e; PRAGMA user_version=1; CREATE TABLE runs(id TEXT PRIMARY KEY, created, config);"
                         "CREATE TABLE tasks(run, name, level, category, hash); CREATE TABLE candidates(run, task, sample, path, hash);"
                         "CREATE TABLE verdicts(run, task, sample, part, verdict);")
        db.executemany("INSERT INTO runs VALUES(?, '', '{}')", [(str(i) * 50,) for i in range(200)])
        db.commit()
        db.close()
        bytes_ = bytearray(good.read_bytes())
        for at in range(2048, len(bytes_), 1):
            bytes_[at] = 0xA5
        torn.write_bytes(bytes_)
        for store in (text, torn, self.dir / "none.db", self.dir):
            for args in (["bench", "show", store], ["bench", "diff", store, store], ["bench", "export", store, "--format", "csv"],
                         ["bench", "merge", store, "--out", self.dir / "new.db"], ["report", store], ["report", store, store],
                         ["corpus", "pairs", store, "--out", self.dir / "pairs"], ["corpus", "compare", store]):
                said = self.akgen(*args, code=2).stderr
                self.assertIn(store.name, said)
                self.assertIn("fix: " if store in (text, torn) else "error", said)
        for store in (text, torn):
            said = self.akgen("bench", "run", "--tasks", "Sqrt", "--candidates", REPO / "examples", "--out", store, code=2).stderr
            self.assertIn("AK0503", said)

    def program(self, name, body):
        source = self.dir / f"{name}.asc"
        source.write_text("#include <cstdio>\n#include <sys/ipc.h>\n#include <sys/shm.h>\n#include <sys/mman.h>\n#include <fcntl.h>\n#include <unistd.h>\n"
                          '#include "acl/acl.h"\n#include "kernel_operator.h"\nint main() {\n' + body + "\n}\n")
        folder = self.dir / name
        folder.mkdir()
        return source, folder

    def test_programs_run_as_nobody_and_leave_nothing(self):
        segments = pathlib.Path("/proc/sysvipc/shm").read_text() if pathlib.Path("/proc/sysvipc/shm").exists() else ""
        shared = set(os.listdir("/dev/shm"))
        source, folder = self.program("guest", """
  std::printf("user %d\\n", int(getuid()));
  std::printf("segment %d\\n", shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) >= 0);
  std::printf("shared %d\\n", shm_open("/akgen_manners", O_CREAT | O_RDWR, 0600) >= 0);
  std::FILE* f = std::fopen("made.txt", "w");
  if (!f) return 1;
  std::fputs("made", f);
  std::fclose(f);
  return 0;""")
        said = self.akgen("exec", source, "--cwd", folder).stdout
        self.assertIn("user " + ("65534" if os.geteuid() == 0 else str(os.geteuid())), said)
        self.assertEqual((folder / "made.txt").read_text(), "made")
        layers = subprocess.run([AKGEN, "doctor"], capture_output=True, text=True, env=self.env).stdout
        if "ok      sandbox layer seccomp" in layers:
            self.assertIn("segment 0", said)
        if "ok      sandbox layer landlock" in layers:
            self.assertIn("shared 0", said)
            self.assertEqual(set(os.listdir("/dev/shm")) - shared, set())
        if segments:
            self.assertEqual(pathlib.Path("/proc/sysvipc/shm").read_text(), segments)

    def test_launches_of_a_program_have_modelled_times(self):
        out = self.dir / "time.json"
        said = self.akgen("exec", REPO / "tests/cases/host/atomic_left_ok.cpp", "--cwd", self.dir, "--time", "--json", out).stdout
        result = json.loads(out.read_text())
        modelled = result["modelled"]
        self.assertIn(f"modelled time {modelled['us']:.2f} us in {result['counts']['launches']} launches", said)
        self.assertEqual(len(modelled["launches"]), result["counts"]["launches"])
        self.assertAlmostEqual(modelled["us"], sum(one["us"] for one in modelled["launches"]))
        for one in modelled["launches"]:
            self.assertTrue(one["range_us"][0] < one["us"] < one["range_us"][1], one)

    def test_an_input_that_was_never_copied_does_not_pass(self):
        cases = REPO / "tests/cases/host"
        self.assertIn("AK1102", self.akgen("exec", cases / "never_copied.cpp", "--cwd", self.dir, code=1).stdout)
        self.akgen("exec", cases / "never_copied_ok.cpp", "--cwd", self.dir)

    def test_a_source_that_is_a_link_out_of_the_project(self):
        project = self.dir / "project"
        shutil.copytree(REPO / "examples/kernels/sqrt_via_float", project)
        kernel = next((project / "op_kernel").glob("*.cpp"))
        kernel.rename(self.dir / "outside.cpp")
        kernel.symlink_to(self.dir / "outside.cpp")
        said = self.akgen("judge", project, "--task", "Sqrt", "--case", "0", code=1).stdout
        self.assertIn("AK0317", said)

    def on_a_terminal(self, *args, **more):
        """Everything that a command writes to a terminal."""
        ours, theirs = pty.openpty()
        env = {**self.env, "TERM": "xterm", **more}
        child = subprocess.Popen([AKGEN, *map(str, args)], stdin=theirs, stdout=theirs, stderr=theirs, env={k: v for k, v in env.items() if v is not None})
        os.close(theirs)
        text = b""
        while True:
            try:
                more_text = os.read(ours, 65536)
            except OSError:  # nobody has the terminal open any more
                break
            text += more_text
        child.wait()
        os.close(ours)
        return text.decode()

    def test_terminals_that_want_no_colour(self):
        self.env.pop("NO_COLOR", None)
        judge = ("judge", REPO / "examples/kernels/sqrt_via_float", "--task", "Sqrt", "--case", "0")
        coloured = self.on_a_terminal(*judge)
        self.assertIn("\033[32mpass\033[0m", coloured)
        self.assertRegex(coloured, r"\r\x1b\[K\[[# ]*\] 0/1 ")
        plain = self.on_a_terminal(*judge, NO_COLOR="1")
        self.assertNotIn("\033[3", plain)
        self.assertIn("\033[K", plain)  # where the cursor goes is no colour
        self.assertIn("\033[32m", self.on_a_terminal(*judge, NO_COLOR=""))  # set to nothing is not set
        for term in ("dumb", None):
            dumb = self.on_a_terminal(*judge, TERM=term)
            self.assertNotIn("\033", dumb)
            self.assertIn("Sqrt: pass", dumb)
        mutants = ("mutate", REPO / "examples/kernels/sqrt_via_float", "--task", "Sqrt", "--count", "1")
        self.assertNotIn("\033", self.on_a_terminal(*mutants, TERM="dumb"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
