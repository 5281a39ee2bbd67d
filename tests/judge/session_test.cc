// What becomes of a judgement by what its executor answers: rows of answers, and beside each in
// golden/session.txt what was asked and the verdict. Nothing is compiled or run here.
#include <gtest/gtest.h>

#include "../golden.h"
#include "judge/judge.h"
#include "made_up_chip.h"

namespace akgen::judge {
namespace {
using record::Verdict;

struct Row {
  const char* name;
  void (*change)(MadeUpChip&, Options&);
};

toolchain::BuildReply Failed(const std::string& failure, const std::string& message,
                             const std::string& api = "") {
  toolchain::BuildReply reply;
  reply.failure = failure, reply.unsupported_api = api;
  if (!api.empty()) reply.lacking = {api, "More"};
  reply.diagnostics = {{"warning", "a.cpp", 1, 2, "of no matter", {}},
                       {"error", "a.cpp", 3, 4, message, {}}};
  return reply;
}
sim::RunFinding Found(const char* code, bool warning = false, bool undecided = false) {
  sim::RunFinding f;
  f.finding.code = code, f.finding.message = "found", f.finding.warning = warning,
  f.finding.undecided = undecided;
  f.pcs = {1000, 7, 8}, f.other_pcs = {0, 1001, 9};
  return f;
}
MadeUpChip::Answer Ended(const char* status, const char* detail = "d") {
  MadeUpChip::Answer a;
  a.reply.status = status, a.reply.detail = detail;
  return a;
}
MadeUpChip::Answer Exchanged(const char* hash, int wrong = 0) {
  MadeUpChip::Answer a;
  a.reply.status = "ok", a.reply.hash = hash, a.reply.exchanged = true, a.wrong = wrong;
  return a;
}
TileReply Other(const TileReply& first, void (*change)(TileReply&)) {
  TileReply out = first, other = first;
  change(other);
  out.other = {other}, out.cause = "memory";
  return out;
}

const Row kBuilds[] = {
    {"all is well", [](MadeUpChip&, Options&) {}},
    {"no builder", [](MadeUpChip& c, Options&) { c.broken = "it is gone"; }},
    {"host does not compile",
     [](MadeUpChip& c, Options&) { c.host_build = Failed("diagnostics", "no such thing"); }},
    {"host wants an API",
     [](MadeUpChip& c, Options&) { c.host_build = Failed("diagnostics", "m", "Api"); }},
    {"host: infra", [](MadeUpChip& c, Options&) { c.host_build = Failed("infra", "m"); }},
    {"host: timeout", [](MadeUpChip& c, Options&) { c.host_build = Failed("timeout", "m"); }},
    {"host says half",
     [](MadeUpChip& c, Options&) {
       c.host_build = Failed("diagnostics", "use of undeclared identifier 'half'");
     }},
    {"kernel does not compile",
     [](MadeUpChip& c, Options&) { c.kernel_build = Failed("diagnostics", "no such thing"); }},
    {"kernel does not link",
     [](MadeUpChip& c, Options&) { c.kernel_build = Failed("link", "no such thing"); }},
    {"kernel wants an API",
     [](MadeUpChip& c, Options&) { c.kernel_build = Failed("diagnostics", "m", "Api"); }},
    {"kernel: infra", [](MadeUpChip& c, Options&) { c.kernel_build = Failed("infra", "m"); }},
    {"kernel: memory", [](MadeUpChip& c, Options&) { c.kernel_build = Failed("memory", "m"); }},
    {"kernel for other types",
     [](MadeUpChip& c, Options&) {
       c.kernel_build = Failed("diagnostics", "m"), c.host.ops[0].inputs[0].dtypes = {0};
     }},
    {"a structure twice",
     [](MadeUpChip& c, Options&) {
       c.host.structs = {{"T", 4, {}}},
       c.host.tiling_header = "struct alignas(8) T {\n  int n;\n};\n";
       c.kernel_build = Failed("diagnostics", "redefinition of 'T'");
     }},
    {"host calls open", [](MadeUpChip& c, Options&) { c.host_build.imports = {"memcpy", "open"}; }},
    {"host calls what is not there",
     [](MadeUpChip& c, Options&) {
       c.host_build.imports = {"_ZN3ops7missingEv", "nowhere_to_be"};
     }},
    {"host calls exit", [](MadeUpChip& c, Options&) { c.host_build.imports = {"atexit"}; }},
};

const Row kHosts[] = {
    {"describe: timeout", [](MadeUpChip& c, Options&) { c.host = {"timeout", "slow"}; }},
    {"describe: error", [](MadeUpChip& c, Options&) { c.host = {"error", "broken"}; }},
    {"describe: malformed", [](MadeUpChip& c, Options&) { c.host = {"malformed", "odd"}; }},
    {"describe: failed", [](MadeUpChip& c, Options&) { c.host = {"failed", "no"}; }},
    {"describe: crash", [](MadeUpChip& c, Options&) { c.host = {"crash", ""}; }},
    {"describe: stopped", [](MadeUpChip& c, Options&) { c.host = {"stopped", "why"}; }},
    {"describe: undefined",
     [](MadeUpChip& c, Options&) { c.host = {"stopped", "undefined symbol: 'Mine()'"}; }},
    {"another operator", [](MadeUpChip& c, Options&) { c.host.ops[0].name = "Negative"; }},
    {"no attribute of that type",
     [](MadeUpChip& c, Options&) { c.host.ops[0].attrs = {{"lambda", "int", {}}}; }},
    {"another chip's", [](MadeUpChip& c, Options&) { c.host.ops[0].configs = {"ascend310p"}; }},
    {"a shape inferred", [](MadeUpChip& c, Options&) { c.tiling.inferred_shapes = {{2, 8}}; }},
    {"a shape inferred wrongly",
     [](MadeUpChip& c, Options&) { c.tiling.inferred_shapes = {{8, 2}}; }},
    {"tiling failed",
     [](MadeUpChip& c, Options&) {
       c.tiling.status = "failed", c.tiling.detail = "no", c.tiling.log = "said; this";
     }},
    {"tiling failed silently", [](MadeUpChip& c, Options&) { c.tiling.status = "failed"; }},
    {"tiling: timeout", [](MadeUpChip& c, Options&) { c.tiling.status = "timeout"; }},
    {"tiling: crash", [](MadeUpChip& c, Options&) { c.tiling.status = "crash"; }},
    {"tiling: memory", [](MadeUpChip& c, Options&) { c.tiling.status = "memory"; }},
    {"tiling: error", [](MadeUpChip& c, Options&) { c.tiling.status = "error"; }},
    {"tiling: malformed",
     [](MadeUpChip& c, Options&) {
       c.tiling.status = "malformed", c.tiling.detail = "odd", c.tiling.log = "x";
     }},
    {"no block", [](MadeUpChip& c, Options&) { c.tiling.block_dim = 0; }},
    {"one block", [](MadeUpChip& c, Options&) { c.tiling.block_dim = 1; }},
    {"as many blocks as can be", [](MadeUpChip& c, Options&) { c.tiling.block_dim = 65535; }},
    {"a block too many", [](MadeUpChip& c, Options&) { c.tiling.block_dim = 65536; }},
    {"workspaces", [](MadeUpChip& c, Options&) { c.tiling.workspaces = {32, 64}; }},
    {"all memory as workspace",
     [](MadeUpChip& c, Options&) {
       c.tiling.workspaces = {1, MostWorkspace(*chip::LoadChip()) - 1};
     }},
    {"more than that",
     [](MadeUpChip& c, Options&) { c.tiling.workspaces = {1, MostWorkspace(*chip::LoadChip())}; }},
    {"other blocks",
     [](MadeUpChip& c, Options&) {
       c.tiling = Other(c.tiling, [](TileReply& t) { ++t.block_dim; });
     }},
    {"another key",
     [](MadeUpChip& c, Options&) {
       c.tiling = Other(c.tiling, [](TileReply& t) { ++t.tiling_key; });
     }},
    {"another size",
     [](MadeUpChip& c, Options&) {
       c.tiling = Other(c.tiling, [](TileReply& t) { t.tiling.push_back(0); });
     }},
    {"other workspaces",
     [](MadeUpChip& c, Options&) {
       c.tiling = Other(c.tiling, [](TileReply& t) { t.workspaces = {1}; });
     }},
    {"another end",
     [](MadeUpChip& c, Options&) {
       c.tiling = Other(c.tiling, [](TileReply& t) { t.status = "failed", t.detail = "no"; });
     }},
    {"other bytes that do not matter",
     [](MadeUpChip& c, Options&) {
       c.tiling = Other(c.tiling, [](TileReply& t) { t.tiling[2] = 9; });
     }},
    {"other bytes that matter",
     [](MadeUpChip& c, Options&) {
       c.host.structs = {{"T", 4, {{"a", "int8_t"}, {"b", "int8_t", {}, 1, 2}}}};
       c.tiling = Other(c.tiling, [](TileReply& t) { t.tiling[2] = t.tiling[0] = 9; });
       c.answers = {c.answers[0], c.answers[0]};
       c.answers[1].wrong = 3;
     }},
};

const Row kRuns[] = {
    {"one is wrong", [](MadeUpChip& c, Options&) { c.answers[0].wrong = 1; }},
    {"all are wrong", [](MadeUpChip& c, Options&) { c.answers[0].wrong = 16; }},
    {"deadlock", [](MadeUpChip& c, Options&) { c.answers = {Ended("deadlock")}; }},
    {"crash", [](MadeUpChip& c, Options&) { c.answers = {Ended("crash")}; }},
    {"stopped", [](MadeUpChip& c, Options&) { c.answers = {Ended("stopped")}; }},
    {"unsupported", [](MadeUpChip& c, Options&) { c.answers = {Ended("unsupported")}; }},
    {"timeout", [](MadeUpChip& c, Options&) { c.answers = {Ended("timeout")}; }},
    {"timeout and nothing said",
     [](MadeUpChip& c, Options&) { c.answers = {Ended("timeout", "")}; }},
    {"memory", [](MadeUpChip& c, Options&) { c.answers = {Ended("memory")}; }},
    {"killed", [](MadeUpChip& c, Options&) { c.answers = {Ended("killed")}; }},
    {"error", [](MadeUpChip& c, Options&) { c.answers = {Ended("error")}; }},
    {"malformed", [](MadeUpChip& c, Options&) { c.answers = {Ended("malformed")}; }},
    {"a finding", [](MadeUpChip& c, Options&) { c.answers[0].reply.findings = {Found("AK1")}; }},
    {"a warning",
     [](MadeUpChip& c, Options&) { c.answers[0].reply.findings = {Found("AK1", true)}; }},
    {"undecided",
     [](MadeUpChip& c, Options&) { c.answers[0].reply.findings = {Found("AK1", false, true)}; }},
    {"undecided, a warning and two findings",
     [](MadeUpChip& c, Options&) {
       c.answers[0].reply.findings = {Found("AK1", false, true), Found("AK2", true), Found("AK3"),
                                      Found("AK4")};
     }},
    {"stopped with findings",
     [](MadeUpChip& c, Options&) {
       c.answers = {Ended("stopped")};
       c.answers[0].reply.findings = {Found("AK1"), Found("AK2"), Found("AK3", true)};
     }},
    {"crash with a finding",
     [](MadeUpChip& c, Options&) {
       c.answers = {Ended("crash")}, c.answers[0].reply.findings = {Found("AK1")};
     }},
    {"wrong with a finding",
     [](MadeUpChip& c, Options&) {
       c.answers[0].wrong = 2, c.answers[0].reply.findings = {Found("AK1")};
     }},
    {"changed variables", [](MadeUpChip& c, Options&) { c.answers[0].reply.state_changed = 9; }},
    {"changed inputs", [](MadeUpChip& c, Options&) { c.answers[0].writes_inputs = true; }},
    {"changed inputs and a crash",
     [](MadeUpChip& c, Options&) {
       c.answers = {Ended("crash")}, c.answers[0].writes_inputs = true;
     }},
    {"no byte of the output read",
     [](MadeUpChip& c, Options&) { c.answers[0].reply.unread = {0}; }},
    {"no byte of the input read", [](MadeUpChip& c, Options&) { c.answers[0].reply.unread = {1}; }},
    {"prints",
     [](MadeUpChip& c, Options& o) { c.answers[0].reply.print = "p", o.want_print = true; }},
    {"prints for nobody", [](MadeUpChip& c, Options&) { c.answers[0].reply.print = "p"; }},
    {"imprecise, and right when it is not",
     [](MadeUpChip& c, Options&) {
       c.answers[0].wrong = 1, c.answers[0].reply.arithmetic = {{"imprecise", 1}};
       c.answers.push_back(Exchanged(""));
       c.answers[1].reply.findings = {Found("AK1507"), Found("AK1")};
     }},
    {"imprecise, and wrong all the same",
     [](MadeUpChip& c, Options&) {
       c.answers[0].wrong = 1, c.answers[0].reply.arithmetic = {{"imprecise", 1}};
       c.answers[0].reply.findings = {};
     }},
    {"imprecise, and ends when it is not",
     [](MadeUpChip& c, Options&) {
       c.answers[0].wrong = 1, c.answers[0].reply.arithmetic = {{"imprecise", 1}};
       c.answers.push_back(Ended("crash"));
       c.answers[1].reply.findings = {Found("AK1507")};
     }},
    {"imprecise and right",
     [](MadeUpChip& c, Options&) { c.answers[0].reply.arithmetic = {{"imprecise", 1}}; }},
};

const Row kOrders[] = {
    {"no exchange", [](MadeUpChip& c, Options&) { c.answers[0].reply.hash = "h"; }},
    {"the same in each order", [](MadeUpChip& c, Options&) { c.answers = {Exchanged("h")}; }},
    {"other bytes, and right",
     [](MadeUpChip& c, Options&) { c.answers = {Exchanged("h"), Exchanged("i")}; }},
    {"other bytes, and wrong",
     [](MadeUpChip& c, Options&) {
       c.answers = {Exchanged("h"), Exchanged("h"), Exchanged("i", 1)};
     }},
    {"wrong with the same hash",
     [](MadeUpChip& c, Options&) { c.answers = {Exchanged("h"), Exchanged("h", 1)}; }},
    {"deadlock in another order",
     [](MadeUpChip& c, Options&) { c.answers = {Exchanged("h"), Ended("deadlock")}; }},
    {"crash in another order",
     [](MadeUpChip& c, Options&) { c.answers = {Exchanged("h"), Ended("crash")}; }},
    {"stops in another order",
     [](MadeUpChip& c, Options&) { c.answers = {Exchanged("h"), Ended("stopped")}; }},
    {"too long in another order",
     [](MadeUpChip& c, Options&) { c.answers = {Exchanged("h"), Ended("timeout")}; }},
    {"error in another order",
     [](MadeUpChip& c, Options&) { c.answers = {Exchanged("h"), Ended("error")}; }},
    {"memory in another order",
     [](MadeUpChip& c, Options&) { c.answers = {Exchanged("h"), Ended("memory")}; }},
    {"a finding, so no other order",
     [](MadeUpChip& c, Options&) {
       c.answers = {Exchanged("h")}, c.answers[0].reply.findings = {Found("AK1")};
     }},
    {"one order asked for",
     [](MadeUpChip& c, Options& o) { c.answers = {Exchanged("h")}, o.schedule = 3; }},
    {"no check of races",
     [](MadeUpChip& c, Options& o) {
       c.answers = {Exchanged("h")}, o.checks = {{"racecheck", false}};
     }},
    {"five orders", [](MadeUpChip& c, Options& o) { c.answers = {Exchanged("h")}, o.orders = 5; }},
    {"no order", [](MadeUpChip& c, Options& o) { c.answers = {Exchanged("h")}, o.orders = 0; }},
};

const Row kOptions[] = {
    {"no such case", [](MadeUpChip&, Options& o) { o.cases = {"0", "nope"}; }},
    {"no such chip", [](MadeUpChip&, Options& o) { o.chip = "none"; }},
    {"a chip that runs nothing", [](MadeUpChip&, Options& o) { o.chip = "310P3"; }},
    {"upstream's rule", [](MadeUpChip&, Options& o) { o.precision = "upstream"; }},
    {"upstream's inputs", [](MadeUpChip&, Options& o) { o.inputs = "upstream"; }},
    {"lines",
     [](MadeUpChip& c, Options& o) {
       o.want_lines = true, c.answers[0].reply.sites = {{1000, 5}, {6}, {5}, {0}};
     }},
    {"a probe",
     [](MadeUpChip& c, Options& o) {
       o.probe = sim::RunProbe{{1, 2}, "e"}, c.answers[0].reply.probe = sim::ProbeReply{2, 2, true};
     }},
    {"a kernel alone", [](MadeUpChip&, Options& o) { o.kernel_only = true; }},
    {"a kernel alone, of another operator",
     [](MadeUpChip& c, Options& o) { o.kernel_only = true, c.host.ops[0].configs.clear(); }},
    {"less time", [](MadeUpChip&, Options& o) { o.run_timeout_ms = 9999; }},
    {"some checks",
     [](MadeUpChip&, Options& o) { o.checks = {{"memcheck", false}, {"auto_sync", false}}; }},
    {"modelled time", [](MadeUpChip&, Options& o) { o.time.on = true; }},
    {"a row that makes no sense",
     [](MadeUpChip&, Options& o) { o.rows[0].columns = {{"id", "0"}, {"dtype", "int32"}}; }},
    {"too large",
     [](MadeUpChip& c, Options& o) {
       o.rows[0].columns["input_shape"] = {1 << 20, 1 << 14}, c.tiling.status = "failed";
     }},
    {"the second is wrong",
     [](MadeUpChip& c, Options& o) {
       o.rows.push_back(o.rows[0]), o.rows[1].id = "1";
       c.answers.push_back(c.answers[0]), c.answers[1].wrong = 1;
     }},
    {"the first takes too long",
     [](MadeUpChip& c, Options& o) {
       o.rows.push_back(o.rows[0]), o.rows[1].id = "1", c.answers = {Ended("timeout")};
     }},
    {"the second has other types",
     [](MadeUpChip& c, Options& o) {
       o.rows.push_back(o.rows[0]), o.rows[1].id = "1", o.rows[1].columns["dtype"] = "int8";
       c.host.ops[0].inputs[0].dtypes = c.host.ops[0].outputs[0].dtypes = {3, 2};
     }},
};

std::string Text(const Judgement& j) {
  std::string out = std::string(record::NameOf(j.verdict)) + ": " + j.reason +
                    (j.repeatable ? "" : " (not repeatable)") + (j.task_fault ? " (task)" : "");
  out += "\nbuild options " + base::Json(j.build_options).dump() + " lacking " +
         base::Json(j.lacking).dump() + " rewrites " + std::to_string(j.rewrites.size()) +
         " diagnostics " + std::to_string(j.diagnostics.size()) + " range " + j.range + "\n";
  for (const CaseResult& r : j.cases) {
    out += "case " + r.id + ": " + std::string(record::NameOf(r.verdict)) + ": " + r.reason +
           (r.skipped ? " (skipped)" : "") + (r.numbers_pass ? " (numbers pass)" : "") +
           " blocks " + std::to_string(r.block_dim) + " key " + std::to_string(r.tiling_key) +
           " hash " + r.hash + " print " + r.print + " orders " + base::Json(r.orders).dump() +
           " prelude " + std::to_string(r.prelude.size()) + (r.probe ? " probed" : "") + "\n";
    for (const auto& line : r.lines)
      out += "  line " + line.file + ":" + std::to_string(line.line) + "\n";
    for (const auto& f : r.findings)
      out += "  " + f.code + (f.warning ? " (warning)" : "") + (f.undecided ? " (undecided)" : "") +
             " " + f.message + " at " + f.place.file + ":" + std::to_string(f.place.line) +
             (f.other ? " and " + f.other->file + ":" + std::to_string(f.other->line) : "") + "; " +
             f.fix + "\n";
    for (const record::OutputResult& o : r.outputs)
      out += "  output " + o.name + " by " + o.rule + ": " + std::to_string(o.mismatches) + " of " +
             std::to_string(o.elements) + ", " + std::to_string(o.first.size()) + " and " +
             std::to_string(o.worst.size()) + " shown " + o.region + "\n";
  }
  return out;
}

// What the outputs should be, of a task that has no reference: what is wrong is then not asked of
// libtorch.
base::Result<task::TensorSet> Negated(const task::CaseDesc& c, const task::TensorSet& inputs) {
  task::TensorSet out;
  out.tensors = task::Flatten(c.outputs), out.layout = task::LayoutOf(out.tensors);
  auto memory = base::SharedMemory::Create("akgen-negated", out.layout.bytes);
  if (!memory.ok()) return memory.error();
  out.memory = std::move(*memory);
  const bool bytes = out.tensors[0].dtype == base::Dtype::kInt8;
  const auto x = inputs.Bytes(0), y = out.Bytes(0);
  for (size_t i = 0; i < y.size(); ++i) y[i] = uint8_t(-x[i]);
  if (bytes) return out;
  const auto* from = reinterpret_cast<const int32_t*>(x.data());
  auto* to = reinterpret_cast<int32_t*>(y.data());
  for (size_t i = 0; i < y.size() / sizeof *to; ++i) to[i] = -from[i];
  return out;
}

class Session : public ::testing::Test {
 protected:
  Session() : dir_(std::move(*base::TempDir::Create())), task_(std::move(*task::LoadTask("Neg"))) {
    std::filesystem::create_directories(dir_.path() / "op_host");
    std::filesystem::create_directories(dir_.path() / "op_kernel");
    const std::string kernel =
        "extern \"C\" __global__ __aicore__ void neg(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, "
        "GM_ADDR tiling) {}\n";
    EXPECT_TRUE(base::WriteFileAtomic(dir_.path() / "op_host/neg.cpp", "// \"x\"\n").ok());
    EXPECT_TRUE(base::WriteFileAtomic(dir_.path() / "op_kernel/neg.cpp", kernel).ok());
  }
  // What each row asks of the chip and what becomes of it, beside golden/NAME.
  void Expect(const std::string& name, std::span<const Row> rows) const {
    std::string text;
    for (const Row& row : rows) {
      auto chip = std::make_unique<MadeUpChip>();
      Options options;
      options.seed = 3, options.range = false;
      task::CaseRow one;
      one.id = "0", one.columns = {{"id", "0"}, {"input_shape", {2, 8}}, {"dtype", "int32"}};
      options.rows = {one};
      row.change(*chip, options);
      task::TaskSpec task = task_;
      const bool other_types = options.rows.back().columns.value("dtype", "") == "int8";
      if (other_types || std::ranges::any_of(chip->answers, [](auto& a) { return a.wrong > 0; }))
        task.reference = "", options.expected = Negated;
      const MadeUpChip& asked = *chip;
      Judge judge(std::move(chip));
      const Judgement j = judge.Run(dir_.path().string(), task, options);
      text += "## " + std::string(row.name) + "\n" + asked.asked + Text(j) + "\n";
    }
    for (const std::string& path : {dir_.path().string(), base::HomeDir().string()})
      for (size_t at = 0; (at = text.find(path, at)) != std::string::npos;)
        text.replace(at, path.size(), "DIR");
    ExpectGolden(AKGEN_GOLDEN_FOLDER, name, text);
  }
  base::TempDir dir_;
  task::TaskSpec task_;
};

TEST_F(Session, ByWhatIsBuilt) { Expect("session_builds.txt", kBuilds); }
TEST_F(Session, ByWhatHostCodeSays) { Expect("session_hosts.txt", kHosts); }
TEST_F(Session, ByHowARunEnds) { Expect("session_runs.txt", kRuns); }
TEST_F(Session, ByOtherOrders) { Expect("session_orders.txt", kOrders); }
TEST_F(Session, ByWhatIsAskedFor) { Expect("session_options.txt", kOptions); }
}  // namespace
}  // namespace akgen::judge
