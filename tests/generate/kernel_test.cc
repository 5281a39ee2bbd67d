// From a function to its kernel, with a program in place of Python that says what a capture says.
#include "generate/kernel.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "base/files.h"
#include "replies.h"

namespace akgen::generate {
namespace {
namespace fs = std::filesystem;
using base::Json;

class Kernels : public ::testing::Test {
 protected:
  Kernels() {
    if (const char* python = std::getenv("AKGEN_PYTHON")) before_ = python;
    q_.file = At("user.py") + ":f", q_.out = dir_.path() / "out";
    q_.chip = *chip::LoadChip();
    q_.judging.seed = 1, q_.hidden = 1;
    q_.progress = [this](const std::string& what) { shown_.push_back(what); };
    std::ofstream(At("user.py")) << "import torch\n\ndef f(x):\n\t  return x.cumsum(0)\n   \nlast";
    fs::create_directories(q_.out);
  }
  ~Kernels() override {
    if (before_.empty())
      ::unsetenv("AKGEN_PYTHON");
    else
      ::setenv("AKGEN_PYTHON", before_.c_str(), 1);
  }
  std::string At(const std::string& name) const { return (dir_.path() / name).string(); }
  // A shell script that Python is taken to be.
  void Python(const std::string& script) {
    const std::string path = At("python");
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    ::chmod(path.c_str(), 0755);
    ::setenv("AKGEN_PYTHON", path.c_str(), 1);
  }
  void Captures(const Json& said) {
    std::ofstream(At("said.json")) << said;
    Python("cp " + At("said.json") + " " + At("out/capture.json"));
  }
  std::string Named(std::string text) const {
    const std::string own = dir_.path().string();
    for (size_t at; (at = text.find(own)) != std::string::npos;)
      text.replace(at, own.size(), "TOP");
    return text;
  }

  base::TempDir dir_ = std::move(*base::TempDir::Create());
  std::string before_;
  KernelRequest q_;
  std::vector<std::string> shown_;
};

TEST_F(Kernels, ACaptureIsAskedForWithAllThatIsGiven) {
  Python("echo \"$@\" > " + At("asked") + "; echo $OMP_NUM_THREADS $PYTHONPATH >> " + At("asked") +
         "; ls " + At("out") + " >> " + At("asked"));
  std::ofstream(At("out/capture.json")) << "an earlier one";
  q_.examples = {"f32[2]", "f32[3]"}, q_.fix = {"n", "x.0"}, q_.products_as_sums = true;
  EXPECT_EQ(Named(Said(CaptureFunction(q_).error())),
            "AK1546|the capture ended with status 0: |TOP/user.py:f|this is an internal error of "
            "the capture");
  std::string asked = *base::ReadFile(At("asked"));
  EXPECT_EQ(Named(asked.substr(0, asked.find('\n'))),
            "-B -m akgen.capture TOP/user.py:f --out TOP/out --example f32[2] --example f32[3] "
            "--products-as-sums --fix n --fix x.0");
  EXPECT_NE(asked.find("\n1 " + (base::HomeDir() / "python").string()), std::string::npos) << asked;
  EXPECT_EQ(asked.find("capture.json"), std::string::npos) << "an earlier one says nothing";
  q_.examples.clear(), q_.fix.clear(), q_.products_as_sums = false;
  (void)CaptureFunction(q_);
  asked = *base::ReadFile(At("asked"));
  EXPECT_EQ(Named(asked.substr(0, asked.find('\n'))),
            "-B -m akgen.capture TOP/user.py:f --out TOP/out");
}

TEST_F(Kernels, HowACaptureEnds) {
  const std::pair<const char*, const char*> rows[] = {
      {"printf 'no torch\\n\\n'; exit 3", "AK1547|no torch|TOP/python|install PyTorch"},
      {"echo no file; exit 2", "AK1545|no file|TOP/user.py:f|akgen kernel FILE.py:NAME"},
      {"echo a; echo b; exit 1",
       "AK1546|the capture ended with status 1: a\nb|TOP/user.py:f|this is an internal error of "
       "the capture"},
      {"echo '[]' > out/capture.json; exit 3", "AK1547||TOP/python|install PyTorch"},
  };
  for (const auto& [script, says] : rows) {
    Python("cd " + At("") + "; " + script);
    const auto c = CaptureFunction(q_);
    ASSERT_FALSE(c.ok()) << script;
    EXPECT_EQ(Named(Said(c.error())), says);
  }
  Python("echo '{\"captured\": 1}' > " + At("out/capture.json"));
  EXPECT_FALSE(CaptureFunction(q_).ok()) << "no boolean";
  Python("sleep 5");
  q_.capture_ms = 100;
  const auto c = CaptureFunction(q_);
  ASSERT_TRUE(c.ok()) << c.error().ToString();
  EXPECT_FALSE(c->captured);
  EXPECT_EQ(Named(c->refusal.code + "|" + c->refusal.reason + "|" + c->refusal.file),
            "AK1544|the capture took longer than 0 s|TOP/user.py");
  EXPECT_EQ(c->refusal.line, 0);
}

TEST_F(Kernels, WhatIsNotCapturedIsRefused) {
  Captures({{"captured", false},
            {"function", "f"},
            {"torch", "1.13"},
            {"refusal",
             {{"kind", "loop"}, {"reason", "why"}, {"file", "u.py"}, {"line", 4}, {"text", "t"}}}});
  const auto k = MakeKernel(q_);
  ASSERT_TRUE(k.ok()) << k.error().ToString();
  const record::KernelRecord& r = k->record;
  EXPECT_EQ(r.verdict + "|" + r.reason + "|" + r.refusal.code + "|" + r.refusal.text + "|" +
                r.function + "|" + r.torch,
            "refused|why|AK1544|t|f|1.13");
  EXPECT_EQ(r.refusal.line, 4);
  EXPECT_EQ(Named(r.file), "TOP/user.py");
  EXPECT_FALSE(r.captured || r.planned || r.verified);
  EXPECT_GT(r.seconds, 0);
  ASSERT_EQ(shown_.size(), 1u);
  EXPECT_EQ(Named(shown_[0]), "captures TOP/user.py:f");
  Captures({{"captured", true}, {"task", At("none")}});
  EXPECT_FALSE(MakeKernel(q_).ok()) << "its task is not there";
}

TEST_F(Kernels, WhatIsCapturedIsPlannedJudgedAndWritten) {
  Captures({{"captured", true},
            {"function", "f"},
            {"task", task::LoadTask("Sqrt")->folder.string()},
            {"inputs", {"self"}},
            {"outputs", {"root"}},
            {"notes", {"a note"}},
            {"changed", {{"self", "root"}}},
            {"guards", {{{"kind", "shape"}, {"text", "any"}}}},
            {"requires", {"len(self.shape) > 0"}},
            {"seconds", 1.5}});
  fs::create_directories(q_.out / "project/deep");
  std::ofstream(q_.out / "project/deep/note.txt") << "written";
  q_.judging.cases = {"0"};
  q_.judging.time.on = true;
  const auto k = MakeKernel(q_);
  ASSERT_TRUE(k.ok()) << k.error().ToString();
  const record::KernelRecord& r = k->record;
  EXPECT_EQ(r.verdict + r.reason, "pass");
  EXPECT_TRUE(r.captured && r.planned && r.verified);
  EXPECT_EQ(r.inputs.at(0) + r.outputs.at(0) + r.notes.at(0) + r.changed.at("self"),
            "selfroota noteroot");
  EXPECT_EQ(r.guards.size(), 1u);
  EXPECT_EQ(r.capture_s, 1.5);
  EXPECT_EQ(r.cases, 1);
  EXPECT_EQ(r.hidden, 1);
  EXPECT_EQ(Named(r.project), "TOP/out");
  EXPECT_EQ(shown_.size(), 3u);
  EXPECT_EQ(shown_.back(), "judges Sqrt");
  EXPECT_EQ(*base::ReadFile(q_.out / "deep/note.txt"), "written");
  EXPECT_FALSE(fs::exists(q_.out / "project"));
  const std::string program = *base::ReadFile(q_.out / "program.py"),
                    readme = *base::ReadFile(q_.out / "README.md");
  EXPECT_NE(program.find("    require(len(self.shape) > 0)\n"), std::string::npos) << program;
  EXPECT_NE(program.find("root = empty"), std::string::npos) << program;
  EXPECT_NE(readme.find("\n## Verdict\n\npass on the simulated " + std::string(q_.judging.chip) +
                        ": 1 cases, 1 hidden cases, range group not run: single cases were asked "
                        "for.\n\nModelled time in microseconds"),
            std::string::npos)
      << readme;
  EXPECT_NE(readme.find("\n| 0 | "), std::string::npos) << readme;
  EXPECT_EQ(Json::parse(*base::ReadFile(q_.out / "verdict.json"))["verdict"], "pass");
}

record::Capture Named(std::vector<std::string> inputs, std::vector<std::string> outputs,
                      std::vector<std::string> conditions = {}) {
  record::Capture c;
  c.inputs = std::move(inputs), c.outputs = std::move(outputs), c.require = std::move(conditions);
  return c;
}

TEST(KernelText, ConditionsStandAtTheBeginningOfTheHost) {
  const std::string head = "@kernel\ndef k(x0):\n    pass\n\n@host\ndef op(x0, x1):\n",
                    rest = "    y0 = empty(x0.shape)\n";
  const auto with = [&](const record::Capture& c) {
    const std::string made = WithConditions(head + rest, c);
    EXPECT_TRUE(made.starts_with(head) && made.ends_with(rest)) << made;
    return made.substr(head.size(), made.size() - head.size() - rest.size());
  };
  EXPECT_EQ(with(Named({"a"}, {})), "");
  EXPECT_EQ(with(Named({"a", "b"}, {}, {"a.shape == b.shape", "len(ba.shape) == 2", "n > 0"})),
            "    require(x0.shape == x1.shape)\n    require(len(ba.shape) == 2)\n"
            "    require(n > 0)\n");
  EXPECT_EQ(with(Named({"x1", "x0"}, {}, {"x0.shape[0] < x1.shape[1]"})),
            "    require(x1.shape[0] < x0.shape[1])\n");
  for (const char* none : {"", "def op(x0):\n", "@host\ndef op(x0)"})
    EXPECT_EQ(WithConditions(none, Named({}, {}, {"n > 0"})), none);
}

TEST(KernelText, TensorsHaveTheUsersNames) {
  const std::string kernel = "@kernel\ndef k(x0, y0, taken):\n    pass\n\n";
  const auto host = [&](const std::string& text, const record::Capture& c) {
    return WithUsersNames(kernel + text, c).substr(kernel.size());
  };
  const std::string op = "@host\ndef op(x0, x1, x10):\n    y0 = x0.shape + x1\n    y1 = y0\n";
  EXPECT_EQ(host(op, Named({"a", "b"}, {"c", "d"})),
            "@host\ndef op(a, b, x10):\n    c = a.shape + b\n    d = c\n");
  EXPECT_EQ(host(op, Named({"taken", "b"}, {"host"})),
            "@host\ndef op(x0, b, x10):\n    y0 = x0.shape + b\n    y1 = y0\n")
      << "names that the program has";
  EXPECT_EQ(WithUsersNames(kernel, Named({"a"}, {})), kernel) << "no host function";
}

TEST_F(Kernels, ReasonsOfThePlannerAreSaidInWordsAndLines) {
  using craft::Obstacle, craft::Unplanned, craft::Way;
  record::Capture c;
  c.line = 3;
  c.operations = {{"cumsum", 0},       {"cumsum", 4}, {"cumsum", 5},
                  {"index_select", 2}, {"cat", 6},    {"slice", 9}};
  const auto refusal = [&](const Unplanned& why, const char* file = "user.py") {
    return RefusalOf({craft::ToError(why), why}, c, At(file));
  };
  const auto tried = [](Way way, Unplanned why) {
    why.way = way;
    return why;
  };
  const struct {
    Unplanned why;
    const char* reason;
    int line;
    const char* text;
  } rows[] = {
      {craft::WithoutRule("cumsum"), "torch.cumsum is no operator that akgen writes here yet", 4,
       "return x.cumsum(0)"},
      {craft::WithoutRule("other"), "torch.other is no operator that akgen writes here yet", 3,
       "def f(x):"},
      {{"any words", Obstacle::kComputedPlaces},
       "not planned yet: rows are chosen by a tensor of indices",
       2,
       ""},
      {{"any words", Obstacle::kReplacedElements},
       "not planned yet: several elements of a row are replaced by indices",
       3,
       "def f(x):"},
      {{"any words", Obstacle::kShapes},
       "not planned yet: its shapes do not fit into one loop nest",
       3,
       "def f(x):"},
      {{"too much; of it"}, "not planned yet: too much; of it", 3, "def f(x):"},
      {{"operation cat", Obstacle::kOperands}, "not planned yet: operation cat", 3, "def f(x):"},
      {{"",
        Obstacle::kOther,
        "",
        Way::kWhole,
        {tried(Way::kLoops, {"of loops"}), tried(Way::kParts, {""})}},
       "not planned yet: of loops",
       3,
       "def f(x):"},
  };
  for (const auto& row : rows) {
    const record::Refusal r = refusal(row.why);
    EXPECT_EQ(r.code, "AK1540");
    EXPECT_EQ(r.reason, row.reason);
    EXPECT_EQ(r.line, row.line) << row.reason;
    EXPECT_EQ(r.text, row.text) << row.reason;
    EXPECT_EQ(Named(r.file), "TOP/user.py");
  }
  EXPECT_EQ(RefusalOf({{"AK0115", "a tensor that no operation made", "", ""}, {}}, c, At("user.py"))
                .reason,
            "not planned yet: a tensor that no operation made");
  c.line = 0;
  EXPECT_EQ(refusal({"too much"}).text, "");
  EXPECT_EQ(refusal(craft::WithoutRule("cat"), "none.py").text, "");
  c.line = 1;
  EXPECT_EQ(refusal({"too much"}).text, "import torch");
}
}  // namespace
}  // namespace akgen::generate
