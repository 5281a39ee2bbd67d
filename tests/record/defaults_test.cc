// What a message says before anything is put into it, and so what a member that is not there means:
// golden/defaults.txt.
#include <gtest/gtest.h>

#include "../golden.h"
#include "record/build_diagnostic.h"
#include "record/capture.h"
#include "record/comparison.h"
#include "record/completion.h"
#include "record/edit.h"
#include "record/graph.h"
#include "record/journal.h"
#include "record/judgement.h"
#include "record/launch_record.h"
#include "record/launch_time.h"
#include "record/measured.h"
#include "record/output_result.h"
#include "record/parity.h"
#include "record/reference_messages.h"
#include "record/script.h"
#include "record/timeline.h"
#include "record/verdict.h"

namespace akgen::record {
namespace {

template <typename Message>
std::string DefaultOf() {
  base::Json j = ToJson(Message{});
  j.erase("version");  // of this akgen
  return j.dump() + "\n";
}

template <typename... Messages>
std::string Defaults() {
  return (DefaultOf<Messages>() + ...);
}

TEST(Messages, Defaults) {
  ExpectGolden(
      AKGEN_GOLDEN_FOLDER, "defaults.txt",
      Defaults<Finding, MergedFinding, Judgement, CaseRecord, Provenance, RunHeader, PromptLine,
               Turn, SampleEnd, TroubleLine, MeasuredTime, DeviceFacts, KernelRecord, LaunchRecord,
               OutputResult, OutputValues, CompletionRequest, CompletionReply, LoadModelRequest,
               ReferenceRequest, ReferenceReply, Comparison, Parity, ErrorSummary, Timeline,
               BuildDiagnostic, Edit, ScriptBlock, NoTime>());
}

TEST(Messages, NumbersThatNobodyGave) {
  const LaunchTime t;
  for (double number : {t.us, t.low, t.high, t.core_us, t.longest_core_us, t.start_us, t.ub_used,
                        t.hbm_bytes, t.l2_bytes, t.elements_16, t.elements_32, t.task_bound_us,
                        t.eager_us, t.eager_low, t.eager_high})
    EXPECT_EQ(number, 0);
  EXPECT_EQ(t.cores + t.blocks + t.cube_cores + t.eager_kernels + int(t.tried), 0);
  const PipeTime p;
  for (double number : {p.busy_us, p.flag_wait_us, p.conflict_us, p.shared_us, p.bytes, p.bursts,
                        double(p.instructions)})
    EXPECT_EQ(number, 0);
  const LaunchSample sample;
  EXPECT_EQ(sample.us + sample.clock_mhz + sample.rated_mhz, 0);
  const ComparisonCounts none;
  EXPECT_EQ(none.samples + none.missing + none.answers + none.built_first + none.passed_first +
                none.passed + none.turns,
            0u);
  EXPECT_EQ(none.modelled_us + none.TurnsToPass() + Transcript().sample +
                Transcript::Answer().modelled_us,
            0);
  EXPECT_EQ(Share().value + Share().low + Share().high, 0);
  EXPECT_EQ(Standing().rank + int(Standing().right) + Standing().speed, 0);
  const TimedChange change;
  const ScaledTime scaled;
  EXPECT_EQ(double(change.amount) + change.us + double(change.site) + scaled.factor + scaled.us +
                scaled.bound_us,
            0);
  EXPECT_EQ(TimeSite().line, 0);
}

}  // namespace
}  // namespace akgen::record
