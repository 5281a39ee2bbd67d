// What options are where nobody says anything, and that results begin with nothing.
#include <gtest/gtest.h>

#include "judge/edits/source_text.h"
#include "judge/examine.h"
#include "judge/host/messages.h"
#include "judge/host/operator_definition.h"
#include "judge/judge.h"
#include "judge/kernelbench/host.h"
#include "judge/kernelbench/judge.h"
#include "judge/kernelbench/machine.h"
#include "judge/kernelbench/task.h"
#include "judge/kernelbench/trace.h"
#include "judge/measured.h"
#include "judge/pool/worker_messages.h"
#include "judge/run/executor.h"
#include "judge/run/lone.h"
#include "judge/run/pack.h"
#include "judge/run/program.h"
#include "judge/session/rules.h"
#include "judge/session/smaller_case.h"
#include "judge/subject.h"
#include "judge/time/baseline.h"
#include "judge/time/critical_path.h"
#include "judge/time/eager_graph.h"
#include "judge/time/launch_profile.h"
#include "judge/time/profile.h"
#include "judge/time/roofline.h"
#include "judge/time/timing.h"
#include "judge/tune.h"
#include "judge/validate/fuzz.h"
#include "judge/validate/memory.h"
#include "judge/validate/validate.h"

namespace akgen::judge {
namespace {
TEST(JudgeDefaults, Baseline) {
  EXPECT_EQ(double(Baseline().bound_us), 0);
  EXPECT_EQ(double(Baseline().kernels), 0);
  EXPECT_FALSE(Baseline().from_graph);
}
TEST(JudgeDefaults, CriticalPath) {
  EXPECT_EQ(double(PathShare().us), 0);
  EXPECT_EQ(double(LineTime().line), 0);
  EXPECT_EQ(double(LineTime().path_us), 0);
  EXPECT_EQ(double(LineTime().wait_us), 0);
  EXPECT_EQ(double(LineTime().instructions), 0);
}
TEST(JudgeDefaults, EagerGraph) { EXPECT_EQ(double(EagerLaunch().first), 0); }
TEST(JudgeDefaults, EditsSourceText) {
  EXPECT_EQ(double(TextSpan().begin), 0);
  EXPECT_EQ(double(TextSpan().end), 0);
}
TEST(JudgeDefaults, Examine) {
  EXPECT_EQ(double(ExamineOptions().seed), 1);
  EXPECT_EQ(double(ExamineOptions().schedules), 32);
  EXPECT_TRUE(ExamineOptions().run);
  EXPECT_EQ(double(Mutant().number), 0);
  EXPECT_FALSE(Examined().usable);
  EXPECT_EQ(double(Examined().schedules), 0);
  EXPECT_EQ(double(Examined().does_not_compile), 0);
  EXPECT_EQ(double(Examined().places), 0);
  EXPECT_FALSE(ExaminedTotals().usable);
  EXPECT_EQ(double(ExaminedTotals().observable), 0);
  EXPECT_EQ(double(ExaminedTotals().caught), 0);
}
TEST(JudgeDefaults, Executor) {
  EXPECT_EQ(Launch().inputs_fd, -1);
  EXPECT_EQ(Launch().outputs_fd, -1);
  EXPECT_EQ(double(Launch().wall_ms), 60000);
  EXPECT_FALSE(Launch().measure);
  EXPECT_EQ(double(ProgramLaunch().wall_ms), 60000);
  EXPECT_EQ(double(ProgramReply().exit_code), 0);
  EXPECT_EQ(double(ProgramReply().wall_ms), 0);
  EXPECT_EQ(double(ProgramReply().launches), 0);
  EXPECT_EQ(double(ProgramReply().vector_ops), 0);
  EXPECT_EQ(double(ProgramReply().copies), 0);
  EXPECT_EQ(double(ProgramReply().bytes_in), 0);
  EXPECT_EQ(double(ProgramReply().bytes_out), 0);
}
TEST(JudgeDefaults, HostMessages) {
  EXPECT_EQ(double(TileReply().block_dim), 0);
  EXPECT_EQ(double(TileReply().tiling_key), 0);
  EXPECT_FALSE(TileReply().need_atomic);
}
TEST(JudgeDefaults, Judge) {
  EXPECT_TRUE(DeviceOptions().sim);
  EXPECT_FALSE(DeviceOptions().npu);
  EXPECT_EQ(double(DeviceOptions().npu_id), 0);
  EXPECT_TRUE(DeviceOptions().profile);
  EXPECT_TRUE(Options().range);
  EXPECT_EQ(double(Options().run_timeout_ms), 120000);
  EXPECT_EQ(double(Options().schedule), 0);
  EXPECT_EQ(double(Options().orders), 3);
  EXPECT_FALSE(Options().want_lines);
  EXPECT_FALSE(Options().want_print);
  EXPECT_FALSE(Options().edits);
  EXPECT_FALSE(CaseResult().skipped);
  EXPECT_FALSE(Judgement().task_fault);
  EXPECT_TRUE(Judgement().repeatable);
  EXPECT_EQ(double(Judgement().build_libraries_ms), 0);
}
TEST(JudgeDefaults, KernelbenchHost) {
  EXPECT_EQ(double(kernelbench::Place().storage), 0);
  EXPECT_EQ(double(kernelbench::Place().offset), 0);
  EXPECT_EQ(double(kernelbench::LaunchStep().blocks), 1);
  EXPECT_EQ(double(kernelbench::CopyStep().bytes), 0);
  EXPECT_EQ(double(kernelbench::FillStep().times), 1);
  EXPECT_EQ(double(kernelbench::HostStorage().bytes), 0);
  EXPECT_EQ(kernelbench::HostStorage().argument, -1);
}
TEST(JudgeDefaults, KernelbenchJudge) {
  EXPECT_EQ(double(kernelbench::Options().timeout_ms), 60000);
  EXPECT_EQ(double(kernelbench::Options().elements), 0);
  EXPECT_EQ(double(kernelbench::Options().secret), 0);
  EXPECT_EQ(double(kernelbench::Time().us), 0);
  EXPECT_EQ(double(kernelbench::Time().eager_us), 0);
  EXPECT_EQ(double(kernelbench::Time().speed_of_light), 0);
  EXPECT_EQ(double(kernelbench::Result().trials), 0);
  EXPECT_EQ(double(kernelbench::Result().launches), 0);
  EXPECT_EQ(double(kernelbench::Result().cap), 0);
  EXPECT_EQ(double(kernelbench::Sample().sample), 0);
  EXPECT_EQ(double(kernelbench::Score().samples), 0);
  EXPECT_EQ(double(kernelbench::Score().correct), 0);
  EXPECT_EQ(double(kernelbench::Score().flagged), 0);
}
TEST(JudgeDefaults, KernelbenchMachine) {
  EXPECT_EQ(double(kernelbench::MachineOptions().timeout_ms), 60000);
}
TEST(JudgeDefaults, KernelbenchTask) {
  EXPECT_EQ(double(kernelbench::Task().cap), 0);
  EXPECT_EQ(double(kernelbench::TaskRequest().elements), 0);
  EXPECT_EQ(double(kernelbench::TaskRequest().secret), 0);
  EXPECT_EQ(double(kernelbench::TaskRequest().wall_ms), 600000);
}
TEST(JudgeDefaults, KernelbenchTrace) {
  EXPECT_EQ(double(kernelbench::Source().index), 0);
  EXPECT_EQ(double(kernelbench::Source().call), 0);
  EXPECT_EQ(double(kernelbench::Source().first), 0);
  EXPECT_EQ(double(kernelbench::Source().count), 0);
  EXPECT_FALSE(kernelbench::TracedTensor().given);
}
TEST(JudgeDefaults, LaunchProfile) {
  EXPECT_EQ(double(LaunchProfile().bound_us), 0);
  EXPECT_EQ(double(LaunchProfile().path_core), 0);
  EXPECT_EQ(double(LaunchProfile().timeline_cores), 0);
  EXPECT_EQ(double(LineChange().line), 0);
  EXPECT_EQ(double(LineChange().line_before), 0);
  EXPECT_EQ(double(LineChange().before_us), 0);
  EXPECT_EQ(double(LineChange().us), 0);
}
TEST(JudgeDefaults, Lone) {
  EXPECT_EQ(double(LaunchLine::Arg().count), 0);
  EXPECT_EQ(double(LaunchLine::Arg().spare), 0);
  EXPECT_EQ(double(LaunchLine().blocks), 1);
  EXPECT_EQ(double(LaunchLine().key), 0);
  EXPECT_EQ(double(LoneOptions().timeout_ms), 60000);
  EXPECT_EQ(double(LoneOptions().seed), 1);
  EXPECT_EQ(double(LoneOptions().schedule), 0);
  EXPECT_FALSE(LoneOptions().want_lines);
  EXPECT_FALSE(LoneOptions().want_values);
}
TEST(JudgeDefaults, Measured) {
  EXPECT_EQ(double(MeasuredRow().line), 0);
  EXPECT_EQ(double(MeasuredRow().us), 0);
  EXPECT_FALSE(MeasuredRow().core);
}
TEST(JudgeDefaults, OperatorDefinition) {
  EXPECT_FALSE(ParamDefinition().dtype_list);
  EXPECT_FALSE(ParamDefinition().dtype_both);
  EXPECT_FALSE(ParamDefinition().value_depend);
  EXPECT_FALSE(ParamDefinition().scalar);
  EXPECT_EQ(double(TilingField().count), 1);
  EXPECT_EQ(double(TilingField().offset), 0);
  EXPECT_EQ(double(TilingStruct().size), 0);
}
TEST(JudgeDefaults, Pack) {
  EXPECT_EQ(double(Packed::Output().offset), 0);
  EXPECT_TRUE(Packed::Output().compared);
}
TEST(JudgeDefaults, Profile) {
  EXPECT_EQ(double(Advice().line), 0);
  EXPECT_EQ(double(Advice().us), 0);
  EXPECT_EQ(double(Advice().gain_low), 0);
  EXPECT_EQ(double(Advice().gain_high), 0);
  EXPECT_EQ(double(Profile().us), 0);
}
TEST(JudgeDefaults, Program) {
  EXPECT_EQ(double(ProgramRequest().seed), 1);
  EXPECT_EQ(double(ProgramRequest().timeout_ms), 60000);
  EXPECT_FALSE(ProgramRequest().time);
  EXPECT_EQ(double(ProgramTime().us), 0);
  EXPECT_EQ(double(ProgramResult().exit_code), 0);
  EXPECT_EQ(double(ProgramResult().build_ms), 0);
  EXPECT_EQ(double(ProgramResult().run_ms), 0);
}
TEST(JudgeDefaults, Roofline) {
  EXPECT_EQ(double(Roofline::Memory().bytes), 0);
  EXPECT_EQ(double(Roofline::Memory().rate), 0);
  EXPECT_EQ(double(Roofline::Unit().rate), 0);
  EXPECT_EQ(double(Roofline().bound_us), 0);
}
TEST(JudgeDefaults, Rules) { EXPECT_EQ(double(Breach().line), 0); }
TEST(JudgeDefaults, SmallerCase) {
  EXPECT_EQ(double(RepeatedCase().rows), 0);
  EXPECT_EQ(double(RepeatedCase().all_rows), 0);
}
TEST(JudgeDefaults, Subject) {
  EXPECT_FALSE(Ask().want_lines);
  EXPECT_EQ(double(Ask().timeout_ms), 60000);
  EXPECT_FALSE(Outcome().wrong);
  EXPECT_FALSE(Outcome().no_answer);
}
TEST(JudgeDefaults, Timing) {
  EXPECT_FALSE(TimeOptions().on);
  EXPECT_EQ(double(TimeOptions().span_cores), 0);
  EXPECT_FALSE(TimeOptions().what_if);
  EXPECT_EQ(double(TimeOptions().scale), 0);
  EXPECT_FALSE(TimeOptions().keep_trace);
}
TEST(JudgeDefaults, Tune) {
  EXPECT_EQ(double(Tunable().line), 0);
  EXPECT_EQ(double(Tunable().at), 0);
  EXPECT_EQ(double(Tunable().length), 0);
  EXPECT_EQ(double(Tunable().now), 0);
  EXPECT_EQ(double(TuneResult().combinations), 0);
  EXPECT_FALSE(TuneResult().complete);
}
TEST(JudgeDefaults, Validate) {
  EXPECT_EQ(Validation().like, -1);
  EXPECT_FALSE(Validation().keep);
  EXPECT_FALSE(Validation().refused);
  EXPECT_EQ(double(Validated().elements), 0);
  EXPECT_EQ(double(Validated().exact), 0);
  EXPECT_EQ(double(Validated().worst), 0);
}
TEST(JudgeDefaults, ValidateFuzz) {
  EXPECT_EQ(double(FuzzOptions().seed), 1);
  EXPECT_EQ(double(FuzzOptions().first), 0);
  EXPECT_EQ(double(FuzzOptions().count), 200);
  EXPECT_EQ(double(FuzzOptions().per_build), 50);
  EXPECT_TRUE(FuzzOptions().shrink);
  EXPECT_FALSE(FuzzOptions().products);
  EXPECT_EQ(double(FuzzFailure().index), 0);
  EXPECT_EQ(double(FuzzResult().schema), 1);
  EXPECT_EQ(double(FuzzResult().seed), 1);
  EXPECT_EQ(double(FuzzResult().first), 0);
  EXPECT_EQ(double(FuzzResult().count), 0);
  EXPECT_EQ(double(FuzzResult().done), 0);
  EXPECT_EQ(double(FuzzResult().products), 0);
  EXPECT_EQ(double(FuzzResult().agree), 0);
  EXPECT_EQ(double(FuzzResult().refused_by_checker), 0);
  EXPECT_EQ(double(FuzzResult().refused_by_interpreter), 0);
  EXPECT_EQ(double(FuzzResult().mismatch), 0);
  EXPECT_EQ(double(FuzzResult().finding), 0);
  EXPECT_EQ(double(FuzzResult().build_failed), 0);
  EXPECT_EQ(double(FuzzResult().crashed), 0);
  EXPECT_EQ(double(FuzzResult().wrong_proof), 0);
  EXPECT_EQ(double(FuzzResult().elements), 0);
  EXPECT_EQ(double(FuzzResult().exact), 0);
  EXPECT_EQ(double(FuzzResult().undecided), 0);
  EXPECT_EQ(double(FuzzResult().worst), 0);
  EXPECT_EQ(double(FuzzResult().seconds), 0);
}
TEST(JudgeDefaults, ValidateMemory) {
  EXPECT_EQ(double(WrittenTensor().offset), 0);
  EXPECT_EQ(double(Difference().elements), 0);
  EXPECT_EQ(double(Difference().exact), 0);
  EXPECT_EQ(double(Difference().undecided), 0);
  EXPECT_EQ(double(Difference().worst), 0);
}
TEST(JudgeDefaults, WorkerMessages) { EXPECT_FALSE(WorkerRequest().key_only); }
}  // namespace
}  // namespace akgen::judge
