// Each class of fault on a kernel of our own: what is planted, and that the label tells it exactly.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "../golden.h"
#include "mutate/kernel_view.h"
#include "mutate/mutate.h"

namespace akgen::mutate {
namespace {

SourceIndex IndexOf(const char* file) {
  auto project = toolchain::LoadProject(file, false);
  EXPECT_TRUE(project.ok());
  auto made = IndexSource(*project, {.arch = 2201}, "");
  EXPECT_TRUE(made.ok()) << made.error().ToString();
  return *made;
}

const SourceIndex& Index() {
  static const SourceIndex index = IndexOf(AKGEN_TEST_FOLDER "/every_class.cpp");
  return index;
}

const SourceIndex& CubeIndex() {
  static const SourceIndex index = IndexOf(AKGEN_TEST_FOLDER "/every_cube_class.cpp");
  return index;
}

const SourceIndex& HazardIndex() {
  static const SourceIndex index = IndexOf(AKGEN_TEST_FOLDER "/every_hazard.cpp");
  return index;
}

// A whole project: its host half is there as text.
const SourceIndex& ProjectIndex() {
  static const SourceIndex index = [] {
    auto project =
        toolchain::LoadProject(AKGEN_TEST_FOLDER "/../../examples/kernels/sasum_two_phase", true);
    EXPECT_TRUE(project.ok());
    auto made = IndexSource(*project, {.arch = 2201}, "");
    EXPECT_TRUE(made.ok()) << made.error().ToString();
    return *made;
  }();
  return index;
}

std::string LineOf(const std::string& text, int line) {
  size_t at = 0;
  for (int i = 1; i < line; ++i) at = text.find('\n', at) + 1;
  return text.substr(at, text.find('\n', at) - at);
}

struct Expected {
  const char* klass;
  const char* original;  // part of the changed line
  const char* mutated;   // what that part becomes
};

// Every class, with one change that must be among those found.
const Expected kExpected[] = {
    {"drop_flag", "WaitFlag<HardEvent::V_MTE3>(EVENT_ID3)", "(void)0"},
    {"swap_flag", "SetFlag<HardEvent::V_MTE3>(EVENT_ID3)", "SetFlag<HardEvent::MTE3_V>(EVENT_ID3)"},
    {"wrong_event_id", "SetFlag<HardEvent::V_MTE3>(EVENT_ID3)",
     "SetFlag<HardEvent::V_MTE3>(static_cast<event_t>((EVENT_ID3) + 8))"},
    {"drop_barrier", "PipeBarrier<PIPE_MTE3>()", "(void)0"},
    {"drop_queue_call", "in_.EnQue(x)", "(void)0"},
    {"shrink_buffer", "in_, 1, 128 * sizeof(float)", "in_, 1, (128 * sizeof(float)) / 2"},
    {"shift_offset", "x_[i * 128]", "x_[(i * 128) + 32]"},
    {"break_alignment", "DataCopyPad(x,", "DataCopyPad(x[1],"},
    {"cut_tail", "Add(sum, sum, work, 8)", "Add(sum, sum, work, (8) - 1)"},
    {"skip_round", "i < 4", "i <( 4) - 1"},
    {"wrong_repeat", "scale, 64, 2,", "scale, 64, (2) - 1,"},
    {"wrong_mask", "scale, 64, 2,", "scale, (64) - 1, 2,"},
    {"wrong_stride", "{1, 1, 8, 8}", "{1, 1, (8) + 1, 8}"},
    {"wrong_cast_mode", "RoundMode::CAST_RINT", "RoundMode::CAST_TRUNC"},
    {"narrow_accumulate", "float scale", "half scale"},
    {"skip_block", "GM_ADDR sums) {",
     "GM_ADDR sums) { if (AscendC::GetBlockIdx() + 1 == AscendC::GetBlockNum()) return; "},
};
// The same of the Cube core's instructions.
const Expected kExpectedOnCube[] = {
    {"wrong_cube_field", "{1, 16, 16, 0, 16,", "{1, (16) - 1, 16, 0, 16,"},
    {"wrong_cube_field", "load(0, 1, 1,", "load(0, 1, (1) + 1,"},
    {"wrong_cube_field", "params.m = 16;", "params.m = (16) - 1;"},
    {"wrong_cube_field", "out(16, 16, 16, 16, false)", "out(16, 16, 16, 16, !(false))"},
    {"wrong_unit_flag", "params.unitFlag = 3;", "params.unitFlag = 2;"},
    {"wrong_flag_pipe", "CrossCoreSetFlag<2, PIPE_FIX>(3)", "CrossCoreSetFlag<2, PIPE_MTE2>(3)"},
};

// The same of roles, temporaries, workspace and signals.
const Expected kExpectedHazards[] = {
    {"early_signal", "Store(work_[GetBlockIdx() * 128]);",
     "SyncAll(); Store(work_[GetBlockIdx() * 128]);"},
    {"undefined_role", "CompareScalar(mask, x, 2.0f, CMPMODE::GT, 128);", "(void)0;"},
    {"small_temporary", "Sigmoid(y, x, room, 128);", "room.SetSize(32); Sigmoid(y, x, room, 128);"},
    {"small_temporary", "room_, 8192", "room_, 32"},
    {"small_workspace", "workspace[1024]", "workspace[512]"},
    {"queue_event", "in_.EnQue(x);",
     "in_.EnQue(x); AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0); "},
    {"unclean_line", "DataCopy(to, y, 128);",
     "{ AscendC::GlobalTensor<uint8_t> planted; planted.SetGlobalBuffer((__gm__ "
     "uint8_t*)(to).GetPhyAddr(), 64); "
     "planted.SetValue(0, 0); AscendC::PipeBarrier<PIPE_ALL>(); } DataCopy(to, y, 128);"},
};

void ExpectIn(const SourceIndex& index, const Expected& e) {
  bool found = false;
  for (const Mutation& m : FindMutations(index, {e.klass})) {
    const FaultLabel label = LabelOf(index, m);
    EXPECT_EQ(label.klass, e.klass);
    std::string before = LineOf(index.files[0].text, label.line),
                after = LineOf(Apply(index, m), label.line);
    EXPECT_NE(before, after) << e.klass;
    EXPECT_TRUE(label.original.starts_with(before)) << e.klass;
    size_t at = before.find(e.original);
    if (at != std::string::npos)
      found |= before.replace(at, std::string(e.original).size(), e.mutated) == after;
  }
  EXPECT_TRUE(found) << e.klass << ": " << e.original;
}

TEST(Mutate, EveryClassFindsItsPlaceAndLabelsItExactly) {
  for (const Expected& e : kExpected) ExpectIn(Index(), e);
  for (const Expected& e : kExpectedOnCube) ExpectIn(CubeIndex(), e);
  for (const Expected& e : kExpectedHazards) ExpectIn(HazardIndex(), e);
}

TEST(Mutate, TheDefinitionAndTheWorkspaceAreChangedInTheHostHalf) {
  std::map<std::string, std::string> changed;  // what, the changed line
  for (const Mutation& m : FindMutations(ProjectIndex(), {"wrong_definition", "small_workspace"})) {
    const FaultLabel label = LabelOf(ProjectIndex(), m);
    EXPECT_EQ(label.planted->kind, m.klass == "wrong_definition" ? "definition" : "workspace");
    EXPECT_EQ(m.rule.empty(), m.klass == "small_workspace");
    EXPECT_EQ(ProjectIndex().files[m.file].host, m.what != "the kernel function has another name");
    changed[m.what] = label.mutated;
  }
  EXPECT_NE(changed["the definition names another chip only"].find("ascend310p"),
            std::string::npos);
  EXPECT_NE(changed["tiling data is registered for another operator"].find("(SasumOther,"),
            std::string::npos);
  EXPECT_NE(changed["one tensor is defined as a list of tensors"].find("ParamType(DYNAMIC)"),
            std::string::npos);
  EXPECT_NE(changed["the kernel function has another name"].find("sasum_kernel("),
            std::string::npos);
  EXPECT_NE(
      changed["a parameter has data types that the task does not ask for"].find("DT_COMPLEX128"),
      std::string::npos);
  EXPECT_NE(changed["half of the workspace"].find(") / 2;"), std::string::npos);
}

TEST(Mutate, ANameOfTheHostMayBeLong) {
  SourceIndex index = ProjectIndex();
  const std::vector<std::string> classes{"wrong_definition", "small_workspace"};
  const size_t found = FindMutations(index, classes).size();
  for (SourceText& file : index.files)
    if (file.host) file.text += "static int " + std::string(1u << 20, 'n') + " = 0;\n";
  EXPECT_EQ(FindMutations(index, classes).size(), found);
}

// A kernel's name is changed, not that of what stands behind it in the file, nor one it declares.
TEST(Mutate, OnlyTheKernelFunctionIsCalledOtherwise) {
  SourceIndex index = ProjectIndex();
  const size_t found = FindMutations(index, {"wrong_definition"}).size();
  const auto kernel = std::find_if(index.files.begin(), index.files.end(), [](const SourceText& f) {
    return f.text.find("__global__") != std::string::npos;
  });
  ASSERT_NE(kernel, index.files.end());
  SourceFunction behind = index.functions[0];
  behind.file = size_t(kernel - index.files.begin()), behind.name = "Behind";
  kernel->text += "\ninline int Behind(int n) ";
  behind.body.begin = kernel->text.size();
  kernel->text += "{ return n; }\n";
  behind.body.end = kernel->text.size();
  index.functions.push_back(behind);
  EXPECT_EQ(FindMutations(index, {"wrong_definition"}).size(), found);
}

TEST(Mutate, AWorkspaceMayBeTooLargeForANumber) {
  SourceIndex index = HazardIndex();
  std::string& text = index.files[0].text;
  text.replace(text.find("workspace[1024]"), 15, "workspace[99999999999999999999999]");
  EXPECT_TRUE(FindMutations(index, {"small_workspace"}).empty());
}

TEST(Mutate, EveryClassOfTheTableIsTested) {
  std::set<std::string> tested{"free_early"};
  for (const Expected& e : kExpected) tested.insert(e.klass);
  for (const Expected& e : kExpectedOnCube) tested.insert(e.klass);
  for (const Expected& e : kExpectedHazards) tested.insert(e.klass);
  for (const Mutation& m : FindMutations(ProjectIndex(), {"wrong_definition"}))
    tested.insert(m.klass);
  for (const auto& op : Operators()) EXPECT_TRUE(tested.contains(op.klass)) << op.klass;
}

TEST(Mutate, FreeEarlyMovesTheCallBeforeTheLastUse) {
  auto found = FindMutations(Index(), {"free_early"});
  ASSERT_EQ(found.size(), 2u);
  std::string text = Apply(Index(), found[0]);
  EXPECT_NE(text.find("in_.FreeTensor(x); Muls(work, x"), std::string::npos) << text;
  EXPECT_NE(text.find("    out_.EnQue(y);\n    (void)0;"), std::string::npos);
}

TEST(Mutate, ADroppedFlagAcceptsTheAccessesItOrdered) {
  auto all = FindMutations(Index(), {"drop_flag"});
  ASSERT_EQ(all.size(), 3u);  // the set, the wait, both
  const FaultLabel label = LabelOf(Index(), all[0]);
  std::set<std::string> lines;
  for (const FaultLabel::Lines& r : label.planted->lines)
    lines.insert(LineOf(Index().files[0].text, r.first));
  EXPECT_TRUE(lines.contains("    DataCopy(sums_, sum, 8);"));
  EXPECT_TRUE(lines.contains("    Add(sum, sum, work, 8);"));
  EXPECT_TRUE(lines.contains("    WaitFlag<HardEvent::V_MTE3>(EVENT_ID3);"));
  EXPECT_FALSE(lines.contains("    DataCopyPad(x, x_[i * 128], params, pad);"));
  EXPECT_EQ(label.planted->detectors, (std::vector<std::string>{"racecheck", "synccheck"}));
}

TEST(Mutate, AQueueIsFollowedIntoTheFunctionsThatGetIt) {
  const SourceIndex index = IndexOf(AKGEN_TEST_FOLDER "/queue_parameter.cpp");
  auto all = FindMutations(index, {"drop_queue_call"});
  ASSERT_EQ(all.size(),
            4u);  // EnQue and FreeTensor of each queue, one of them through the parameter
  std::set<std::string> lines;
  for (const Mutation& m : all)
    if (m.what == "EnQue of in_ removed")
      for (const LineRange& r : m.lines) lines.insert(LineOf(index.files[0].text, r.first));
  EXPECT_TRUE(lines.contains("    LocalTensor<float> t = queue.DeQue<float>();"));
  EXPECT_TRUE(lines.contains("    queue.FreeTensor(t);"));
  EXPECT_TRUE(lines.contains("    DataCopy(y_, t, 64);"));
  EXPECT_FALSE(lines.contains("    DataCopy(z_, u, 64);"));
}

TEST(Mutate, OnlyWhatBreaksADocumentedRuleSaysSo) {
  for (const Mutation& m : FindMutations(Index()))
    if (m.klass == "break_alignment")
      EXPECT_FALSE(m.rule.empty());
    else if (m.klass == "drop_flag" || m.klass == "cut_tail" || m.klass == "shift_offset")
      EXPECT_TRUE(m.rule.empty());
}

TEST(Mutate, TheChoiceFollowsTheSeedAndKeepsEveryClass) {
  auto all = FindMutations(Index());
  auto labels = [](const std::vector<Mutation>& list) {
    base::Json out = base::Json::array();
    for (const auto& m : list) out.push_back(ToJson(LabelOf(Index(), m)));
    return out;
  };
  auto one = labels(Choose(all, 20, 1));
  EXPECT_EQ(one.size(), 20u);
  EXPECT_EQ(one, labels(Choose(all, 20, 1)));
  EXPECT_NE(one, labels(Choose(all, 20, 2)));
  std::set<std::string> classes, there;
  for (const auto& j : one) classes.insert(j["class"]);
  for (const Mutation& m : all) there.insert(m.klass);
  EXPECT_EQ(classes, there);
}

// All that is planted in these sources, with its label: golden/mutations.txt.
TEST(Mutations, AreThoseOfTheTable) {
  std::string text;
  for (const SourceIndex* index : {&Index(), &CubeIndex(), &HazardIndex(), &ProjectIndex()}) {
    const auto all = FindMutations(*index);
    for (const Mutation& m : all) {
      text += m.klass + " (" + m.kind + "): " + m.what + "\n ";
      for (const Edit& e : m.edits)
        text += " " + std::to_string(e.span.begin) + "-" + std::to_string(e.span.end) + " `" +
                e.text + "`";
      for (const std::string& detector : m.detectors) text += " " + detector;
      for (const LineRange& l : m.lines)
        text += " " + std::to_string(l.file) + ":" + std::to_string(l.first) + "-" +
                std::to_string(l.last);
      text += m.rule.empty() ? "\n" : " " + m.rule + "\n";
    }
    text += "chosen:";
    for (const Mutation& m : Choose(all, 20, 3))
      text += " " + m.klass + "@" + std::to_string(m.edits[0].span.begin);
    text += "\n";
  }
  ExpectGolden(AKGEN_TEST_FOLDER "/golden", "mutations.txt", text);
}

// What becomes of each field, wherever it is given, in the line that it stands in.
TEST(Mutations, OfParametersAreThoseOfTheTable) {
  const SourceIndex index = IndexOf(AKGEN_TEST_FOLDER "/cube_parameters.cpp");
  std::string text;
  for (const Mutation& m : FindMutations(index)) {
    if (m.kind != "cube") continue;
    const SourceText& file = index.files[m.file];
    std::string whole = file.text;
    const Edit& e = m.edits.at(0);
    whole.replace(e.span.begin, e.span.end - e.span.begin, e.text);
    const auto line = std::count(file.text.begin(), file.text.begin() + long(e.span.begin), '\n');
    text += m.what + (m.rule.empty() ? "" : " (" + m.rule + ")") + "\n" +
            LineOf(whole, int(line) + 1) + "\n   ";
    for (const LineRange& l : m.lines)
      text += " " + std::to_string(l.first) + "-" + std::to_string(l.last);
    text += "\n";
  }
  ExpectGolden(AKGEN_TEST_FOLDER "/golden", "cube_parameters.txt", text);
}

TEST(Span, HoldsWhatLiesInItAndItself) {
  const Span s{4, 8};
  for (size_t begin = 2; begin <= 9; ++begin)
    for (size_t end = begin; end <= 10; ++end)
      EXPECT_EQ(s.Holds({begin, end}), begin >= 4 && end <= 8) << begin << " " << end;
}

// Two functions, one within the other, and what lies outside: half-open ranges of bytes.
TEST(SourceIndex, TheInnermostFunctionAround) {
  SourceIndex index;
  index.files = {{"a.cpp", "/a.cpp", std::string(40, ' ')}, {"b.cpp", "/b.cpp", ""}};
  for (const bool turned : {false, true}) {
    index.functions = {{0, "outer", {10, 30}}, {0, "inner", {10, 20}}, {0, "last", {30, 34}}};
    if (turned) std::reverse(index.functions.begin(), index.functions.end());
    const KernelView view(index);
    for (size_t at = 0; at < 40; ++at) {
      const std::string name = at < 10 || at >= 34 ? ""
                               : at < 20           ? "inner"
                               : at < 30           ? "outer"
                                                   : "last";
      SourceCall call;
      call.whole = {at, at + 1};
      EXPECT_EQ(view.ScopeOf(call), name) << at;
      const SourceFunction* f = index.FunctionAt(0, at);
      EXPECT_EQ(f ? f->name : "", name) << at;
      call.file = 1;
      EXPECT_EQ(view.ScopeOf(call), "") << "another file, " << at;
    }
  }
}
}  // namespace
}  // namespace akgen::mutate
