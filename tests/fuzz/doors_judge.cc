// What reaches the judge: tasks, builds, and what processes answer that ran a candidate's code.
#include "base/csv.h"
#include "chip/chip.h"
#include "fuzz.h"
#include "judge/host/answers.h"
#include "judge/host/requests.h"
#include "judge/measured.h"
#include "judge/run/findings.h"
#include "judge/run/lone.h"
#include "judge/session/new_task.h"
#include "judge/session/project_run.h"
#include "judge/session/project_text.h"
#include "judge/time/profile.h"
#include "sim/check/checks.h"
#include "task/describe.h"
#include "task/hidden.h"
#include "task/inputs.h"
#include "task/task.h"
#include "toolchain/build.h"

namespace akgen::fuzz {
namespace {
using base::Json;
using base::Status;

const std::filesystem::path kSqrt = std::filesystem::path(AKGEN_TASKS) / "level1/Math/Sqrt";

Status Task(const std::string& toml, const std::string& cases) {
  Written("task/task.toml", toml);
  Written("task/cases.json", cases);
  for (const auto& e : std::filesystem::directory_iterator(kSqrt))
    if (e.path().filename() != "task.toml" && e.path().filename() != "cases.json")
      Written("task/" + e.path().filename().string(), *base::ReadFile(e.path()));
  auto task = task::LoadTaskFolder(Folder() / "task");
  if (!task.ok()) return task.error();
  constexpr uint64_t kSmall = 1 << 20;  // bytes: of larger cases nothing is drawn
  for (const auto& row : task->cases) {
    auto c = task::ResolveCase(*task, row);
    if (!c.ok()) throw std::runtime_error("loaded, but not resolved: " + c.error().ToString());
    if (task::TooLarge(*c, kSmall).empty()) (void)task::GenerateInputs(*task, *c, 1).ok();
    (void)task::Relate(*task, row);
  }
  (void)task::TypicalCase(*task);
  (void)task::Describe(*task);
  return {};
}

// Every distribution and rule, on shapes that are small enough to be drawn.
const char* const kDrawn = R"(schema = 1
name = "Drawn"
level = 1
category = "Math"
entry = "drawn"
description = "all kinds of inputs"
[[input]]
name = "x"
dtype = "$dtype"
shape = "$shape"
dist = { kind = "normal", mean = 0.5, std = "$s", abs = true, specials = ["inf", "nan", 0.0], special_fraction = 0.1, integers = { kind = "int", low = -3, high = "$n" } }
[[input]]
name = "y"
dtype = "$dtype"
shape = "$shape"
dist = { kind = "uniform", low = -1.0, high = 1.0, copy_of = "x", copy_fraction = 0.25 }
[[input]]
name = "i"
dtype = "int64"
shape = ["$n"]
dist = { kind = "index", high = "$n" }
[[input]]
name = "onto"
dtype = "int64"
shape = ["$n"]
dist = { kind = "onto", high = 2 }
[[input]]
name = "up"
dtype = "int64"
shape = ["$n"]
dist = { kind = "ascending", high = 100 }
[[input]]
name = "place"
dtype = "int64"
shape = ["$n", 2]
dist = { kind = "coordinates", numbers = "up", at = "i", dims = "$dims" }
[[input]]
name = "ranges"
dtype = "int32"
shape = [4, 2]
dist = { kind = "ranges", high = "$n" }
[[input]]
name = "shuffled"
dtype = "float32"
shape = "$shape"
dist = { kind = "shuffled", low = 0, high = 1, axis = "$axis" }
[[input]]
name = "mask"
dtype = "bool"
shape = ["$n"]
dist = { kind = "bool", count = 2 }
[[input]]
name = "list"
kind = "list"
dtype = "float32"
shape = "$shapes"
dist = { kind = "values", values = [1, 2.5, "-inf"] }
[[output]]
name = "z"
dtype = "$dtype"
shape = "$shape"
[[output]]
name = "at"
dtype = "int64"
shape = [2, 1]
index = { of = "x", axis = "$axis", first = 0, stride = 1 }
[[attr]]
name = "k"
type = "list_int"
value = "$dims"
[precision]
rule = "M"
k = "$n"
ulps = { bfloat16 = 1 }
[hidden]
fixed = ["dims"]
multiple = { shape = "$n" }
)";
const char* const kDrawnCases =
    R"([{"id": 0, "dtype": "float16", "shape": [2, 6], "s": 2, "n": 5, "dims": [10, 10], "axis": 1, "shapes": [[2], [3, 1]]},
        {"id": "b", "dtype": "int8", "shape": [2, 4], "s": 0.5, "n": 8, "dims": [7, 16], "axis": -1, "shapes": []}])";

AKGEN_DOOR(kDrawnTasks, "tasks of all kinds", {kDrawn}, [](const std::string& text) {
  const Status s = Task(text, kDrawnCases);
  return s.ok()                                      ? Depth::kTaken
         : s.error().message.starts_with("not TOML") ? Depth::kUnreadable
                                                     : Depth::kRefused;
});

AKGEN_DOOR(kDrawnColumns, "cases of all kinds", {kDrawnCases},
           [](const std::string& text) { return DepthOf(Task(kDrawn, text), text); });

AKGEN_DOOR(kLaunches, "launch lines",
           {"blocks=2 key=0 "
            "args=in:f16[250+6],out:f16[256],inout:f32[64],workspace[1024],tiling[64],null"},
           [](const std::string& text) {
             return judge::ParseLaunch(text).ok() ? Depth::kTaken : Depth::kRefused;
           });

AKGEN_DOOR(kCases, "cases of tasks", {*base::ReadFile(kSqrt / "cases.json")},
           [](const std::string& text) {
             return DepthOf(Task(*base::ReadFile(kSqrt / "task.toml"), text), text);
           });

AKGEN_DOOR(kTasks, "tasks", {*base::ReadFile(kSqrt / "task.toml")}, [](const std::string& text) {
  const Status s = Task(text, *base::ReadFile(kSqrt / "cases.json"));
  return s.ok()                                      ? Depth::kTaken
         : s.error().message.starts_with("not TOML") ? Depth::kUnreadable
                                                     : Depth::kRefused;
});

AKGEN_DOOR(kProjectCases, "cases of projects",
           {"[[case]]\nid = \"a\"\ninputs.x = \"f16[1,2,1,8,8,16] as NDC1HWC0 of "
            "NCDHW[1,10,2,8,8]~uniform(0,1)\"\n"
            "inputs.w = \"i4[1,2,16,64] as FRACTAL_NZ of ND[30,64]\"\noutputs.y = "
            "\"f32[8];f32[4]\"\nattrs.eps = 1e-5\n",
            "[[case]]\ninputs.x = \"i32[3]:1,2,3\"\ninputs.y = \"bool[2,2]@x.bin\"\nattrs.axes = "
            "[0, 1]\n"},
           [](const std::string& text) {
             auto cases = judge::ReadProjectCases(Written("cases.toml", text).string());
             if (!cases.ok()) return Depth::kUnreadable;
             bool taken = !cases->empty();
             for (const judge::ProjectCase& c : *cases)
               for (const auto* named : {&c.inputs, &c.outputs})
                 for (const auto& [name, tensor] : *named) taken &= judge::ParseTensor(tensor).ok();
             return taken ? Depth::kTaken : Depth::kRefused;
           });

AKGEN_DOOR(
    kRuns, "answers of runs",
    {R"({"status": "ok", "run_us": 12.5, "run_cpu_us": 11, "findings": [{"code": "AK1201", "message": "m", "fix": "f",
                "place": {"pipe": "PIPE_V", "what": "Add"}, "other": {"pipe": "PIPE_MTE2"}, "block": 0, "memory": "UB", "address": 0,
                "bytes": 256, "count": 12, "warning": false}], "sites": [], "arithmetic": {"float32": 4}, "detail": ""})"},
    [](const std::string& text) {
      const Json reply = base::Parse(text);
      if (reply.is_discarded()) return Depth::kUnreadable;
      const auto run = sim::RunReplyFromJson(reply);
      if (!run.ok()) return Depth::kRefused;
      std::vector<record::Finding> findings;
      for (const sim::RunFinding& f : run->findings) findings.push_back(f.finding);
      (void)judge::OutcomeOf(run->status, run->detail, findings);
      (void)sim::ToJson(*run);
      return Depth::kTaken;
    });

AKGEN_DOOR(kProfiles, "modelled times",
           {Json(base::Parse(*base::ReadFile(std::filesystem::path(AKGEN_FUZZ_SEEDS) /
                                             "record_pass.json"))["cases"][0]["modelled"])
                .dump()},
           [](const std::string& text) {
             static const chip::Chip kChip = *chip::LoadChip("910B2");
             return DepthOf(base::Checked("fuzz",
                                          [&]() -> Status {
                                            const auto time =
                                                record::LaunchTimeFromJson(base::Parse(text));
                                            if (!time)
                                              return base::Error{"AK0014", "no time", "", ""};
                                            (void)judge::ToJson(judge::ProfileOf(*time, kChip));
                                            return {};
                                          }),
                            text);
           });

AKGEN_DOOR(
    kHosts, "answers of host code",
    {R"({"status": "ok", "ops": [{"name": "Sqrt", "inputs": [{"name": "x", "dtypes": [0, 1], "formats": [2, 2]}],
                "outputs": [{"name": "y", "dtypes": [0, 1]}], "attrs": []}], "structs": [{"name": "T", "size": 8,
                "fields": [{"name": "n", "type": "unsigned int", "kind": "array", "count": 2, "offset": 0}]}],
                "tiling": [{"op": "Sqrt", "class": "T"}], "default_tiling_class": "T"})",
     R"({"status": "ok", "block_dim": 8, "tiling_key": 1, "tiling_hex": "00ff", "workspaces": [32, 0]})"},
    [](const std::string& text) {
      const Json described = base::Parse(text);
      if (described.is_discarded()) return Depth::kUnreadable;
      static const task::TaskSpec kTask = *task::LoadTaskFolder(kSqrt);
      static const task::CaseDesc kCase = *task::ResolveCase(kTask, kTask.cases[0]);
      static const chip::Chip kChip = *chip::LoadChip();
      const auto tiling = judge::TileReplyFromJson(described);
      if (tiling.ok()) (void)tiling->WorkspaceBytes(kChip);
      const auto host = judge::DescriptionFromJson(described);
      if (!host.ok()) return tiling.ok() ? Depth::kTaken : Depth::kRefused;
      const judge::OperatorDefinition op = judge::ChooseOp(*host, kTask);
      (void)judge::KernelPrelude(*host, op, kCase);
      if (auto files = judge::NewTask({{}, op, {}, {}}); files.ok())
        (void)Task((*files)["task.toml"], (*files)["cases.json"]);
      return Depth::kTaken;
    });

AKGEN_DOOR(
    kBuilds, "answers of builds",
    {R"({"ok": false, "so": "", "build_ms": 3, "cpu_ms": 2, "failure": "diagnostics", "diagnostics": [{"severity": "error",
                "file": "a.cpp", "line": 3, "col": 1, "message": "m"}], "unsupported_api": "", "rewrites": [{"file": "a", "line": 1,
                "what": "w"}], "entries": [{"symbol": "s"}], "imports": ["memcpy"]})"},
    [](const std::string& text) {
      return DepthOf(base::Checked("fuzz",
                                   [&]() -> Status {
                                     const Json reply = base::Parse(text);
                                     if (reply.is_discarded())
                                       return base::Error{"AK0014", "no JSON", "", ""};
                                     (void)toolchain::ToJson(toolchain::BuildReplyFromJson(reply));
                                     (void)toolchain::BuildRequestFromJson(reply).ok();
                                     (void)sim::ChecksFromJson(reply);
                                     return {};
                                   }),
                     text);
    });

AKGEN_DOOR(kMeasured, "measurements",
           {"kernel,case,us\nadd:UnalignAdd,0,12.5\n\"a,b:Sqrt\",3,1e2\nadd:UnalignAdd,0,13\n",
            "Device_id,Op Name,OP Type,Task Duration(us),Input "
            "Shapes\n0,Sqrt_1,Sqrt,8.5,\"\"\"8,2048;\"\"\"\n"
            "0,Add_2,Add,7.25,\"\"\"16,3;16,3\"\"\"\n",
            "block_id,sub_block_id,aiv_time(us),aiv_total_cycles\n0,vector0,4.5,8100\n1,vector0,4."
            "75,8550\n"},
           [](const std::string& text) {
             for (const auto& names :
                  {std::vector{*judge::ParseKernelName("Sqrt=sqrt:Sqrt")},
                   std::vector{*judge::ParseKernelName("Add=add:UnalignAdd:0")}})
               if (judge::ReadMeasured(text, "measured.csv", names).ok()) return Depth::kTaken;
             return base::ReadCsv(text, "measured.csv").ok() ? Depth::kRefused : Depth::kUnreadable;
           });
}  // namespace
}  // namespace akgen::fuzz
