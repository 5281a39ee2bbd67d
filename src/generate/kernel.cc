#include "generate/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <regex>

#include "base/files.h"
#include "base/process.h"
#include "base/seed.h"
#include "base/text.h"
#include "generate/generator.h"
#include "generate/judge_pool.h"

namespace akgen::generate {
namespace fs = std::filesystem;
using base::Error;
using base::Result;
using judge::PlanFailure;
using record::Capture;
using record::KernelRecord;
using record::Refusal;

namespace {
constexpr uint64_t kHiddenCasesPurpose = 0x6b65726e656c;

std::string FileOf(const std::string& named) {
  const size_t colon = named.rfind(".py:");
  return colon == std::string::npos ? named : named.substr(0, colon + 3);
}

std::string LineOf(const std::string& file, int line) {
  auto text = base::ReadFile(file);
  if (!text.ok() || line < 1) return "";
  size_t at = 0;
  for (int i = 1; i < line; ++i) {
    at = text->find('\n', at);
    if (at == std::string::npos) return "";
    ++at;
  }
  std::string found = text->substr(at, text->find('\n', at) - at);
  const size_t first = found.find_first_not_of(" \t");
  return first == std::string::npos ? "" : found.substr(first);
}

// What a refusal that names no operation says to those who know PyTorch's operators.
struct Phrase {
  craft::Obstacle obstacle;
  const char *op, *said;
};
constexpr Phrase kPhrases[] = {
    {craft::Obstacle::kComputedPlaces, "index_select", "rows are chosen by a tensor of indices"},
    {craft::Obstacle::kReplacedElements, "scatter",
     "several elements of a row are replaced by indices"},
    {craft::Obstacle::kShapes, "", "its shapes do not fit into one loop nest"},
};

base::Status Write(const fs::path& out, const Files& files) {
  for (const auto& [path, content] : files) {
    std::error_code ec;
    fs::create_directories((out / path).parent_path(), ec);
    if (auto s = base::WriteFileAtomic(out / path, content); !s.ok()) return s;
  }
  return {};
}

void Take(KernelRecord& r, const Capture& c) {
  r.function = c.function, r.captured = c.captured, r.guards = c.guards;
  r.inputs = c.inputs, r.attributes = c.attributes, r.outputs = c.outputs, r.notes = c.notes;
  r.changed = c.changed;
  r.task = c.task, r.torch = c.torch, r.capture_s = c.seconds;
}

// What the capture wrote beside the task: build files, shape inference, binding.
base::Status AddWritten(const fs::path& folder, Files& files) {
  std::error_code ec;
  for (fs::recursive_directory_iterator at(folder, ec), end; !ec && at != end; at.increment(ec)) {
    if (!at->is_regular_file()) continue;
    auto text = base::ReadFile(at->path());
    if (!text.ok()) return text.error();
    files[fs::relative(at->path(), folder, ec).generic_string()] = *text;
  }
  fs::remove_all(folder, ec);
  return {};
}

// What a reader of the project wants to know of its judgement.
std::string VerdictText(const KernelRecord& r, const judge::Judgement& shown) {
  std::string rows;
  for (const judge::CaseResult& c : shown.cases)
    if (auto t = record::ModelledFromJson(c.modelled); t && c.id.rfind("range-", 0) != 0)
      rows += fmt::format("| {} | {:.2f} | {} | {:.2f} |\n", c.id, t->own.us,
                          t->eager.known() ? fmt::format("{:.2f}", t->eager.us) : "", t->bound_us);
  std::string out = fmt::format(
      "\n## Verdict\n\n{}{} on the simulated {}: {} cases, {} hidden cases, range group {}.\n",
      r.verdict, r.reason.empty() ? "" : " (" + r.reason + ")", shown.chip, r.cases, r.hidden,
      r.range.empty() ? "not run" : r.range);
  if (!rows.empty())
    out +=
        "\nModelled time in microseconds, with that of PyTorch's operators one by one, and the "
        "least that the chip "
        "allows:\n\n| case | kernel | eager | bound |\n|---|---:|---:|---:|\n" +
        rows;
  return out;
}

bool Refused(const PlanFailure& e) { return e.error.code == "AK1540" || e.error.code == "AK0115"; }

struct Planned {
  Capture capture;
  task::TaskSpec spec;
  std::string program;
};
using PlannedOrFailure = Result<Planned, PlanFailure>;
PlannedOrFailure PlanCaptured(Capture capture, task::ReferenceClient& reference,
                              const craft::Target& target) {
  auto spec = task::LoadTaskFolder(capture.task);
  if (!spec.ok()) return PlanFailure{spec.error(), {}};
  auto program = judge::PlanTask(reference, *spec, target);
  if (!program.ok()) return program.error();
  return Planned{std::move(capture), std::move(*spec), std::move(*program)};
}

// Whether it is the operation that the rules lack, for all sizes.
bool LacksOperation(const PlanFailure& why) {
  if (!why.refusal) return false;
  const craft::Obstacle what = why.refusal->Main().obstacle;
  return what == craft::Obstacle::kOperation || what == craft::Obstacle::kOperands;
}

// Where the record itself is not planned: with products as sums of elementwise products, and for
// the examples' sizes.
PlannedOrFailure PlanOtherwise(const KernelRequest& q, const Capture& first, const PlanFailure& why,
                               task::ReferenceClient& reference, const craft::Target& target) {
  const bool products = why.refusal && why.refusal->IsAbout("matmul");
  if (!products && LacksOperation(why)) return why;
  for (const bool fixed : {false, true}) {
    if (!products && !fixed) continue;
    KernelRequest again = q;
    again.products_as_sums = products;
    if (fixed) again.fix.insert(again.fix.end(), first.inputs.begin(), first.inputs.end());
    auto capture = CaptureFunction(again);
    if (!capture.ok()) return PlanFailure{capture.error(), {}};
    if (!capture->captured) continue;
    if (products)
      capture->notes.push_back("products are sums on vector cores: slow for large sizes");
    if (fixed)
      capture->notes.push_back(
          "for the sizes of the examples alone: for others it is not planned yet");
    auto planned = PlanCaptured(std::move(*capture), reference, target);
    if (planned.ok() || !Refused(planned.error())) return planned;
  }
  return why;
}

void Refuse(KernelRecord& r, Refusal why) {
  r.verdict = "refused", r.reason = why.reason;
  r.refusal = std::move(why);
}
}  // namespace

Result<Capture> CaptureFunction(const KernelRequest& q) {
  const char* python = std::getenv("AKGEN_PYTHON");
  base::SpawnRequest spawn;
  spawn.argv = {python && *python ? python : "python3",
                "-B",
                "-m",
                "akgen.capture",
                q.file,
                "--out",
                q.out.string()};
  for (const std::string& e : q.examples) spawn.argv.insert(spawn.argv.end(), {"--example", e});
  if (q.products_as_sums) spawn.argv.push_back("--products-as-sums");
  for (const std::string& f : q.fix) spawn.argv.insert(spawn.argv.end(), {"--fix", f});
  const char* path = std::getenv("PYTHONPATH");
  spawn.settings = {"PYTHONPATH=" + (base::HomeDir() / "python").string() +
                        (path && *path ? ":" + std::string(path) : ""),
                    "OMP_NUM_THREADS=1"};
  spawn.fix = "install Python 3, or name it in $AKGEN_PYTHON";
  std::error_code ec;
  fs::remove(q.out / "capture.json", ec);
  auto done = base::RunProgram(spawn, q.capture_ms);
  if (!done.ok()) return done.error();
  Capture c;
  if (done->timed_out) {
    c.refusal = {"AK1544", fmt::format("the capture took longer than {} s", q.capture_ms / 1000),
                 FileOf(q.file), 0, ""};
    return c;
  }
  const std::string said = done->output.substr(0, done->output.find_last_not_of("\n") + 1);
  if (done->exit_code == 3) return Error{"AK1547", said, spawn.argv[0], "install PyTorch"};
  if (done->exit_code == 2) return Error{"AK1545", said, q.file, "akgen kernel FILE.py:NAME"};
  auto text = base::ReadFile(q.out / "capture.json");
  if (!text.ok())
    return Error{"AK1546",
                 "the capture ended with status " + std::to_string(done->exit_code) + ": " + said,
                 q.file, "this is an internal error of the capture"};
  return base::Checked((q.out / "capture.json").string(), [&]() -> Result<Capture> {
    return record::CaptureFromJson(base::Parse(*text));
  });
}

std::string WithConditions(const std::string& program, const Capture& capture) {
  const size_t host = program.rfind("@host");
  const size_t body = host == std::string::npos ? host : program.find(":\n", host);
  if (body == std::string::npos) return program;
  std::string text;
  for (std::string condition : capture.require) {
    for (size_t i = 0; i < capture.inputs.size(); ++i)
      condition = std::regex_replace(
          condition, std::regex("\\b" + capture.inputs[i] + "\\.shape"),
          fmt::format("@{}.shape", i));  // not yet x{}: an input may be called x0
    std::replace(condition.begin(), condition.end(), '@', 'x');
    text += "    require(" + condition + ")\n";
  }
  return program.substr(0, body + 2) + text + program.substr(body + 2);
}

std::string WithUsersNames(const std::string& program, const Capture& capture) {
  const size_t host = program.rfind("@host");
  if (host == std::string::npos) return program;
  std::string text = program.substr(host);
  auto rename = [&](const std::string& from, const std::string& to) {
    const std::regex word("\\b" + to + "\\b");
    if (!std::regex_search(program, word))
      text = std::regex_replace(text, std::regex("\\b" + from + "\\b"), to);
  };
  for (size_t i = 0; i < capture.inputs.size(); ++i)
    rename(fmt::format("x{}", i), capture.inputs[i]);
  for (size_t i = 0; i < capture.outputs.size(); ++i)
    rename(fmt::format("y{}", i), capture.outputs[i]);
  return program.substr(0, host) + text;
}

Refusal RefusalOf(const PlanFailure& planner, const Capture& capture, const std::string& file) {
  const craft::Unplanned why =
      planner.refusal ? planner.refusal->Main() : craft::Unplanned{planner.error.message};
  std::string op, reason = "not planned yet: " + why.Text();
  if (why.obstacle == craft::Obstacle::kOperation) {
    op = why.op;
    reason = fmt::format("torch.{} is no operator that akgen writes here yet", op);
  }
  for (const Phrase& p : kPhrases)
    if (why.obstacle == p.obstacle) op = p.op, reason = fmt::format("not planned yet: {}", p.said);
  Refusal out{"AK1540", reason, file, capture.line, ""};
  for (const auto& o : capture.operations)
    if (!op.empty() && o.op == op && o.line) {
      out.line = o.line;
      break;
    }
  out.text = LineOf(file, out.line);
  return out;
}

Result<KernelAnswer> MakeKernel(const KernelRequest& q) {
  const auto began = std::chrono::steady_clock::now();
  KernelAnswer out;
  KernelRecord& r = out.record;
  r.file = FileOf(q.file);
  auto ended = [&] {
    r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return std::move(out);
  };
  if (q.progress) q.progress("captures " + q.file);
  auto capture = CaptureFunction(q);
  if (!capture.ok()) return capture.error();
  Take(r, *capture);
  if (!capture->captured) {
    Refuse(r, capture->refusal);
    return ended();
  }
  auto target = craft::TargetOf(q.chip);
  if (!target.ok()) return target.error();
  if (q.progress) q.progress("plans " + capture->function);
  task::ReferenceClient reference;
  auto planned = PlanCaptured(*capture, reference, *target);
  if (!planned.ok() && Refused(planned.error()))
    planned = PlanOtherwise(q, *capture, planned.error(), reference, *target);
  if (!planned.ok()) {
    if (!Refused(planned.error())) return planned.error().error;
    Refuse(r, RefusalOf(planned.error(), *capture, r.file));
    return ended();
  }
  auto make = [&](const Planned& p) {
    const std::string program = WithConditions(p.program, p.capture);
    Made made = MakeFromProgram(WithUsersNames(program, p.capture), p.spec, *target);
    return made.files.empty() ? MakeFromProgram(program, p.spec, *target)
                              : made;  // a name that the language has
  };
  Made made = make(*planned);
  if (made.files.empty())  // a program that is right for larger sizes alone
    if (auto other = PlanOtherwise(q, *capture, {Error{"AK1540", made.reason, "", ""}, {}},
                                   reference, *target);
        other.ok())
      if (Made again = make(*other); !again.files.empty())
        planned = std::move(other), made = std::move(again);
  Take(r, planned->capture);
  const task::TaskSpec& spec = planned->spec;
  if (made.files.empty()) {
    Refuse(r, {"AK1540", made.reason, r.file, capture->line, LineOf(r.file, capture->line)});
    return ended();
  }
  if (auto s = AddWritten(q.out / "project", made.files); !s.ok()) return s.error();
  r.planned = true;
  if (q.progress) q.progress("judges " + spec.name);
  JudgePool pool(1);
  auto tried =
      pool.Run(made.files, spec, q.judging,
               {q.hidden, base::DerivedSeed(q.judging.seed.value_or(1), kHiddenCasesPurpose), {}});
  if (!tried.ok()) return tried.error();
  r.verdict = std::string(record::NameOf(tried->verdict()));
  r.reason = tried->reason();
  r.verified = tried->verdict() == record::Verdict::kPass;
  r.range = tried->shown.range;
  r.cases = int(tried->shown.cases.size()),
  r.hidden = tried->hidden ? int(tried->hidden->cases.size()) : 0;
  out.judgement = tried->Last();
  r.project = q.out.string();
  made.files["verdict.json"] = base::Dump(judge::ToJson(tried->shown)) + "\n";
  made.files["README.md"] += VerdictText(r, tried->shown);
  if (auto s = Write(q.out, made.files); !s.ok()) return s.error();
  return ended();
}

}  // namespace akgen::generate
