#include "corpus/mistakes/composed_kernels.h"

#include <fmt/format.h>

#include <cctype>

#include "base/fields.h"
#include "base/files.h"
#include "corpus/compose/random.h"
#include "corpus/compose/verify.h"
#include "craft/emit/emit.h"
#include "mutate/mutate.h"
#include "toolchain/project.h"

namespace akgen::corpus {
namespace fs = std::filesystem;
using base::Json;
using base::Result;
using judge::Validated;
using judge::Validation;

struct ComposedKernels::Kernel {
  Lesson lesson;
  Candidate candidate;
  bool changed = false;  // made by another version of akgen
};

namespace {
constexpr int kRunMs = 15000;  // a mutant that waits for ever is stopped

// What the kernel's source sees in front of it: enough to read it, not to build it.
std::string TilingText(const craft::LoweredProgram& p) {
  const std::string name = craft::CamelCase(p.program.name) + "TilingData";
  std::string out = "struct " + name + " {\n";
  for (const auto& f : craft::TilingFields(p))
    out += fmt::format("  {} {}{};\n", f.type == craft::ir::Ty::kFloat ? "float" : "int64_t",
                       f.name, f.sizes ? fmt::format("[{}]", craft::kMaxTensors) : "");
  return "#include <cstdint>\n" + out + "};\n#define AKGEN_DEFAULT_TILING " + name + "\n";
}

std::string VerdictOf(const Validated& v) {
  switch (v.outcome) {
    case Validated::kAgree: return "pass";
    case Validated::kFinding: return "finding";
    case Validated::kMismatch: return "wrong_answer";
    case Validated::kBuildFailed: return "build_error";
    default: return "";
  }
}

// The build gave every mutant's kernel a name of its own; here it has the operator's again.
std::string OwnNames(const std::string& text, const std::string& name) {
  std::string out;
  for (size_t at = 0;;) {
    size_t next = text.find(name + "_v", at);
    if (next == std::string::npos) return out + text.substr(at);
    size_t end = next + name.size() + 2;
    while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) ||
                                 text[end] == '_' || text[end] == 'k'))
      ++end;
    out += text.substr(at, next - at) + name;
    at = end;
  }
}

// Of the record of a composed kernel: how it was made, and what a kernel for one dtype says of
// itself.
struct ComposedRecord {
  std::string id, program, dtype, task;
  uint64_t seed = 0, index = 0;

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Needed("id", m.id);
    io.Needed("program", m.program);
    io.Needed("dtype", m.dtype);
    io.Needed("task", m.task);
    io.Needed("seed", m.seed);
    io.Needed("index", m.index);
  }
};

// What a record of a mistake keeps of the kernel's own.
Json Kept(const Json& r, const std::string& id, const std::string& path) {
  Json out{{"of", id},
           {"kernel", path},
           {"source", "faults planted in kernels composed by akgen"},
           {"others_kernel", false}};
  for (const char* key :
       {"name", "seed", "index", "graph", "family", "split", "depth", "operators", "dtype", "task",
        "reference", "program", "files", "license", "verification"})
    out[key] = r[key];
  return out;
}

Result<std::vector<Mistake>> Plant(const std::string& path, const std::string& text,
                                   const std::string& tiling, const toolchain::Device& device,
                                   size_t most, uint64_t seed) {
  auto folder = base::TempDir::Create();
  if (!folder.ok()) return folder.error();
  std::error_code ec;
  fs::create_directories(folder->path() / "op_kernel", ec);
  if (auto s = base::WriteFileAtomic(folder->path() / path, text); !s.ok()) return s.error();
  auto project = toolchain::LoadProject(folder->path(), false);
  if (!project.ok()) return project.error();
  auto index = mutate::IndexSource(*project, device, tiling);
  if (!index.ok()) return index.error();
  std::vector<Mistake> out;
  for (const auto& m : mutate::Choose(mutate::FindMutations(*index), most, seed))
    out.push_back({mutate::LabelOf(*index, m), mutate::Apply(*index, m), "", "", {}});
  return out;
}
}  // namespace

Result<ComposedKernels> ComposedKernels::Open(const fs::path& dir, const std::string& chip,
                                              uint64_t skip) {
  auto validator = judge::Validator::Start(chip);
  if (!validator.ok()) return validator.error();
  ComposedKernels out(dir / "synthetic/records.jsonl", std::move(*validator));
  if (!out.in_)
    return base::Error{"AK0801", "there are no kernels to plant faults in", dir.string(),
                       "build the synthetic part first: akgen corpus build --synthetic N"};
  out.validator_.set_run_ms(kRunMs);
  std::string line;
  for (uint64_t i = 0; i < skip && std::getline(out.in_, line); ++i) {}
  return out;
}

// The record's program is made again from its seed and number, and its kernel's source indexed.
Result<ComposedKernels::Kernel> ComposedKernels::Read(const std::string& line, size_t per_kernel,
                                                      uint64_t seed) const {
  Kernel k;
  const Json record = base::Parse(line);
  if (!record.is_object())
    return base::Error{"AK0801", "this is no record", file_.string(),
                       "remove the folder and build again"};
  const auto composed = base::MessageFromJson<ComposedRecord>(record);
  k.candidate = Prepare(composed.seed, composed.index, validator_.target());
  if (!k.candidate.refused.empty() || k.candidate.program != composed.program) {
    k.changed = true;
    return k;
  }
  const std::string path = "op_kernel/" + k.candidate.name + ".cpp";
  const craft::LoweredProgram& program =
      k.candidate.validations.back().program;  // of the one dtype that is run
  const craft::Files files = craft::EmitProject({program});
  auto planted = Plant(path, files.at(path), TilingText(program), {validator_.chip().npu_arch},
                       per_kernel, MixBits(seed ^ composed.index));
  if (!planted.ok()) return planted.error();
  k.lesson.mistakes = std::move(*planted);
  k.lesson.record = Kept(record, composed.id, path);
  k.lesson.file = path, k.lesson.right = files.at(path), k.lesson.program = composed.program;
  const std::string dtype(
      base::NameOf(k.candidate.composition.dtypes[k.candidate.composition.cases.back().column]));
  k.lesson.whole = k.lesson.record;
  if (composed.dtype != dtype)
    k.lesson.record["task"] = composed.task + "\nThis kernel is for " + dtype + " alone.\n";
  k.lesson.record["files"] = files;
  k.lesson.record["dtype"] = dtype;
  return k;
}

void ComposedKernels::Examine(std::vector<Kernel>& kernels) {
  std::vector<Validation> all;
  for (const Kernel& k : kernels) {
    if (k.lesson.mistakes.empty()) continue;
    int first = static_cast<int>(all.size());
    all.push_back(k.candidate.validations.back());
    for (const Mistake& m : k.lesson.mistakes) {
      all.push_back(all[static_cast<size_t>(first)]);
      all.back().like = first;
      all.back().kernel = m.text;
    }
  }
  std::vector<Validated> done = validator_.Run(all);
  size_t at = 0;
  for (Kernel& k : kernels) {
    if (k.lesson.mistakes.empty()) continue;
    const Validated& right = done[at++];
    if (right.outcome != Validated::kAgree)
      k.lesson.unusable = std::string(judge::NameOf(right.outcome)) + ": " + right.reason;
    k.lesson.record["verification"] = {
        {"verdict", "pass"},
        {"checks", "all"},
        {"findings", 0},
        {"cases",
         {{{"inputs", CaseText(k.candidate.composition, k.candidate.composition.cases.back())},
           {"elements", right.elements},
           {"exact", right.exact},
           {"undecided", right.undecided},
           {"worst", right.worst}}}}};
    for (Mistake& m : k.lesson.mistakes) {
      const Validated& v = done[at++];
      m.verdict = VerdictOf(v);
      m.reason = m.verdict.empty() ? std::string(judge::NameOf(v.outcome)) + ": " + v.reason
                                   : OwnNames(v.reason, k.candidate.name);
      m.findings = v.findings;
    }
  }
}

Result<std::vector<Lesson>> ComposedKernels::Next(size_t count, size_t per_kernel, uint64_t seed) {
  std::vector<Kernel> kernels;
  std::string line;
  while (kernels.size() < count && std::getline(in_, line)) {
    auto k = Read(line, per_kernel, seed);
    if (!k.ok()) return k.error();
    kernels.push_back(std::move(*k));
  }
  Examine(kernels);
  std::vector<Lesson> out;
  for (Kernel& k : kernels) {
    out.push_back(std::move(k.lesson));
    if (k.changed) out.back().unusable = "this version of akgen composes it otherwise";
  }
  return out;
}

}  // namespace akgen::corpus
