// Messages between processes and lines of files, as text: read and written again, each is what it
// was; members that are there only sometimes are in one row and not in another.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "record/build_diagnostic.h"
#include "record/capture.h"
#include "record/comparison.h"
#include "record/completion.h"
#include "record/graph.h"
#include "record/journal.h"
#include "record/launch_record.h"
#include "record/launch_time.h"
#include "record/output_result.h"
#include "record/parity.h"
#include "record/reference_messages.h"

namespace akgen::record {
namespace {
using base::Json;

struct Row {
  const char* what;
  std::function<Json(const Json&)> again;
  std::vector<const char*> texts;
};

template <typename T>
Json LineAgain(const Json& j) {
  return ToJson(std::get<T>(JournalLineFromJson(j)));
}

void ExpectTheSame(const std::vector<Row>& rows) {
  for (const Row& row : rows)
    for (const char* text : row.texts) {
      const Json j = Json::parse(text);
      EXPECT_EQ(row.again(j).dump(), j.dump()) << row.what;
    }
}

TEST(Messages, AreWrittenAsTheyWereRead) {
  ExpectTheSame(
      {{"number of a graph",
        [](const Json& j) { return ToJson(GraphNumberFromJson(j)); },
        {"null", "true", "7", "0.5", R"("sum")", R"({"real":"inf"})", R"({"real":"-inf"})",
         R"({"real":"nan"})", R"({"attr":"n","value":3})", R"({"item":"x","value":2.5})",
         R"({"index":4,"item":"x","value":true})", R"({"computed":"v3","value":1})",
         R"({"computed":true,"value":1})", R"({"turn":2,"value":2})",
         R"({"args":[1,{"attr":"n"}],"op":"add","value":4})",
         R"({"args":[{"t":"x"}],"op":"numel"})"}},
       {"argument of a graph",
        [](const Json& j) { return ToJson(GraphArgFromJson(j)); },
        {"null", R"({"t":"x"})", R"({"s":4})", R"({"l":[]})",
         R"({"l":[1,{"t":"x"},{"attr":"n","value":2},{"l":[2]}]})"}},
       {"graph",
        [](const Json& j) { return ToJson(GraphFromJson(j)); },
        {R"({"nodes":[],"outputs":["x"],"schema":1})",
         R"({"asked":[{"item":"x"}],"nodes":[{"args":[{"t":"x"},null],"op":"mul",
            "out":[{"dtype":"Double","id":"v","shape":[2,3]}]}],"outputs":["v"],"schema":1})"}},
       {"request to the reference",
        [](const Json& j) { return ToJson(ReferenceRequestFromJson(j)); },
        {R"({"attrs":[],"before_rounding":0.0,"exact":false,"input_bytes":0,"inputs":[],"name":"","native":false,"noisy":false,
            "nudge":0.0,"op":"run",
            "other_undefined":false,"output_bytes":0,"outputs":[],"pattern":0,"round":null,"script":"","single":false,"undecided":0,"unrounded":false,
            "variant":null,"watch":false})",
         R"({"attrs":[{"name":"n","type":"list_int","value":[1,2]}],"before_rounding":0.5,"exact":true,"input_bytes":24,
            "inputs":[{"kind":"list","name":"x","tensors":[{"dtype":"float16","offset":8,"shape":[2,3]}]}],
            "name":"a.py","native":true,"noisy":true,"nudge":0.25,"op":"graph","other_undefined":true,"output_bytes":12,
            "outputs":[{"kind":"none","name":"y","tensors":[]}],"pattern":3,"round":"bfloat16","script":"s",
            "single":true,"undecided":2,"unrounded":true,"variant":{"high":2.0,"low":1.0,"name":"abs","on_interval":true,"place":"4"},
            "watch":true})",
         R"({"attrs":[],"before_rounding":0.0,"exact":false,"input_bytes":0,"inputs":[],"name":"","native":false,"noisy":false,
            "nudge":0.0,"op":"variants",
            "other_undefined":false,"output_bytes":0,"outputs":[],"pattern":0,"round":null,"script":"","single":false,"undecided":0,"unrounded":false,
            "variant":null,"watch":false})"}},
       {"reply of the reference",
        [](const Json& j) { return ToJson(ReferenceReplyFromJson(j)); },
        {R"({"ms":1.5,"ok":true})",
         R"({"code":"AK0114","fix":"f","message":"m","ok":false,"where":"w"})",
         R"({"graph":{"nodes":[],"outputs":["x"],"schema":1},"ms":2.0,"ok":true,"seen":{"abs":[1.0,2.0]},
            "variants":[{"high":0.0,"low":-1.0,"name":"abs","on_interval":false,"place":"x"}]})"}},
       {"reply of the model",
        [](const Json& j) { return ToJson(CompletionReplyFromJson(j)); },
        {R"({"choices":[{"finish":"stop","log_p":-0.5,"text":"a","tokens":3}],"prompt_tokens":4,"read_s":0.25,"tokens":3,
            "write_s":0.5})"}},
       {"folder of a model",
        [](const Json& j) { return ToJson(*LoadModelRequestFromJson(j)); },
        {R"({"load":"a/b"})"}},
       {"rollouts",
        [](const Json& j) { return RolloutsToJson(*RolloutsFromJson(j)); },
        {R"({"rollouts":[{"finish":"stop","source":{"id":"p1"},"text":"t"},{"finish":"","source":null,"text":""}]})"}},
       {"rewards",
        [](const Json& j) { return RewardsToJson(*RewardsFromJson(j)); },
        {R"({"rewards":[0.5,null,-1.0]})"}},
       {"values of an output",
        [](const Json& j) { return ToJson(OutputValuesFromJson(j)); },
        {R"({"elements":9,"high":2.0,"infinite":3,"low":-1.0,"name":"y","nan":4})",
         R"({"elements":1,"high":null,"infinite":0,"low":null,"name":"y","nan":1})"}},
       {"output against its reference",
        [](const Json& j) { return ToJson(OutputResultFromJson(j)); },
        {R"({"elements":9,"first":[{"index":5,"out":1.0,"ref":2.0}],"histogram":{"a":[1]},"max_abs":1.0,"max_rel":0.5,
            "mismatches":2,"name":"y","region":"the last row","rule":"r","shape":[3,3],
            "worst":[{"index":8,"out":0.0,"ref":4.0}]})",
         R"({"elements":9,"first":[],"histogram":{"a":[1]},"max_abs":0.0,"max_rel":0.0,"mismatches":0,"name":"y","rule":"r"})"}},
       {"diagnostics of a build",
        [](const Json& j) { return ToJson(DiagnosticsFromJson(j)); },
        {R"([{"col":4,"file":"k.cpp","line":3,"message":"m","severity":"error",
             "notes":[{"col":2,"file":"k.h","line":1,"message":"n","severity":"note"}]},
            {"code":"AK0601","file":"k.cpp","fix":"f","line":3,"message":"m","severity":"warning"}])"}}});
}

TEST(Records, AreWrittenAsTheyWereRead) {
  ExpectTheSame({
      {"header of a journal",
       LineAgain<RunHeader>,
       {R"({"config":{"generator":"craft","inputs_seed":7},"kind":"run","schema":1,"version":"0.2.0"})"}},
      {"prompt",
       LineAgain<PromptLine>,
       {R"({"hash":"h","kind":"prompt","messages":[{"content":"c","role":"user"}],"task":"Abs"})"}},
      {"end of a sample",
       LineAgain<SampleEnd>,
       {R"({"best_turn":1,"kind":"sample","modelled_us":4.5,"own_ms":3.0,"project":true,"reason":"r","sample":2,
            "task":"Abs","turns":3,"verdict":"pass"})"}},
      {"trouble",
       LineAgain<TroubleLine>,
       {R"({"code":"AK0703","kind":"trouble","message":"m","sample":1,"task":"Abs","turn":2})"}},
      {"turn",
       LineAgain<Turn>,
       {R"({"feedback":"","files":{},"kind":"turn","model_ms":0.0,"reason":"","sample":0,"sealed":false,"task":"Abs",
            "turn":0,"verdict":"no_code"})",
        R"({"advice":"a","answer":"t","attempts":2,"backend":"guest","cached":true,
            "cases":[{"id":"0","modelled_range_us":[2.0,4.0],"modelled_us":3.0,"reason":"","verdict":"pass"},
                     {"id":"1","reason":"r","verdict":"finding"}],
            "codes":["AK1201"],"completion_tokens":5,"feedback":"f","files":{"k.cpp":"x"},"finish":"stop","judge_ms":2.5,
            "kind":"turn","logprobs":[0.5],"model_ms":1.5,"modelled_us":3.0,"plan_ms":0.5,"prompt":"h",
            "prompt_tokens":1099511627776,"reason":"r","reasoning":"why","redraws":3,"sample":1,"sealed":true,"seed":9,
            "task":"Abs","turn":2,"verdict":"finding"})"}},
      {"record of a launch",
       [](const Json& j) {
         auto read = LaunchRecordFromJson(j);
         Json again = ToJson(*read);
         again.erase("version");
         return again;
       },
       {R"({"backend":"native","build_ms":1.0,"build_options":["-O2"],"checks":["memcheck"],"counts":{"a":1},
            "diagnostics":[{"col":1,"file":"k.cpp","line":2,"message":"m","severity":"warning"}],"file":"k.cpp",
            "findings":[],"hash":"h","modelled":{"us":1.0},"outputs":[{"elements":1,"high":1.0,"infinite":0,"low":1.0,
            "name":"y","nan":0}],"print":"p","reason":"r","run_ms":2.0,"schema":1,"sealed":false,"verdict":"timeout"})"}},
      {"why there is no time",
       [](const Json& j) { return ToJson(*NoTimeFromJson(j)); },
       {R"({"unmodelled":"Mmad"})", R"({"scalar_unpriced":true})", R"({"trace_cut":true})"}},
  });
}

TEST(Messages, SayNothingOfWhatIsNotSet) {
  CompletionRequest request;
  request.seeds = {3};
  EXPECT_EQ(ToJson(request).dump(), R"({"prompt":"","seeds":[3],"temperature":0.0,"top_p":1.0})");
  request.messages = Json::array(), request.max_tokens = 1, request.grammar = "g",
  request.stop = {"s"};
  request.prefixes = {{"abc", 2}, {"", 0}};
  EXPECT_EQ(
      ToJson(request).dump(),
      R"({"grammar":"g","max_tokens":1,"messages":[],"prefixes":[{"bytes":2,"text":"abc"},null],"seeds":[3],)"
      R"("stop":["s"],"temperature":0.0,"top_p":1.0})");
  for (const char* other : {"[]", "3", R"({"choices":[]})", R"({"rewards":3})"}) {
    EXPECT_FALSE(LoadModelRequestFromJson(Json::parse(other))) << other;
    EXPECT_FALSE(RolloutsFromJson(Json::parse(other))) << other;
    EXPECT_FALSE(RewardsFromJson(Json::parse(other))) << other;
  }
  EXPECT_EQ((RewardedText{{{"id", "p1"}}, "", ""}.SourceId()), "p1");
  EXPECT_EQ((RewardedText{"p1", "", ""}.SourceId()), "");
}

TEST(Capture, EveryMemberIsReadAndWritten) {
  const Capture c = CaptureFromJson(Json::parse(
      R"({"captured":true,"function":"f","task":"t","torch":"1.13","line":3,"inputs":["x"],"attributes":["n"],
          "outputs":["y"],"requires":["len(x.shape) == 2"],"notes":["o"],"seconds":0.25,
          "guards":[{"kind":"shape","argument":"x","text":"w","require":"r","variant":2}],
          "operations":[{"op":"add","line":4}]})"));
  EXPECT_TRUE(c.captured);
  EXPECT_EQ(c.function + c.task + c.torch, "ft1.13");
  EXPECT_EQ(c.line, 3);
  EXPECT_EQ(c.inputs, std::vector<std::string>{"x"});
  EXPECT_EQ(c.attributes, std::vector<std::string>{"n"});
  EXPECT_EQ(c.outputs, std::vector<std::string>{"y"});
  EXPECT_EQ(c.require, std::vector<std::string>{"len(x.shape) == 2"});
  EXPECT_EQ(c.notes, std::vector<std::string>{"o"});
  EXPECT_EQ(c.seconds, 0.25);
  ASSERT_EQ(c.operations.size(), 1u);
  EXPECT_EQ(c.operations[0].op, "add");
  EXPECT_EQ(c.operations[0].line, 4);
  ASSERT_EQ(c.guards.size(), 1u);
  KernelRecord r;
  r.verdict = "pass", r.guards = c.guards, r.file = "a.py", r.function = "f", r.captured = true,
  r.cases = 3;
  Json j = ToJson(r);
  EXPECT_EQ(j["guards"].dump(),
            R"([{"argument":"x","kind":"shape","require":"r","text":"w","variant":2}])");
  EXPECT_EQ(j["schema"], 1);
  EXPECT_FALSE(j.contains("refusal"));
  r.guards[0].require = "", r.verdict = "refused";
  r.refusal = {"AK1541", "why", "a.py", 0, "x"};
  j = ToJson(r);
  EXPECT_TRUE(j["guards"][0]["require"].is_null());
  EXPECT_EQ(j["refusal"].dump(),
            R"({"code":"AK1541","file":"a.py","line":null,"reason":"why","text":"x"})");
  r.refusal.line = 1;
  EXPECT_EQ(ToJson(r)["refusal"]["line"], 1);
}

TEST(Capture, EachKindOfRefusalHasItsCode) {
  const std::pair<const char*, const char*> codes[] = {
      {"operator", "AK1541"}, {"data", "AK1542"},       {"random", "AK1543"},    {"loop", "AK1544"},
      {"example", "AK1545"},  {"unfaithful", "AK1546"}, {"unheard of", "AK1545"}};
  for (const auto& [kind, code] : codes) {
    const Refusal r =
        CaptureFromJson(
            {{"refusal",
              {{"kind", kind}, {"reason", "r"}, {"file", "f"}, {"line", 5}, {"text", "t"}}}})
            .refusal;
    EXPECT_EQ(r.code, code) << kind;
    EXPECT_EQ(r.reason + r.file + r.text, "rft");
    EXPECT_EQ(r.line, 5);
  }
}

TEST(Graph, NumbersCompareAndConvert) {
  using From = GraphNumber::From;
  const GraphNumber one{GraphConstant(int64_t{1})}, half{GraphConstant(0.5)},
      yes{GraphConstant(true)}, text{GraphConstant(std::string("sum"))}, none;
  EXPECT_TRUE(one.Is(1) && half.Is(0.5) && text.Says("sum"));
  EXPECT_FALSE(one.Is(2) || half.Is(1) || yes.Is(1) || text.Says("su") || one.Says("1") ||
               none.Is(0));
  EXPECT_FALSE(GraphNumber::Of(From::kAttribute, "n", {}, int64_t{1}).Is(1))
      << "an attribute is no constant";
  EXPECT_EQ(one.Int(), 1);
  EXPECT_EQ(GraphNumber(GraphConstant(2.9)).Int(), 2);
  EXPECT_EQ(yes.Real(), 1);
  EXPECT_EQ(one.Real(), 1);
  EXPECT_EQ(half.Real(), 0.5);
  EXPECT_THROW(yes.Int(), std::invalid_argument);
  EXPECT_THROW(text.Real(), std::invalid_argument);
  EXPECT_TRUE(one.HasInt() && one.HasReal() && half.HasReal() && yes.HasBool());
  EXPECT_FALSE(half.HasInt() || yes.HasInt() || yes.HasReal() || one.HasBool() || none.HasReal());
  const GraphNumber a = GraphNumber::Of(From::kOperation, "add", {one, half});
  GraphNumber b = a;
  EXPECT_TRUE(a == b);
  for (const GraphNumber& other : {GraphNumber::Of(From::kAttribute, "add", {one, half}),
                                   GraphNumber::Of(From::kOperation, "sub", {one, half}),
                                   GraphNumber::Of(From::kOperation, "add", {one, one}),
                                   GraphNumber::Of(From::kOperation, "add", {one, half}, true)})
    EXPECT_FALSE(a == other);
  b.turn = 1;
  EXPECT_FALSE(a == b);
  EXPECT_TRUE(GraphArg::List({2, 3}) == GraphArg::List({2, 3}));
  EXPECT_FALSE(GraphArg::List({2, 3}) == GraphArg::List({2, 4}));
  EXPECT_FALSE(GraphArg::Tensor("x") == GraphArg::Tensor("y"));
  EXPECT_FALSE(GraphArg::Number(GraphConstant(true)) == GraphArg::Number(GraphConstant(false)));
  EXPECT_FALSE(GraphArg() == GraphArg::List(GraphArgs{}));
  EXPECT_EQ(GraphArg::List({2, 3}).Ints(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ((GraphValue{"v", {2, 3, 0}, ""}.Elements()), 0);
  EXPECT_EQ((GraphValue{"v", {}, ""}.Elements()), 1);
}

TEST(Graph, ANameThatEndsInOneUnderscoreChangesItsOperand) {
  for (const auto& [op, changes] : std::vector<std::pair<const char*, bool>>{{"add_", true},
                                                                             {"a_", true},
                                                                             {"add", false},
                                                                             {"__and__", false},
                                                                             {"_", false},
                                                                             {"", false}})
    EXPECT_EQ((GraphNode{op, {}, {}}.ChangesOperand()), changes) << op;
}

TEST(Graph, EveryTensorIsVisited) {
  GraphArg arg = GraphArgFromJson(Json::parse(
      R"({"l":[{"t":"a"},{"s":{"op":"numel","args":[{"t":"b"}]}},{"l":[{"t":"c"}]},{"item":"d","index":0}]})"));
  std::string seen;
  ForEachTensor(std::as_const(arg), [&](const std::string& id) { seen += id; });
  EXPECT_EQ(seen, "abc");
  ForEachTensor(arg, [](std::string& id) { id += "2"; });
  seen.clear();
  ForEachTensor(std::as_const(arg), [&](const std::string& id) { seen += id; });
  EXPECT_EQ(seen, "a2b2c2");
  EXPECT_TRUE(ReadsElements(arg.list[3].number));
  EXPECT_FALSE(ReadsElements(arg.list[1].number));
  EXPECT_TRUE(
      ReadsElements(GraphNumberFromJson(Json::parse(R"({"op":"add","args":[1,{"item":"d"}]})"))));
}

TEST(LaunchTime, EveryMemberIsRead) {
  const Json j = Json::parse(
      R"({"us":9.0,"core_us":8.0,"longest_core_us":8.5,"start_us":1.0,"ub_used":64.0,"cores":3,"blocks":4,"cube_cores":2,
          "regime":"vector","bottleneck":"PIPE_V","sites":[{"file":"k.cpp","line":7},null],
          "pipes":{"PIPE_V":{"busy_us":1.0,"flag_wait_us":2.0,"conflict_us":3.0,"instructions":4,"bytes":5.0,"bursts":6.0}},
          "what_if":[{"change":"double","amount":2,"us":7.0,"site":1}],"scaled":{"factor":2.0,"us":3.0,"bound_us":4.0}})");
  const auto t = LaunchTimeFromJson(j);
  ASSERT_TRUE(t);
  EXPECT_EQ((std::vector<double>{t->us, t->core_us, t->longest_core_us, t->start_us, t->ub_used}),
            (std::vector<double>{9, 8, 8.5, 1, 64}));
  EXPECT_EQ((std::vector<int>{t->cores, t->blocks, t->cube_cores}), (std::vector<int>{3, 4, 2}));
  EXPECT_EQ(t->regime + t->bottleneck, "vectorPIPE_V");
  const PipeTime p = t->pipes.at("PIPE_V");
  EXPECT_EQ((std::vector<double>{p.busy_us, p.flag_wait_us, p.conflict_us, double(p.instructions),
                                 p.bytes, p.bursts}),
            (std::vector<double>{1, 2, 3, 4, 5, 6}));
  ASSERT_EQ(t->sites.size(), 2u);
  EXPECT_EQ(t->sites[0].file, "k.cpp");
  EXPECT_EQ(t->sites[0].line, 7);
  EXPECT_EQ(t->sites[1].line, 0);
  EXPECT_TRUE(t->tried);
  ASSERT_EQ(t->changes.size(), 1u);
  EXPECT_EQ(t->changes[0].change, "double");
  EXPECT_EQ(t->changes[0].amount, 2);
  EXPECT_EQ(t->changes[0].us, 7);
  EXPECT_EQ(t->changes[0].site, 1u);
  ASSERT_TRUE(t->scaled);
  EXPECT_EQ(t->scaled->factor * 100 + t->scaled->us * 10 + t->scaled->bound_us, 234);
  const auto least = LaunchTimeFromJson({{"us", 1.0}});
  ASSERT_TRUE(least);
  EXPECT_FALSE(least->tried || least->scaled);
  EXPECT_FALSE(LaunchTimeFromJson({{"trace_cut", true}}) || LaunchTimeFromJson(nullptr));
  EXPECT_FALSE(NoTimeFromJson(j) || NoTimeFromJson(nullptr));
}

TEST(Parity, AsTablesHaveIt) {
  Parity p;
  p.rows = {{"k", "3", {4, 5}, true, "vector", 2, 1, -0.5}, {"k", "", {}, false, "", 0, 0, 0}};
  p.untied = {{9, "w", "2", "why"}};
  p.errors.rows = 2, p.errors.median = 0.25, p.errors.p90 = 0.5,
  p.errors.by_regime["memory"] = {1, 0.125, 0.75};
  EXPECT_EQ(
      ToJson(p).dump(),
      R"({"errors":{"by_regime":{"memory":{"median":0.125,"p90":0.75,"rows":1}},"median":0.25,"p90":0.5,"rows":2},)"
      R"("rows":[{"bound_by":"vector","case":"3","error":-0.5,"kernel":"k","lines":[4,5],"measured":2.0,)"
      R"("modelled":1.0,"what":"core"},{"bound_by":"","case":"","error":0.0,"kernel":"k","lines":[],"measured":0.0,)"
      R"("modelled":0.0,"what":"task"}],"untied":[{"case":"2","line":9,"what":"w","why":"why"}]})");
}

TEST(Comparison, AsPagesHaveIt) {
  Comparison c;
  c.runs = {"a"};
  ComparisonCounts one{8, 1, 9, 2, 3, 4, 6, 2.5};
  c.tasks["Abs"]["a"] = one;
  one.Add(one);
  c.all["a"] = one;
  c.first_verdicts["a"]["pass"] = 3;
  EXPECT_EQ(
      ToJson(c).dump(),
      R"({"all":{"a":{"answers":18,"built_first":4,"missing":2,"modelled_us":5.0,"passed":8,"passed_first":6,)"
      R"("samples":16,"turns_to_pass":1.5}},"failures":{},"first_verdicts":{"a":{"pass":3}},"generators":["a"],"schema":1,)"
      R"("shares":{"a":{"built_first":[0.25,0.25,0.25],"passed":[0.5,0.5,0.5],"passed_first":[0.375,0.375,0.375]}},)"
      R"("tasks":{"Abs":{"a":{"answers":9,"built_first":2,"missing":1,"modelled_us":2.5,"passed":4,)"
      R"("passed_first":3,"samples":8,"turns_to_pass":1.5}}}})");
  EXPECT_EQ(ComparisonCounts().TurnsToPass(), 0);
}

TEST(Journal, WhichTurnIsBest) {
  const auto turn = [](const char* verdict, double us, std::vector<const char*> cases) {
    Turn t;
    t.verdict = verdict, t.modelled_us = us;
    for (const char* c : cases) t.cases.push_back({"", c, "", {}});
    return t;
  };
  EXPECT_EQ(BestOf({turn("pass", 4, {}), turn("pass", 3, {}), turn("pass", 3, {})}), 1u)
      << "the first of the quickest";
  EXPECT_EQ(BestOf({turn("pass", 0, {}), turn("pass", 9, {})}), 1u) << "a known time";
  EXPECT_EQ(BestOf({turn("wrong_answer", 0, {"pass"}), turn("wrong_answer", 0, {"pass", "pass"})}),
            1u);
  EXPECT_EQ(BestOf({turn("pass", 9, {}), turn("wrong_answer", 1, {"pass", "pass"})}), 0u);
  EXPECT_EQ(BestOf({turn("no_code", 0, {}), turn("no_code", 0, {})}), 0u);
  Turn t = turn("pass", 0, {"pass", "skipped", "pass"});
  t.cases[0].modelled = {2, 1, 3}, t.cases[2].modelled = {4, 3, 5};
  const Modelled sum = SumOfCases(t);
  EXPECT_EQ(sum.us * 100 + sum.low * 10 + sum.high, 648);
  t.cases[2].modelled = {};
  EXPECT_FALSE(SumOfCases(t).known());
  EXPECT_EQ(RunHeader().generator(), "");
  EXPECT_EQ((RunHeader{1, "", {{"generator", "plan"}, {"inputs_seed", 5u}}}.inputs_seed()), 5u);
  EXPECT_FALSE((RunHeader{1, "", {{"inputs_seed", -5}}}.inputs_seed()));
  EXPECT_FALSE((RunHeader{1, "", {{"inputs_seed", "5"}}}.inputs_seed()));
}

TEST(Journal, TokensOfALineAreClamped) {
  const auto tokens = [](int64_t n) {
    return std::get<Turn>(JournalLineFromJson({{"kind", "turn"}, {"prompt_tokens", n}}))
        .request->prompt_tokens;
  };
  EXPECT_EQ(tokens(-1), 0);
  EXPECT_EQ(tokens(int64_t{1} << 40), int64_t{1} << 40);
  EXPECT_EQ(tokens((int64_t{1} << 40) + 1), int64_t{1} << 40);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(JournalLineFromJson({{"kind", "run"}})))
      << "without settings";
  EXPECT_THROW(JournalLineFromJson({{"kind", "run"}, {"config", 3}}), Json::exception);
}
}  // namespace
}  // namespace akgen::record
