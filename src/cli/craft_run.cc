// akgen craft run and validate: programs on tensors.
#include "cli/craft_run.h"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "base/files.h"
#include "base/hash.h"
#include "chip/chip.h"
#include "cli/commands.h"
#include "cli/judging_options.h"
#include "cli/output.h"
#include "cli/sources.h"
#include "craft/interpret/arguments.h"
#include "judge/validate/validate.h"

namespace akgen::cli {
namespace {
struct CraftRunArgs {
  std::vector<std::string> programs, words, cases;
  std::string json, out;
  JudgingOptions judging;
  uint64_t seed = 1;
  int64_t show = 8;
};

// Compiled, or nothing after its diagnostics were said.
std::unique_ptr<craft::Compiled> Load(const std::string& file, const std::string& chip,
                                      std::string& source, int& rc) {
  auto text = base::ReadFile(file);
  if (!text.ok()) {
    PrintError(text.error());
    rc = kUsage;
    return nullptr;
  }
  source = *text;
  auto target = craft::LoadTarget(chip);
  if (!target.ok()) {
    PrintError(target.error());
    rc = kUsage;
    return nullptr;
  }
  auto c = std::make_unique<craft::Compiled>(craft::Compile(source, *target));
  rc = c->diagnostics.empty() ? kOk : kNotPassed;
  if (rc == kOk) return c;
  fmt::print(stderr, "{}", c->diagnostics.Render(file, source));
  return nullptr;
}

double ElementOf(const craft::Tensor& t, int64_t i, craft::TileData& one) {
  base::Dtype d = t.dtype == base::Dtype::kComplex64 ? base::Dtype::kFloat32 : t.dtype;
  if (one.dtype != d || one.f.empty() == one.real()) one = craft::MakeTile(d, 1, 1);
  craft::ReadElement(one, 0, t.bytes.data() + i * base::SizeOf(d));
  return one.real() ? one.f[0] : static_cast<double>(one.i[0]);
}

// What is said of one output.
struct OutputSummary {
  std::string name, dtype, file;  // file: where its elements were written; empty: nowhere
  std::vector<int64_t> shape;
  std::vector<double> first;
  int64_t elements = 0, finite = 0;
  double min = INFINITY, max = -INFINITY, sum = 0;  // of the finite ones
  std::string hash;
  double Mean() const { return sum / static_cast<double>(finite); }
};

OutputSummary Summary(const std::string& name, const craft::Tensor& t, int64_t show) {
  craft::TileData one;
  OutputSummary out;
  out.name = name, out.dtype = craft::ir::ShortName(t.dtype);
  out.shape.assign(t.shape.begin(), t.shape.end());
  out.elements = static_cast<int64_t>(t.bytes.size()) /
                 base::SizeOf(t.dtype == base::Dtype::kComplex64 ? base::Dtype::kFloat32 : t.dtype);
  for (int64_t i = 0; i < out.elements; ++i) {
    double v = ElementOf(t, i, one);
    if (i < show) out.first.push_back(v);
    if (!std::isfinite(v)) continue;
    out.min = std::min(out.min, v), out.max = std::max(out.max, v), out.sum += v;
    ++out.finite;
  }
  out.hash = base::ContentHash(
      std::string_view(reinterpret_cast<const char*>(t.bytes.data()), t.bytes.size()));
  return out;
}

base::Json ToJson(const OutputSummary& s) {
  base::Json first = base::Json::array();
  for (double v : s.first)
    first.push_back(std::isfinite(v) ? base::Json(v) : base::Json(fmt::format("{}", v)));
  base::Json j{{"name", s.name},     {"dtype", s.dtype},       {"shape", s.shape}, {"first", first},
               {"finite", s.finite}, {"elements", s.elements}, {"hash", s.hash}};
  if (s.finite) j["min"] = s.min, j["max"] = s.max, j["mean"] = s.Mean();
  if (!s.file.empty()) j["file"] = s.file;
  return j;
}

void Print(const OutputSummary& s) {
  fmt::print("{}: {}{}", s.name, s.dtype, base::Dump(base::Json(s.shape)));
  if (s.finite) fmt::print("  min {:.6g}  max {:.6g}  mean {:.6g}", s.min, s.max, s.Mean());
  if (s.finite != s.elements) fmt::print("  {} of {} elements are finite", s.finite, s.elements);
  fmt::print("\n ");
  for (double v : s.first)
    if (std::isfinite(v))
      fmt::print(" {:.7g}", v);
    else
      fmt::print(" {}", v);
  fmt::print("{}\n", static_cast<size_t>(s.elements) > s.first.size() ? " …" : "");
}

// Outputs by name, then inputs that were stored into.
std::vector<std::pair<std::string, const craft::Tensor*>> Written(const craft::ir::Program& p,
                                                                  const craft::Outputs& o,
                                                                  const craft::Arguments& given) {
  std::vector<std::pair<std::string, const craft::Tensor*>> out;
  size_t n = 0;
  auto add = [&](const std::string& name, const std::vector<craft::Tensor>& list, bool many) {
    for (size_t i = 0; i < list.size(); ++i)
      out.push_back({many ? fmt::format("{}[{}]", name, i) : name, &list[i]});
  };
  for (const auto& t : p.tensors)
    if (t.kind != craft::ir::HostTensor::kWorkspace) add(t.name, o.tensors[n++], t.is_list);
  for (const auto& [name, list] : o.inputs)
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i].bytes != given.tensors.at(name)[i].bytes)
        out.push_back({list.size() > 1 ? fmt::format("{}[{}]", name, i) : name, &list[i]});
  return out;
}

int RunProgram(const CraftRunArgs& a) {
  int rc = kOk;
  std::string source;
  auto c = Load(a.programs[0], a.judging.chip, source, rc);
  if (!c) return rc;
  std::string text;
  for (const auto& w : a.words) text += (text.empty() ? "" : " ") + w;
  if (text.empty())
    if (auto tries = craft::TryLines(source); !tries.empty()) text = tries[0];
  auto one = craft::ParseCase(c->programs, text, a.seed);
  if (!one.ok()) {
    PrintError(one.error());
    return kUsage;
  }
  auto done = craft::Interpret(c->programs[one->column], c->lowered[one->column], one->args);
  if (!done.ok()) {
    if (!a.json.empty())
      WriteJson({{"ok", false},
                 {"code", done.error().code},
                 {"message", done.error().message},
                 {"where", done.error().where},
                 {"fix", done.error().fix}},
                a.json);
    PrintError(done.error());
    return kNotPassed;
  }
  base::Json outputs = base::Json::array();
  for (const auto& [name, tensor] : Written(c->programs[one->column], *done, one->args)) {
    OutputSummary summary = Summary(name, *tensor, a.show);
    if (a.json != "-") Print(summary);
    if (a.out.empty()) {
      outputs.push_back(ToJson(summary));
      continue;
    }
    std::error_code ec;
    std::filesystem::create_directories(a.out, ec);
    std::filesystem::path file = std::filesystem::path(a.out) / (name + ".bin");
    if (auto st = base::WriteFileAtomic(
            file, {reinterpret_cast<const char*>(tensor->bytes.data()), tensor->bytes.size()});
        !st.ok()) {
      PrintError(st.error());
      return kFault;
    }
    summary.file = file.string();
    outputs.push_back(ToJson(summary));
  }
  if (done->never_written)
    fmt::print(stderr, "warning: {} elements of outputs are never written\n", done->never_written);
  if (!a.json.empty())
    return WriteJson({{"ok", true},
                      {"inputs", text},
                      {"seed", a.seed},
                      {"outputs", outputs},
                      {"never_written", done->never_written}},
                     a.json);
  return kOk;
}

// All cases of a program in one build.
bool ValidateOne(judge::Validator& validator, const std::string& file, const CraftRunArgs& a,
                 base::Json& results, int& rc) {
  std::string source;
  auto c = Load(file, a.judging.chip, source, rc);
  if (!c) return false;
  std::vector<judge::Validation> all;
  for (const auto& text : a.cases.empty() ? craft::TryLines(source) : a.cases) {
    auto one = craft::ParseCase(c->programs, text, a.seed);
    if (!one.ok()) {
      PrintError(one.error());
      rc = kUsage;
      return false;
    }
    all.push_back({c->lowered[one->column], std::move(one->args), text});
  }
  if (all.empty()) {
    PrintError({"AK1532", file + " brings no cases along", file,
                "add --shapes 'x=f32[4, 8]', or a comment `# try: x=f32[4, 8]` to the program"});
    rc = kUsage;
    return false;
  }
  bool good = true;
  for (const auto& v : validator.Run(all)) {
    base::Json j = judge::ToJson(v);
    j["program"] = file;
    good &= v.outcome == judge::Validated::kAgree;
    if (a.json != "-") {
      fmt::print("{:<12} {}  {}\n", judge::NameOf(v.outcome), file, v.label);
      if (v.outcome == judge::Validated::kAgree)
        fmt::print("             {} elements, {} bit for bit{}{}\n", v.elements, v.exact,
                   v.exact < v.elements ? fmt::format(", worst {:.2f} of its bound", v.worst) : "",
                   v.undecided ? fmt::format(", {} undecided", v.undecided) : "");
      else
        fmt::print("             {}\n", v.reason);
      for (const auto& f : v.findings) PrintFinding(f, SourcesOf(file));
    }
    results.push_back(std::move(j));
  }
  return good;
}

int Validate(const CraftRunArgs& a) {
  auto validator = judge::Validator::Start(a.judging.chip, a.judging.Backend());
  if (!validator.ok()) {
    PrintError(validator.error());
    return kFault;
  }
  base::Json results = base::Json::array();
  int worst = kOk;
  for (const auto& file : a.programs) {
    int rc = kOk;
    if (!ValidateOne(*validator, file, a, results, rc))
      worst = std::max(worst, rc == kOk ? kNotPassed : rc);
  }
  if (!a.json.empty())
    if (int rc = WriteJson({{"ok", worst == kOk},
                            {"seed", a.seed},
                            {"chip", a.judging.chip},
                            {"backend", a.judging.backend},
                            {"sealed", record::IsSealed(a.judging.Backend())},
                            {"cases", results}},
                           a.json))
      return rc;
  return worst;
}
}  // namespace

int ValidateProgram(const std::string& program, const JudgingOptions& judging, uint64_t seed,
                    const std::string& json) {
  CraftRunArgs args;
  args.programs = {program}, args.judging = judging, args.seed = seed, args.json = json;
  return Validate(args);
}

void AddCraftRun(CLI::App* craft, int& exit_code) {
  auto args = std::make_shared<CraftRunArgs>();
  CLI::App* run = craft->add_subcommand(
      "run", "Run a program on tensors with the interpreter, before any kernel exists");
  run->add_option("program", args->programs, "File with a program")->required()->expected(1);
  run->add_option(
      "--inputs", args->words,
      "One word per parameter: x=f32[4,8], x=i32[9]{0,3} (range), x=f16[8]@FILE (raw elements), "
      "xs=f32[3]+f32[5], w=none, eps=1e-5; "
      "default: the program's first `# try:` comment");
  run->add_option("--seed", args->seed, "Seed of drawn elements")->capture_default_str();
  run->add_option("--show", args->show, "Print so many elements of each output")
      ->capture_default_str();
  run->add_option("-o,--out", args->out, "Folder for outputs as raw elements, NAME.bin");
  args->judging.AddTo(*run, JudgingOptions::kChip);
  run->add_option("--json", args->json,
                  "Write outputs as JSON to this file (- for standard output)");
  run->footer(
      "Example: akgen craft run examples/craft/softmax.py --inputs x=f16[3,100] --seed 7\n"
      "Exit code: 0 done, 1 the program is refused (for these inputs), 2 usage error, 3 internal "
      "error.");
  run->callback([args, &exit_code] { exit_code = RunProgram(*args); });
  CLI::App* validate = craft->add_subcommand(
      "validate",
      "Compare the interpreter with the lowered kernel on the simulated chip, under all checks");
  validate->add_option("program", args->programs, "Files with programs")->required();
  validate->add_option("--shapes", args->cases,
                       "A case, as run's --inputs in one string; may be given several times; "
                       "default: the program's `# try:` comments");
  validate->add_option("--seed", args->seed, "Seed of drawn elements")->capture_default_str();
  args->judging.AddTo(*validate, JudgingOptions::kChip | JudgingOptions::kBackend);
  validate->add_option("--json", args->json,
                       "Write outcomes as JSON to this file (- for standard output)");
  validate->footer(
      "Example: akgen craft validate examples/craft/softmax.py --shapes 'x=f32[7, 100]' --shapes "
      "'x=f16[64, 64]'\n"
      "Exit code: 0 all agree, 1 some do not, 2 usage error, 3 internal error.");
  validate->callback([args, &exit_code] { exit_code = Validate(*args); });
}

}  // namespace akgen::cli
