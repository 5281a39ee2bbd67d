#include "corpus/mistakes/errors.h"

#include <fmt/format.h>

#include <chrono>

#include "base/files.h"
#include "corpus/compose/random.h"
#include "corpus/mistakes/composed_kernels.h"
#include "corpus/mistakes/kernels_by_hand.h"
#include "corpus/mistakes/wrong_programs.h"
#include "corpus/records/stage.h"
#include "judge/session/provenance.h"

namespace akgen::corpus {
namespace fs = std::filesystem;
using base::Json;

namespace {
class BuildingErrors {
 public:
  BuildingErrors(const ErrorOptions& o, Stage stage, ComposedKernels composed,
                 KernelsByHand by_hand)
      : o_(o),
        stage_(std::move(stage)),
        composed_(std::move(composed)),
        by_hand_(std::move(by_hand)),
        provenance_{{"judge", judge::HashOfJudge()}, {"chip", judge::HashOfChip(o.chip)}} {}

  base::Result<ErrorsBuilt> Run() {
    const uint64_t before = stage_.Count("records");
    const double spent = stage_.state().seconds;
    auto start = std::chrono::steady_clock::now();
    while (stage_.Count("records") < o_.count) {
      std::string lines;
      if (auto s = stage_.Begin(); !s.ok()) return s.error();
      const uint64_t seen = stage_.Count("kernels") + stage_.Count("by_hand");
      if (auto s = Round(lines); !s.ok()) return s.error();
      if (stage_.Count("kernels") + stage_.Count("by_hand") == seen) break;  // nothing is left
      stage_.state().seconds =
          spent + std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (auto s = stage_.Commit(lines); !s.ok()) return s.error();
      if (o_.progress)
        o_.progress(
            stage_.Count("records"), before,
            fmt::format("{} kernels, {} diagnostics",
                        stage_.Count("kernels") + stage_.Count("by_hand"), Classes().size()));
    }
    auto finished = stage_.Finish("errors", {{"verified", stage_.Count("records")},
                                             {"options",
                                              {{"count", o_.count},
                                               {"seed", o_.seed},
                                               {"per_kernel", o_.per_kernel},
                                               {"per_program", o_.per_program},
                                               {"per_class", o_.per_class},
                                               {"chip", o_.chip},
                                               {"kernels", o_.kernels}}}});
    if (!finished.ok()) return finished.error();
    return ErrorsBuilt{stage_.Count("records"),  stage_.Count("kernels"),
                       stage_.Count("by_hand"),  stage_.Count("mutants"),
                       stage_.Count("programs"), stage_.Count("harmless"),
                       stage_.Count("not_run"),  stage_.Count("more_than_wanted"),
                       Classes().size(),         stage_.state().seconds};
  }

 private:
  std::map<std::string, uint64_t>& Classes() { return stage_.Table("classes"); }

  // Sources in turn, so that the mixture does not depend on how many records are wanted.
  base::Status Round(std::string& lines) {
    for (size_t i = 0; i < o_.by_hand && stage_.Count("by_hand") < by_hand_.size(); ++i) {
      auto lesson = by_hand_.Examine(stage_.Count("by_hand"), o_.per_kernel, o_.chip);
      if (!lesson.ok()) return lesson.error();
      stage_.Add("by_hand");
      if (lesson->unusable.empty())
        Take(*lesson, "mutants", lines);
      else
        stage_.Add("by_hand_unusable"), stage_.Reason("not_run_because", lesson->unusable);
    }
    auto lessons = composed_.Next(o_.per_build, o_.per_kernel, o_.seed);
    if (!lessons.ok()) return lessons.error();
    for (const Lesson& l : *lessons) {
      stage_.Add("kernels");
      if (l.unusable.empty())
        Take(l, "mutants", lines);
      else
        stage_.Add("kernels_changed"), stage_.Reason("not_run_because", l.unusable);
      if (l.unusable.empty() && o_.per_program)
        Take(LessonOfProgram(l, composed_.target(), o_.per_program,
                             MixBits(o_.seed) ^ stage_.Count("kernels")),
             "programs", lines);
    }
    return {};
  }

  void Take(const Lesson& lesson, const char* count, std::string& lines) {
    for (const Mistake& m : lesson.mistakes) {
      stage_.Add(count);
      if (m.verdict.empty()) {
        stage_.Add("not_run"), stage_.Reason("not_run_because", m.reason);
        continue;
      }
      const std::string klass = ClassOf(m);
      if (klass.empty() || lesson.right == m.text)
        stage_.Add("harmless");
      else
        Keep(lesson, m, klass, lines);
    }
  }

  void Keep(const Lesson& lesson, const Mistake& m, const std::string& klass, std::string& lines) {
    const auto known = Classes().find(klass);
    if (stage_.Count("records") >= o_.count ||
        (known != Classes().end() && known->second >= o_.per_class))
      return stage_.Add("more_than_wanted");
    if (!stage_.ledger().AddKey("failing", base::ContentHash(m.text)))
      return stage_.Add("duplicates_removed");
    stage_.Add("records");
    ++Classes()[klass], ++stage_.Table("faults")[m.label.klass];
    Json r = lesson.record;
    r.erase("program");
    r["schema"] = 1, r["kind"] = "repair", r["class"] = klass, r["fault"] = mutate::ToJson(m.label),
    r["failing"] = m.text, r["diagnosis"] = DiagnosisOf(m);
    r["id"] = base::ContentHash(m.text + lesson.right);
    r["failed_verification"] = FailureOf(m, lesson.file);
    for (const char* side : {"failed_verification", "verification"})
      r[side]["provenance"] = provenance_;
    lines += base::Dump(r) + "\n";
  }

  const ErrorOptions& o_;
  Stage stage_;
  ComposedKernels composed_;
  KernelsByHand by_hand_;
  Json provenance_;
};
}  // namespace

base::Result<ErrorsBuilt> BuildErrors(const fs::path& dir, const ErrorOptions& o) {
  auto by_hand = KernelsByHand::Find(o.kernels, o.seed);
  if (!by_hand.ok()) return by_hand.error();
  Json same{{"seed", o.seed},
            {"per_kernel", o.per_kernel},
            {"per_program", o.per_program},
            {"per_class", o.per_class},
            {"chip", o.chip},
            {"together", o.per_build},
            {"by_hand", o.by_hand},
            {"kernels", by_hand->hash()}};
  auto stage = Stage::Open(
      dir / "errors", same,
      {"records", "kernels", "kernels_changed", "by_hand", "by_hand_unusable", "programs",
       "mutants", "harmless", "not_run", "more_than_wanted", "duplicates_removed"},
      {"classes", "faults", "not_run_because"});
  if (!stage.ok()) return stage.error();
  auto composed = ComposedKernels::Open(dir, o.chip, stage->Count("kernels"));
  if (!composed.ok()) return composed.error();
  return BuildingErrors(o, std::move(*stage), std::move(*composed), std::move(*by_hand)).Run();
}

}  // namespace akgen::corpus
