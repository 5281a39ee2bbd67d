#include "corpus/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <fstream>

#include "base/files.h"
#include "corpus/random.h"
#include "corpus/stage.h"
#include "corpus/verify.h"
#include "craft/emit/emit.h"
#include "judge/provenance.h"
#include "toolchain/project.h"
#include "toolchain/source/mutate.h"

namespace akgen::corpus {
namespace fs = std::filesystem;
using base::Json;
using judge::Validated;
using judge::Validation;

namespace {
constexpr int kRunMs = 15000;     // a mutant that waits for ever is stopped

struct Mutant {
  Json label;
  std::string text;
};
struct Kernel {
  Json record;                    // of the synthetic part
  Candidate candidate;
  std::string path, text;         // op_kernel/NAME.cpp
  std::vector<Mutant> mutants;
};

// What the kernel's source sees in front of it: enough to read it, not to build it.
std::string TilingText(const craft::LoweredProgram& p) {
  const std::string name = craft::CamelCase(p.program.name) + "TilingData";
  std::string out = "struct " + name + " {\n";
  for (const auto& f : craft::TilingFields(p))
    out += fmt::format("  {} {}{};\n", f.type == craft::ir::Ty::kFloat ? "float" : "int64_t", f.name, f.sizes ? fmt::format("[{}]", craft::kMostTensors) : "");
  return "#include <cstdint>\n" + out + "};\n#define AKGEN_DEFAULT_TILING " + name + "\n";
}

std::string LineOf(const std::string& text, int line) {
  size_t at = 0;
  for (int i = 1; i < line && at != std::string::npos; ++i) {
    at = text.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  if (at == std::string::npos || line < 1) return "";
  std::string out = text.substr(at, text.find('\n', at) - at);
  return out.substr(std::min(out.size(), out.find_first_not_of(' ')));
}

std::string VerdictOf(const Validated& v) {
  return v.outcome == Validated::kFinding ? "finding" : v.outcome == Validated::kMismatch ? "wrong_answer" : v.outcome == Validated::kCrashed ? "runtime_error" : "build_error";
}

const record::Finding* FirstFinding(const Validated& v) {
  for (const auto& f : v.findings)
    if (!f.warning && !f.undecided) return &f;
  return nullptr;
}

std::string Trimmed(const std::string& s) {
  size_t from = s.find_first_not_of(" \n"), to = s.find_last_not_of(" \n");
  return from == std::string::npos ? "" : s.substr(from, to + 1 - from);
}

// The build gave every mutant's kernel a name of its own; here it has the operator's again.
std::string OwnNames(const std::string& text, const std::string& name) {
  std::string out;
  for (size_t at = 0;;) {
    size_t next = text.find(name + "_v", at);
    if (next == std::string::npos) return out + text.substr(at);
    size_t end = next + name.size() + 2;
    while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) || text[end] == '_' || text[end] == 'k')) ++end;
    out += text.substr(at, next - at) + name;
    at = end;
  }
}

// What went wrong and why, in words; all of it stands in the finding, the source and the repair.
std::string DiagnosisOf(const Validated& v, const Kernel& k, const Mutant& m) {
  std::string out;
  if (const record::Finding* f = FirstFinding(v)) {
    out += fmt::format("The chip reports {}: {}.", f->code, f->message);
    if (f->place.line > 0) out += fmt::format(" It points at line {}: `{}`.", f->place.line, LineOf(m.text, f->place.line));
    if (f->other && f->other->line > 0) out += fmt::format(" The other side is line {}: `{}`.", f->other->line, LineOf(m.text, f->other->line));
    if (!f->memory.empty()) out += fmt::format(" The memory is {}{}.", f->memory, f->buffer.empty() ? "" : ", " + f->buffer);
    if (!f->fix.empty()) out += " What mends such a fault: " + f->fix + ".";
  } else if (v.outcome == Validated::kBuildFailed) {
    out += "The kernel does not build: " + OwnNames(v.reason, k.candidate.name) + ".";
  } else {
    out += "No check has anything to say, but the output is wrong: " + v.reason + ".";
  }
  const std::string before = Trimmed(m.label.value("original", "")), after = Trimmed(m.label.value("mutated", ""));
  out += fmt::format("\nThe cause is in line {}. ", m.label.value("line", 0));
  if (after.empty() || after == "(void)0;") out += "A statement is missing there: `" + before + "`.";
  else out += fmt::format("It says `{}`, and must say `{}`.", after, before);
  return out + "\n";
}

class Building {
 public:
  Building(const fs::path& dir, const ErrorOptions& o, Stage stage, judge::Validator validator)
      : dir_(dir), o_(o), stage_(std::move(stage)), validator_(std::move(validator)), provenance_{{"judge", judge::HashOfJudge()}, {"chip", judge::HashOfChip(o.chip)}} {
    validator_.set_run_ms(kRunMs);
  }

  base::Result<Json> Run() {
    std::ifstream in(dir_ / "synthetic/records.jsonl");
    if (!in) return base::Error{"AK0801", "there are no kernels to plant faults in", dir_.string(), "build the synthetic part first: akgen corpus build --synthetic N"};
    std::string line;
    for (uint64_t i = 0; i < stage_.Count("kernels") && std::getline(in, line); ++i) {}
    const uint64_t before = stage_.Count("records");
    const double spent = stage_.state()["seconds"];
    auto start = std::chrono::steady_clock::now();
    while (stage_.Count("records") < o_.count) {
      std::vector<Kernel> kernels;
      while (kernels.size() < o_.together && std::getline(in, line))
        if (auto s = Read(line, kernels); !s.ok()) return s.error();
      if (kernels.empty()) break;
      if (auto s = stage_.Begin(); !s.ok()) return s.error();
      std::string lines = Examine(kernels);
      stage_.Add("kernels", kernels.size());
      stage_.state()["seconds"] = spent + std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (auto s = stage_.Commit(lines); !s.ok()) return s.error();
      if (o_.progress) o_.progress(stage_.Count("records"), before, fmt::format("{} kernels, {} diagnostics", stage_.Count("kernels"), stage_.state()["classes"].size()));
    }
    return stage_.Finish("errors", {{"verified", stage_.Count("records")}, {"options", {{"count", o_.count}, {"seed", o_.seed}, {"per_kernel", o_.per_kernel}, {"per_class", o_.per_class}, {"chip", o_.chip}}}});
  }

 private:
  // The record's program is made again from its seed and number, and its kernel's source indexed.
  base::Status Read(const std::string& line, std::vector<Kernel>& out) {
    Kernel k;
    k.record = Json::parse(line, nullptr, false);
    if (!k.record.is_object()) return base::Error{"AK0801", "this is no record", (dir_ / "synthetic/records.jsonl").string(), "remove the folder and build again"};
    k.candidate = Prepare(k.record["seed"], k.record["index"]);
    if (!k.candidate.refused.empty() || k.candidate.program != k.record["program"].get<std::string>()) {   // made by another version of akgen
      stage_.Add("kernels_changed");
      out.push_back(std::move(k));
      return {};
    }
    k.path = "op_kernel/" + k.candidate.name + ".cpp";
    k.text = k.record["files"][k.path].get<std::string>();
    auto folder = base::TempDir::Create();
    if (!folder.ok()) return folder.error();
    std::error_code ec;
    fs::create_directories(folder->path() / "op_kernel", ec);
    if (auto s = base::WriteFileAtomic(folder->path() / k.path, k.text); !s.ok()) return s;
    auto project = toolchain::LoadProject(folder->path(), false);
    if (!project.ok()) return project.error();
    auto index = toolchain::IndexSource(*project, TilingText(k.candidate.compiled.lowered[0]));
    if (!index.ok()) return index.error();
    auto all = toolchain::FindMutations(*index);
    for (const auto& m : toolchain::Choose(std::move(all), o_.per_kernel, MixBits(o_.seed ^ k.record["index"].get<uint64_t>())))
      k.mutants.push_back({toolchain::ToJson(*index, m), toolchain::Apply(*index, m)});
    out.push_back(std::move(k));
    return {};
  }

  std::string Examine(std::vector<Kernel>& kernels) {
    std::vector<Validation> all;
    for (Kernel& k : kernels) {
      if (k.mutants.empty()) continue;
      int first = static_cast<int>(all.size());
      all.push_back(k.candidate.validations.back());
      for (const Mutant& m : k.mutants) {
        all.push_back(all[static_cast<size_t>(first)]);
        all.back().like = first;
        all.back().kernel = m.text;
      }
    }
    std::vector<Validated> done = validator_.Run(all);
    std::string lines;
    size_t at = 0;
    for (const Kernel& k : kernels) {
      if (k.mutants.empty()) continue;
      const Validated& right = done[at++];
      for (const Mutant& m : k.mutants) {
        const Validated& v = done[at++];
        stage_.Add("mutants");
        if (right.outcome == Validated::kAgree) Take(k, m, right, v, lines);
      }
    }
    return lines;
  }

  void Take(const Kernel& k, const Mutant& m, const Validated& right, const Validated& v, std::string& lines) {
    const record::Finding* f = FirstFinding(v);
    if (v.outcome == Validated::kAgree || (v.outcome == Validated::kFinding && !f)) return stage_.Add("harmless");
    if (v.outcome != Validated::kFinding && v.outcome != Validated::kMismatch && v.outcome != Validated::kBuildFailed) return stage_.Add("not_run"), stage_.Reason("not_run_because", std::string(judge::NameOf(v.outcome)) + ": " + v.reason);
    std::string klass = f ? f->code : v.outcome == Validated::kBuildFailed ? "build_error" : "wrong_answer";
    if (stage_.Count("records") >= o_.count || stage_.state()["classes"].value(klass, uint64_t{0}) >= o_.per_class) return stage_.Add("more_than_wanted");
    std::string id = base::ContentHash(m.text + k.text);
    if (!stage_.ledger().AddKey("failing", base::ContentHash(m.text))) return stage_.Add("duplicates_removed");
    stage_.Add("records");
    stage_.state()["classes"][klass] = stage_.state()["classes"].value(klass, 0) + 1;
    const std::string fault = m.label.value("class", "");
    stage_.state()["faults"][fault] = stage_.state()["faults"].value(fault, 0) + 1;
    lines += Record(k, m, right, v, klass, id).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

  Json Record(const Kernel& k, const Mutant& m, const Validated& right, const Validated& v, const std::string& klass, const std::string& id) const {
    Json findings = Json::array();
    for (const auto& f : v.findings) {
      if (findings.size() == 4) break;
      Json j = record::ToJson(f);
      j["place"]["file"] = k.path;   // the build gave every mutant a file of its own
      if (j.contains("other") && j["other"].is_object()) j["other"]["file"] = k.path;
      findings.push_back(j);
    }
    Json out{{"schema", 1}, {"kind", "repair"}, {"id", id}, {"class", klass}, {"fault", m.label}, {"name", k.record["name"]}, {"of", k.record["id"]}, {"seed", k.record["seed"]}, {"index", k.record["index"]},
             {"graph", k.record["graph"]}, {"family", k.record["family"]}, {"split", k.record["split"]}, {"depth", k.record["depth"]}, {"operators", k.record["operators"]}, {"dtype", k.record["dtype"]},
             {"task", k.record["task"]}, {"reference", k.record["reference"]}, {"kernel", k.path}, {"failing", m.text}, {"diagnosis", DiagnosisOf(v, k, m)}, {"files", k.record["files"]},
             {"license", k.record["license"]}, {"source", "faults planted in kernels composed by akgen"}, {"others_kernel", false}};
    out["failed_verification"] = {{"verdict", VerdictOf(v)}, {"reason", OwnNames(v.reason, k.candidate.name)}, {"findings", findings}, {"provenance", provenance_}};
    out["verification"] = {{"verdict", "pass"}, {"checks", "all"}, {"findings", 0}, {"cases", {{{"inputs", CaseText(k.candidate.composition, k.candidate.composition.cases.back())}, {"elements", right.elements},
                           {"exact", right.exact}, {"undecided", right.undecided}, {"worst", right.worst}}}}, {"provenance", provenance_}};
    return out;
  }

  const fs::path dir_;
  const ErrorOptions& o_;
  Stage stage_;
  judge::Validator validator_;
  Json provenance_;
};
}  // namespace

base::Result<Json> BuildErrors(const fs::path& dir, const ErrorOptions& o) {
  Json same{{"seed", o.seed}, {"per_kernel", o.per_kernel}, {"per_class", o.per_class}, {"chip", o.chip}, {"together", o.together}};
  auto stage = Stage::Open(dir / "errors", same, {"records", "kernels", "kernels_changed", "mutants", "harmless", "not_run", "more_than_wanted", "duplicates_removed"}, {"classes", "faults", "not_run_because"});
  if (!stage.ok()) return stage.error();
  auto validator = judge::Validator::Start(o.chip);
  if (!validator.ok()) return validator.error();
  return Building(dir, o, std::move(*stage), std::move(*validator)).Run();
}

}  // namespace akgen::corpus
