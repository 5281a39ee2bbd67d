// What a candidate's model and its bindings say of themselves: the last that is taken, the first
// that is refused.
#include <gtest/gtest.h>

#include <filesystem>

#include "judge/kernelbench/answer.h"
#include "judge/kernelbench/host.h"

namespace akgen::judge::kernelbench {
namespace {
namespace fs = std::filesystem;
using base::Json;

class Recorded : public ::testing::Test {
 protected:
  Recorded() : dir_(std::move(base::TempDir::Create().value())) {}
  void Put(const std::string& name, const std::string& text) {
    ASSERT_TRUE(base::WriteFileAtomic(dir_.path() / name, text).ok());
  }
  // "" where the recording is taken, else why not.
  std::string Read(const Json& trace) {
    Put("trace.json", trace.dump());
    auto read = ReadTrace(dir_.path());
    if (read.ok()) return last_ = *read, "";
    EXPECT_EQ(read.error().code, "AK0612");
    return read.error().message.substr(std::string("the model's recording is none: ").size());
  }
  base::TempDir dir_;
  Trace last_;
};

Json Tensor(Json sizes, Json strides, Json from = 0) {
  return {{"dtype", "f32"},
          {"sizes", std::move(sizes)},
          {"strides", std::move(strides)},
          {"from", std::move(from)}};
}
// Inputs of 24 and 8 elements, one call, its result.
Json Whole() {
  return Json{{"end", ""},
              {"reason", ""},
              {"sources",
               {{{"kind", "input"}, {"count", 24}, {"index", 0}},
                {{"kind", "input"}, {"count", 8}, {"index", 1}},
                {{"kind", "result"}, {"count", 6}, {"index", 0}, {"call", 0}}}},
              {"calls",
               {{{"op", "add"},
                 {"args", {Tensor({2, 3}, {3, 1}), {{"value", 2.5}}, nullptr}},
                 {"results", {{{"shape", {2, 3}}, {"dtype", "f32"}}}}}}},
              {"outputs", {Tensor({6}, {1}, 32)}}};
}

TEST_F(Recorded, AWholeTrace) {
  Json trace = Whole();
  Put("held_0.bin", std::string(8, '\1'));
  std::vector<int64_t> numbers{3, -1};
  Put("numbers_12.bin", std::string(reinterpret_cast<const char*>(numbers.data()), 16));
  trace["sources"].push_back({{"kind", "held"},
                              {"count", 2},
                              {"name", "weight"},
                              {"dtype", "f32"},
                              {"file", "held_0.bin"}});
  trace["sources"].push_back({{"kind", "changed"}, {"count", 3}, {"index", 0}, {"call", 0}});
  trace["sources"].push_back({{"kind", "empty"}, {"count", 5}});
  Json of_file = Tensor({2}, {1});
  of_file.erase("from"), of_file["file"] = "numbers_12.bin", of_file["given"] = true;
  trace["calls"][0]["args"].push_back({{"list", {of_file, {{"value", 3}}}}});
  ASSERT_EQ(Read(trace), "");
  ASSERT_EQ(last_.sources.size(), 6u);
  using Kind = Source::Kind;
  const Kind kinds[] = {Kind::kInput, Kind::kInput,   Kind::kResult,
                        Kind::kHeld,  Kind::kChanged, Kind::kEmpty};
  const uint64_t first[] = {0, 24, 32, 38, 40, 43}, count[] = {24, 8, 6, 2, 3, 5};
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(last_.sources[i].kind, kinds[i]) << i;
    EXPECT_EQ(last_.sources[i].first, first[i]) << i;
    EXPECT_EQ(last_.sources[i].count, count[i]) << i;
  }
  EXPECT_EQ(last_.sources[1].index, 1u);
  EXPECT_EQ(last_.sources[3].bytes, std::vector<uint8_t>(8, 1));
  EXPECT_EQ(last_.sources[3].name, "weight");
  const TracedCall& call = last_.calls.at(0);
  EXPECT_EQ(call.op, "add");
  ASSERT_EQ(call.arguments.size(), 4u);
  EXPECT_EQ(call.arguments[0].tensor->numbers, (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(call.arguments[0].tensor->strides, (std::vector<int64_t>{3, 1}));
  EXPECT_FALSE(call.arguments[0].tensor->given);
  EXPECT_EQ(call.arguments[1].value, 2.5);
  EXPECT_TRUE(call.arguments[2].value.is_null() && !call.arguments[2].tensor);
  EXPECT_EQ(call.arguments[3].list.at(0).tensor->numbers, numbers);
  EXPECT_TRUE(call.arguments[3].list.at(0).tensor->given);
  EXPECT_EQ(call.arguments[3].value, Json::array({3}));
  EXPECT_EQ(call.results, (std::vector<TracedResult>{{{2, 3}, "f32"}}));
  EXPECT_EQ(last_.outputs.at(0).numbers.front(), 32);
}

TEST_F(Recorded, TracesAtTheirLimits) {
  const int64_t most = int64_t{1} << 28;
  Put("held_1.bin", std::string(8, '\0'));
  const struct {
    const char* place;  // of the trace
    Json value;
    const char* wrong;
  } rows[] = {
      {"/outputs/0/from", 32, ""},
      {"/outputs/0/from", 33, "an element from nowhere"},
      {"/outputs/0/from", -1, ""},
      {"/outputs/0/from", -2, "an element from nowhere"},
      {"/outputs/0/strides", Json::array(), "strides that are none"},
      {"/outputs/0/sizes/0", 0, ""},
      {"/outputs/0/sizes/0", -1, "sizes that are none"},
      {"/outputs/0/sizes/0", 1.5, "sizes that are none"},
      {"/outputs/0/sizes/0", most + 1, "sizes that are none"},
      {"/outputs/0/sizes", Json(std::vector<int>(17, 1)), "sizes is no list, or too long a one"},
      {"/outputs/0/sizes", 3, "sizes is no list, or too long a one"},
      {"/outputs/0/strides/0", most / 5 + 1, "a tensor of more than 2^28 elements"},
      {"/outputs/0/dtype", "f128", "a dtype that is none"},
      {"/outputs/0/dtype", "bfloat16", ""},
      {"/calls/0/op", "", "an operator without a name"},
      {"/calls/0/op", "a-b", "an operator without a name"},
      {"/calls/0/op", std::string(100, 'a'), ""},
      {"/calls/0/op", std::string(101, 'a'), "an operator without a name"},
      {"/calls/0/args", Json(std::vector<Json>(256, nullptr)), ""},
      {"/calls/0/args", Json(std::vector<Json>(257, nullptr)),
       "args is no list, or too long a one"},
      {"/calls/0/args/1/value", Json::array(), "an argument that is none"},
      {"/calls/0/results/0/dtype", "none", "a dtype that is none"},
      {"/sources/2/call", 1, "a result of no call"},
      {"/sources/2/kind", "changed", ""},
      {"/sources/0/count", most + 1, "a source of more than 2^28 elements"},
      {"/sources/0",
       {{"kind", "held"}, {"count", 2}, {"name", "w"}, {"dtype", "f32"}, {"file", "held_1.bin"}},
       ""},
      {"/sources/0",
       {{"kind", "held"}, {"count", 3}, {"name", "w"}, {"dtype", "f32"}, {"file", "held_1.bin"}},
       "values of another tensor"},
      {"/sources/0",
       {{"kind", "held"}, {"count", 2}, {"name", "w"}, {"dtype", "f32"}, {"file", "../held_1.bin"}},
       "a file that is none"},
      {"/sources/0",
       {{"kind", "held"}, {"count", 2}, {"name", "w"}, {"dtype", "f32"}, {"file", "held_2.bin"}},
       "held_2.bin is no file, or too large"},
  };
  for (const auto& row : rows) {
    Json trace = Whole();
    trace[Json::json_pointer(row.place)] = row.value;
    if (std::string(row.place) == "/sources/0")
      trace["calls"][0]["args"][0]["from"] = 0, trace["outputs"][0]["from"] = 2;
    EXPECT_EQ(Read(trace), row.wrong) << row.place << " " << row.value;
  }
  std::error_code ec;
  fs::remove(dir_.path() / "trace.json", ec);
  fs::create_symlink("held_1.bin", dir_.path() / "trace.json");
  EXPECT_FALSE(ReadTrace(dir_.path()).ok()) << "links are not followed";
  EXPECT_TRUE(ReadUntrusted(dir_.path() / "held_1.bin", 8).ok());
  EXPECT_FALSE(ReadUntrusted(dir_.path() / "held_1.bin", 7).ok());
}

// Builds nothing; the program that is run leaves a text behind.
class Told : public Executor {
 public:
  explicit Told(std::string text) : text_(std::move(text)) {}
  base::Result<toolchain::BuildReply> Build(const toolchain::BuildRequest&) override {
    toolchain::BuildReply reply;
    reply.ok = true;
    return reply;
  }
  base::Result<std::vector<toolchain::SourceLine>> Symbolise(
      const std::string&, const std::vector<uint64_t>&) override {
    return std::vector<toolchain::SourceLine>{};
  }
  Description Describe(const std::string&, const chip::Chip&) override { return {}; }
  std::vector<TileReply> Tile(const std::string&, const std::vector<TileRequest>&, int) override {
    return {};
  }
  std::vector<sim::RunReply> Run(const Launch&) override { return {}; }
  ProgramReply RunScript(const ProgramLaunch&) override { return {}; }
  bool CountsWork() override { return true; }
  Json Layers() override { return nullptr; }
  ProgramReply RunProgram(const ProgramLaunch& launch) override {
    argv = launch.argv;
    (void)base::WriteFileAtomic(fs::path(launch.folder) / "launches.json", text_);
    reply.status = "ok";
    return reply;
  }
  std::vector<std::string> argv;
  ProgramReply reply;

 private:
  std::string text_;
};

std::variant<HostCall, Stop> CallOf(Told& told, const TracedCall& call = {"add", {}, {}}) {
  const auto half = HostHalf::Build(told, "", *chip::LoadChip());
  return std::get<HostHalf>(half).Call(told, call);
}
std::string WhyNot(const Json& said) {
  Told told(said.dump());
  const auto call = CallOf(told);
  const auto* stop = std::get_if<Stop>(&call);
  if (!stop) return "";
  EXPECT_EQ(stop->verdict, record::Verdict::kRuntimeError);
  return stop->reason.substr(std::string("host code says what cannot be used: ").size());
}

Json Calls() {
  return Json::parse(
      R"({"storages":[[64,0],[16,-1]],"steps":[["launch","k",8,[[0,4],"0aff",null]],["copy",1,0,0,48,16],
      ["fill",1,8,"0102",4]],"results":[{"dtype":"f32","place":[0,32],"sizes":[2,4],"strides":[4,1]}]})");
}

TEST(RecordedHost, AWholeCall) {
  Told told(Calls().dump());
  TracedTensor t;
  t.type = "f16", t.sizes = {2, 3}, t.strides = {3, 1};
  TracedArgument tensor, list, number;
  tensor.tensor = t, list.list = {tensor, tensor}, number.value = 2.5;
  const auto made = CallOf(told, {"add", {tensor, number, list, {}}, {}});
  ASSERT_TRUE(std::holds_alternative<HostCall>(made)) << std::get<Stop>(made).reason;
  EXPECT_EQ(told.argv.at(1), "add(f16[2,3]%[3,1], 2.5, [f16[2,3]%[3,1], f16[2,3]%[3,1]], None)");
  const HostCall& call = std::get<HostCall>(made);
  ASSERT_EQ(call.storages.size(), 2u);
  EXPECT_EQ(call.storages[0].bytes, 64u);
  EXPECT_EQ(call.storages[0].argument, 0);
  EXPECT_EQ(call.storages[1].argument, -1);
  const auto& launch = std::get<LaunchStep>(call.steps.at(0));
  EXPECT_EQ(launch.kernel, "k");
  EXPECT_EQ(launch.blocks, 8u);
  using Kind = LaunchArgument::Kind;
  ASSERT_EQ(launch.arguments.size(), 3u);
  EXPECT_TRUE(launch.arguments[0].kind == Kind::kPlace &&
              launch.arguments[0].place == (Place{0, 4}));
  EXPECT_TRUE(launch.arguments[1].kind == Kind::kBytes &&
              launch.arguments[1].bytes == (std::vector<uint8_t>{10, 255}));
  EXPECT_TRUE(launch.arguments[2].kind == Kind::kNull);
  const auto& copy = std::get<CopyStep>(call.steps.at(1));
  EXPECT_TRUE(copy.to == (Place{1, 0}) && copy.from == (Place{0, 48}) && copy.bytes == 16);
  const auto& fill = std::get<FillStep>(call.steps.at(2));
  EXPECT_TRUE(fill.to == (Place{1, 8}) && fill.bytes == (std::vector<uint8_t>{1, 2}) &&
              fill.times == 4);
  EXPECT_EQ(call.results.at(0).strides, (std::vector<int64_t>{4, 1}));
  EXPECT_EQ(call.results.at(0).dtype, base::Dtype::kFloat32);
}

TEST(RecordedHost, CallsAtTheirLimits) {
  const std::string outside = "bytes outside of a tensor", nowhere = "a place in no tensor",
                    none = "a number that is none";
  const struct {
    const char* place;
    Json value;
    std::string wrong;
  } rows[] = {
      {"/storages/1/1", 10000, ""},
      {"/storages/1/1", 10001, "an argument that is none"},
      {"/storages/1/1", -2, "an argument that is none"},
      {"/storages/0/0", int64_t{1} << 32, ""},
      {"/storages/0/0", (int64_t{1} << 32) + 1, none},
      {"/storages/0/0", -1, none},
      {"/steps/0/0", "start", "a step of no kind"},
      {"/steps/0/1", "", "a kernel without a name"},
      {"/steps/0/1", "a b", "a kernel without a name"},
      {"/steps/0/1", std::string(200, 'k'), ""},
      {"/steps/0/1", std::string(201, 'k'), "a kernel without a name"},
      {"/steps/0/2", 4294967295, ""},
      {"/steps/0/2", 4294967296, none},
      {"/steps/0/3", Json(std::vector<Json>(32, nullptr)), ""},
      {"/steps/0/3", Json(std::vector<Json>(33, nullptr)), "a launch with more than 32 arguments"},
      {"/steps/0/3/1", "0af", "bytes that are none"},
      {"/steps/0/3/1", "0G", "bytes that are none"},
      {"/steps/0/3/1", std::string(256 << 10, 'a'), ""},
      {"/steps/0/3/1", std::string((256 << 10) + 2, 'a'), "bytes that are none"},
      {"/steps/0/3/0/0", 1, ""},
      {"/steps/0/3/0/0", 2, nowhere},
      {"/steps/0/3/0/1", 64, ""},
      {"/steps/0/3/0/1", 65, nowhere},
      {"/steps/1/5", 17, outside},
      {"/steps/1/4", 49, outside},
      {"/steps/1/2", 1, outside},
      {"/steps/2/4", 5, outside},
      {"/steps/2/2", 9, outside},
      {"/results/0/dtype", "none", "a result of no dtype"},
      {"/results/0/place/1", 33, outside},
      {"/results/0/strides/0", 5, outside},
      {"/results/0/sizes/1", 5, outside},
      {"/results/0/sizes/1", 0, ""},
      {"/results/0/sizes", Json::array({8}), "a result without strides"},
      {"/results/0/strides/0", int64_t{1} << 32, "a result outside of its tensor"},
  };
  EXPECT_EQ(WhyNot(Calls()), "");
  for (const auto& row : rows) {
    Json said = Calls();
    said[Json::json_pointer(row.place)] = row.value;
    EXPECT_EQ(WhyNot(said), row.wrong) << row.place << " " << row.value.dump().substr(0, 40);
  }
}

TEST(RecordedHost, HowItsProgramEnds) {
  using enum record::Verdict;
  const struct {
    const char* console;
    int exit_code;
    record::Verdict verdict;
    const char* reason;
  } rows[] = {
      {"a\nunsupported: aten::sort\n", 1, kUnsupported, "aten::sort"},
      {"RuntimeError: sizes differ \n", 1, kRuntimeError,
       "custom_op.add: RuntimeError: sizes differ"},
      {"some\nwords\n\n", 3, kRuntimeError, "custom_op.add ended with exit code 3: words"},
      {"unsupported: early\nwords", 0, kPass, ""},
  };
  for (const auto& row : rows) {
    Told told(Calls().dump());
    told.reply.console = row.console, told.reply.exit_code = row.exit_code;
    const auto call = CallOf(told);
    const auto* stop = std::get_if<Stop>(&call);
    EXPECT_EQ(stop ? stop->verdict : kPass, row.verdict) << row.console;
    EXPECT_EQ(stop ? stop->reason : "", row.reason);
  }
}

TEST_F(Recorded, AnswersInTheirForms) {
  const auto read = [&](const std::string& name) {
    auto a = ReadAnswer(dir_.path() / name);
    return a.ok() ? a->asc + "|" + a->model : a.error().code;
  };
  EXPECT_EQ(read("gone"), "AK0001");
  fs::create_directory(dir_.path() / "folder");
  Put("folder/custom_op.asc", "A");
  EXPECT_EQ(read("folder"), "AK0510");
  Put("folder/model_new.py", "M");
  EXPECT_EQ(read("folder"), "A|M");
  Put("json", R"({"custom_op_asc":"A","model_new_py":"M"})");
  EXPECT_EQ(read("json"), "A|M");
  Put("json", R"({"custom_op_asc":"A","model_new_py":3})");
  EXPECT_EQ(read("json"), "AK0510");
  Put("text", "Here:\n```cpp custom_op.asc\nA\n```\nand\n```python model_new.py\nM\n```\n");
  EXPECT_EQ(read("text"), "A\n|M\n");
  Put("text", "```cpp custom_op.asc\nA\n```\n");
  EXPECT_EQ(read("text"), "AK0510");
}

}  // namespace
}  // namespace akgen::judge::kernelbench
