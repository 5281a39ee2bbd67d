// Texts that describe kernels and cases, and texts that are made for tasks: rows of them, and what
// is read or made in golden/*.txt.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../golden.h"
#include "judge/host/skeleton.h"
#include "judge/measured.h"
#include "judge/run/blame.h"
#include "judge/run/lone_values.h"
#include "judge/run/value_range.h"
#include "judge/session/new_task.h"
#include "judge/session/project_text.h"
#include "made_up_chip.h"

namespace akgen::judge {
namespace {
using base::Dtype;
using base::Json;

std::string Text(const base::Error& e) { return e.code + ": " + e.message; }

std::string Text(const LaunchLine& l) {
  std::string out = fmt::format("blocks {} key {}", l.blocks, l.key);
  for (const auto& a : l.args) {
    out += fmt::format("; {} {} {}+{} {}{}", a.role, a.dtype, a.count, a.spare, a.file, a.literal);
    for (double v : a.values) out += fmt::format(" {}", v);
    if (!a.filled()) continue;
    const auto bytes = BytesOf(a);
    out += !bytes.ok() ? " " + bytes.error().message : " bytes";
    for (size_t i = 0; bytes.ok() && i < std::min<size_t>(12, bytes->size()); ++i)
      out += fmt::format(" {:02x}", (*bytes)[i]);
  }
  return out;
}

const char* const kLaunchLines[] = {"",
                                    "blocks=1",
                                    "blocks=0",
                                    "blocks=65535",
                                    "blocks=65536",
                                    "blocks=-1",
                                    "blocks=99999999999",
                                    "key=18446744073709551615",
                                    "blocks=2 key=3 args=in:f32[4],out:f32[4]",
                                    "what=1",
                                    "blocks",
                                    "args=null",
                                    "args=null,in:f16[1]",
                                    "args=in:f32",
                                    "args=in:f32[",
                                    "args=in:f32[]",
                                    "args=in:f32[x]",
                                    "args=in:f32[4",
                                    "args=in:f32[4]x",
                                    "args=in:f32[4+]",
                                    "args=in:f32[4+2]",
                                    "args=in:f32[4+2+1]",
                                    "args=in:f32[4-2]",
                                    "args=in:f32[0]",
                                    "args=in:f99[4]",
                                    "args=to:f32[4]",
                                    "args=in[4]",
                                    "args=inout:bf16[4]=1;2",
                                    "args=in:f16[4]=1;-2.5;0.1",
                                    "args=in:f32[3]=0.1",
                                    "args=in:i8[4]=-1;200",
                                    "args=in:u64[2]=3",
                                    "args=in:i64[2]=-3",
                                    "args=in:f64[2]=0.5",
                                    "args=in:i32[2]=",
                                    "args=in:i32[2]=a",
                                    "args=in:i32[2]=1;",
                                    "args=in:i32[2]=;1",
                                    "args=in:i32[2]@",
                                    "args=in:i32[2]@/nowhere",
                                    "args=in:i32[2]!",
                                    "args=workspace[1024]",
                                    "args=workspace[1024]=1",
                                    "args=tiling[64]",
                                    "args=tiling[2]=1;2",
                                    "args=tiling:u32[4]=256;1",
                                    "args=tiling[16777216]",
                                    "args=tiling[16777217]",
                                    "args=tiling:u32[4194304]",
                                    "args=tiling:u32[4194305]",
                                    "args=u32=256",
                                    "args=i32=-5",
                                    "args=f32=0.5",
                                    "args=f32=5",
                                    "args=f32=1e3",
                                    "args=u32=0.5",
                                    "args=u32=0x10",
                                    "args=u32=1;2",
                                    "args=u32",
                                    "args=u99=1",
                                    "args=f32=",
                                    "args=in:i8[8589934592]",
                                    "args=in:i8[8589934593]",
                                    "args=in:f32[2147483648]",
                                    "args=in:f32[2147483649]",
                                    "args=in:i8[8589934591],out:i8[1]",
                                    "args=in:i8[8589934591],out:i8[2]",
                                    "args=in:i8[8589934591+1]",
                                    "args=in:i8[8589934591+2]",
                                    "args=in:i8[18446744073709551616]",
                                    "args=in:i8[-1]"};

TEST(Texts, LaunchLines) {
  std::string text;
  for (const char* line : kLaunchLines) {
    const auto launch = ParseLaunch(line, "/");
    text +=
        std::string(line) + "\n  " + (launch.ok() ? Text(*launch) : Text(launch.error())) + "\n";
  }
  EXPECT_EQ(ParseLaunch("args=in:i32[2]@/etc/hostname").error().message,
            "launch line: 'in:i32[2]@/etc/hostname': files are not read here");
  for (const char* source : {"", "// launch: a b\nc", "x // launch: a // tune: 1, 2\n",
                             "// launch:", "//launch: a", "// launch: a\n// launch: b\n"})
    text += fmt::format("comment '{}'\n", LaunchComment(source));
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "launch_lines.txt", text);
}

TEST(Texts, TensorsOfCases) {
  std::string text;
  for (const char* line : {"f16[8,64]",
                           "f32[]",
                           "f32[0]",
                           "i4[8]",
                           "int4[2,4]",
                           "i4[3]",
                           "i4[]",
                           "i4[2];i4[2]",
                           "f16[8",
                           "f16",
                           "[8]",
                           "x[8]",
                           "f16[a]",
                           "f16[-1]",
                           "f16[1.5]",
                           "f16[1000000000000]",
                           "f16[1000000000001]",
                           "f32[8];f32[16]",
                           "f32[8];",
                           "",
                           "f32[2]:1,2",
                           "f32[2]:1,x",
                           "f32[2]:",
                           "f32[2]:0.5,-3",
                           "f32[2]@x.bin",
                           "f32[2]@",
                           "f32[2]~normal(0,1)",
                           "f32[2]~normal(0)",
                           "f32[2]~normal(0,1",
                           "f32[2]~uniform(-1,2.5)",
                           "i32[2]~int(0,9)",
                           "i32[2]~constant(3)",
                           "i32[2]~index(4)",
                           "i32[2]~index(4,5)",
                           "i32[2]~odd(4)",
                           "i32[2]~",
                           "i32[2]~(4)",
                           "f16[1,2,1,8,8,16] as NDC1HWC0 of NCDHW[1,10,2,8,8]",
                           "f16[1,2,8,8,16] as NC1HWC0 of NCHW[1,20,8,8]",
                           "f16[1,2,8,8,16] as NC1HWC0 of NCHW[1,20,8]",
                           "f16[4] as ND of ND[4]",
                           "f16[4] as WHAT of ND[4]",
                           "f16[4] as ND of WHAT[4]",
                           "f16[4] as ND",
                           "f16[4] as ND of ND",
                           "f16[4];f16[4] as ND of ND[4]",
                           "i4[8] as ND of ND[8]",
                           "f16[4] as ND of ND[4]:1,2"}) {
    const auto t = ParseTensor(line);
    text += std::string(line) + "\n  ";
    if (!t.ok()) {
      text += Text(t.error()) + "\n";
      continue;
    }
    text += fmt::format("{} {} dist {} file {}", base::NameOf(t->dtype), Json(t->shapes).dump(),
                        t->dist.dump(), t->file);
    if (t->declared)
      text += fmt::format(" declared {} {} of {} {} {}", t->declared->dtype, t->declared->format,
                          t->declared->origin_format, Json(t->declared->origin).dump(),
                          Json(t->declared->storage).dump());
    text += "\n";
  }
  for (Dtype d : {Dtype::kFloat16, Dtype::kBfloat16, Dtype::kFloat32, Dtype::kComplex64,
                  Dtype::kBool, Dtype::kInt8, Dtype::kUint8, Dtype::kInt64})
    text += fmt::format("{}: {}\n", base::NameOf(d), UsualValues(d).dump());
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "tensor_texts.txt", text);
}

TEST(Texts, SkeletonsOfTasks) {
  std::string text;
  for (const char* name : {"Sqrt", "ClipByValue", "ForeachAddcmulList", "TopKV3", "LayerNormV4"}) {
    const auto task = task::LoadTask(name);
    ASSERT_TRUE(task.ok()) << name;
    const auto files = ProjectSkeleton(*task);
    ASSERT_TRUE(files.ok()) << name;
    for (const auto& [path, content] : *files) text += "## " + path + "\n" + content;
    text += "## the kernel alone\n" + KernelSkeleton(*task);
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "skeletons.txt", text);
}

TEST(Texts, TasksOfDefinitions) {
  ExaminedProject examined;
  examined.project.kernel = "/p/op_kernel/my_op.cpp";
  OperatorDefinition& op = examined.op;
  EXPECT_EQ(NewTask(examined).error().code, "AK0405");
  op.name = "MyOp";
  op.inputs = {{"x", {0, 1}},
               {"l", {3, 3}, {}, Presence::kDynamic},
               {"o", {1}, {}, Presence::kOptional},
               {"n", {}}};
  EXPECT_EQ(NewTask(examined).error().code, "AK0405");
  op.outputs = {{"y", {0, 1}}};
  std::string text;
  const auto add = [&] {
    const auto made = NewTask(examined);
    ASSERT_TRUE(made.ok());
    for (const auto& [name, content] : *made) text += "## " + name + "\n" + content;
  };
  add();
  op.outputs.push_back({"all", {27}, {}, Presence::kDynamic});
  for (const char* type : {"int", "float", "bool", "string", "list_int", "list_float"})
    op.attrs.push_back({std::string("a_") + type, type, {}});
  add();
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "new_tasks.txt", text);
}

std::string Text(const base::Result<std::vector<MeasuredRow>>& rows) {
  if (!rows.ok()) return "  " + Text(rows.error()) + " at " + rows.error().where + "\n";
  std::string out;
  for (const MeasuredRow& r : *rows)
    out += fmt::format("  {} {}: {} {} {} {} us{}{}{}\n", r.line, r.what, r.project, r.task,
                       r.case_id, r.us, r.core ? " core" : "", r.soc,
                       r.untied.empty() ? "" : " untied: " + r.untied);
  return out;
}

TEST(Texts, TablesOfMeasurements) {
  std::string text;
  const std::vector<KernelName> named = {{"neg_0", "p", "Neg", "7"}, {"Neg", "q", "Neg", ""}};
  for (const char* table :
       {"kernel,case,us\np:Neg,7,2.5\na:b:Neg,1,1e3\nNeg,7,1\n:Neg,7,1\np:,7,1\n",
        "us,other,case,kernel\n3,x,0,p:Sqrt\n", "kernel,case,us\np:Neg,7,0\n",
        "kernel,case,us\np:Neg,7,1\np:Neg,7,-1\n", "kernel,case,us\np:Neg,7,x\n",
        "kernel,us\np:N,1\n", "",
        "Op Name,OP Type,Task Duration(us),Input "
        "Shapes\nneg_0,Neg,5,\"512,3\"\nneg_1,Neg,6,\"512,3\"\n"
        "neg_2,Neg,7,\"1\"\nneg_3,Neg,8,\"9,9\"\nother,Other,9,\"1\"\nneg_4,Neg,0,\"1\"\n",
        "block_id,aiv_time(us)\n0,2\n1,4\n2,0\n", "block_id,aiv_time(us)\n0,0\n",
        "block_id,aiv_time(us)\n"})
    for (const auto& names : {named, std::vector<KernelName>{named[0]}, {}})
      text += fmt::format("{}names {}\n{}", table, names.size(),
                          Text(ReadMeasured(table, "t.csv", names)));
  for (const char* name : {"n=p:T", "n=p:T:3", "n=a:b:T:3", "n=p", "n=", "=p:T", "p:T",
                           "n=p:", "n=:T", "n=p:T:", "n=a=b:T"}) {
    const auto n = ParseKernelName(name);
    text += fmt::format("{}: {}\n", name,
                        n ? n->name + " " + n->project + " " + n->task + " " + n->case_id : "none");
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "measured.txt", text);
}

template <class T>
std::string Values(Dtype dtype, const std::vector<T>& elements) {
  const auto v = ValuesOf("v", dtype, reinterpret_cast<const uint8_t*>(elements.data()),
                          elements.size() * sizeof(T) / size_t(base::SizeOf(dtype)));
  return fmt::format("{} elements, nan {} infinite {}, {} to {}", v.elements, v.nan, v.infinite,
                     v.low ? fmt::format("{}", *v.low) : "none",
                     v.high ? fmt::format("{}", *v.high) : "none");
}

TEST(Texts, WhatTensorsHold) {
  EXPECT_EQ(Values<float>(Dtype::kFloat32, {NAN, -INFINITY, 2, -3, INFINITY}),
            "5 elements, nan 1 infinite 2, -3 to 2");
  EXPECT_EQ(Values<float>(Dtype::kFloat32, {NAN}), "1 elements, nan 1 infinite 0, none to none");
  EXPECT_EQ(Values<uint16_t>(Dtype::kFloat16, {0x3c00, 0xc000}),
            "2 elements, nan 0 infinite 0, -2 to 1");
  EXPECT_EQ(Values<uint16_t>(Dtype::kBfloat16, {0x3f80, 0xc000}),
            "2 elements, nan 0 infinite 0, -2 to 1");
  EXPECT_EQ(Values<uint8_t>(Dtype::kUint8, {200, 3}), "2 elements, nan 0 infinite 0, 3 to 200");
  EXPECT_EQ(Values<uint8_t>(Dtype::kInt8, {200, 3}), "2 elements, nan 0 infinite 0, -56 to 3");
  EXPECT_EQ(Values<int16_t>(Dtype::kInt16, {-2, 3}), "2 elements, nan 0 infinite 0, -2 to 3");
  EXPECT_EQ(Values<int16_t>(Dtype::kUint16, {-2, 3}), "2 elements, nan 0 infinite 0, 3 to 65534");
  EXPECT_EQ(Values<int32_t>(Dtype::kUint32, {-2, 3}),
            "2 elements, nan 0 infinite 0, 3 to 4294967294");
  EXPECT_EQ(Values<int64_t>(Dtype::kInt64, {-2, 3}), "2 elements, nan 0 infinite 0, -2 to 3");
  EXPECT_EQ(Values<double>(Dtype::kFloat64, {-2, 3}), "2 elements, nan 0 infinite 0, -2 to 3");
  EXPECT_EQ(Values<double>(Dtype::kComplex64, {1, 2}),
            "2 elements, nan 0 infinite 0, none to none");
}

TEST(Texts, DifferencesOfLoneKernels) {
  const float expected[] = {1, 0, NAN, INFINITY, -100};
  const auto difference = [&](std::vector<float> got, double tolerance) {
    return LoneDifference(Dtype::kFloat32, reinterpret_cast<const uint8_t*>(got.data()),
                          reinterpret_cast<const uint8_t*>(expected), got.size(), tolerance);
  };
  EXPECT_EQ(difference({1, 0, NAN, INFINITY, -100}, 0), "");
  EXPECT_EQ(difference({1.25, 0.125, NAN, INFINITY, -112.5}, 0.125), "");
  EXPECT_EQ(difference({1.2501f, 0, NAN, INFINITY, -100}, 0.125),
            "1 of 5 elements are wrong; the first is 0: 1.2501, expected 1");
  EXPECT_EQ(difference({1, 0.1251f, NAN, INFINITY, -113}, 0.125),
            "2 of 5 elements are wrong; the first is 1: 0.1251, expected 0");
  EXPECT_EQ(difference({1, 0, NAN, 5, -100}, 0.125),
            "1 of 5 elements are wrong; the first is 3: 5, expected inf");
  EXPECT_EQ(difference({1, 0, 3, -INFINITY, NAN}, 0.125),
            "3 of 5 elements are wrong; the first is 2: 3, expected nan");
}

TEST(Texts, WhoIsBlamed) {
  using record::Verdict;
  toolchain::BuildReply reply;
  EXPECT_EQ(VerdictOf(reply), Verdict::kBuildError);
  for (const char* failure : {"diagnostics", "link", "timeout", "memory", "crash", "infra"}) {
    reply.failure = failure;
    const bool infra = reply.failure == "infra",
               repeatable = reply.failure == "diagnostics" || reply.failure == "link";
    EXPECT_EQ(VerdictOf(reply), infra ? Verdict::kInfraError : Verdict::kBuildError) << failure;
    EXPECT_EQ(Repeatable(reply), repeatable) << failure;
    reply.ok = true;
    EXPECT_TRUE(Repeatable(reply)) << failure;
    reply.ok = false, reply.unsupported_api = "Api";
    EXPECT_EQ(VerdictOf(reply), Verdict::kUnsupported) << failure;
    reply.unsupported_api.clear();
  }
  for (Verdict v :
       {Verdict::kPass, Verdict::kWrongAnswer, Verdict::kFinding, Verdict::kRuntimeError,
        Verdict::kTimeout, Verdict::kBuildError, Verdict::kRejected, Verdict::kUnsupported,
        Verdict::kUndecided, Verdict::kInfraError}) {
    EXPECT_EQ(Repeatable(v),
              v != Verdict::kTimeout && v != Verdict::kUndecided && v != Verdict::kInfraError);
    EXPECT_EQ(VerdictOfBrokenRun(record::Backend::kNative, v), v);
    EXPECT_EQ(VerdictOfBrokenRun(record::Backend::kGuest, v), Verdict::kInfraError);
  }
  EXPECT_FALSE(WhyNotLoaded("memcpy") || WhyNotLoaded("atexit") || WhyNotLoaded("at_quick_exit") ||
               WhyNotLoaded("pthread_atfork"));
  EXPECT_EQ(*WhyNotLoaded("_ZN3foo3barEv"),
            "the object cannot be loaded: undefined symbol: 'foo::bar()'");
  EXPECT_FALSE(OutcomeOfLoading("stopped", "something else"));
  EXPECT_FALSE(OutcomeOfLoading("crash", "undefined symbol: 'foo'"));
  EXPECT_EQ(OutcomeOfLoading("stopped", "undefined symbol: 'foo'")->verdict, Verdict::kBuildError);
}

// Kernels of their own, on a chip that negates.
TEST(Texts, LoneKernels) {
  const auto dir = base::TempDir::Create();
  ASSERT_TRUE(dir.ok());
  const std::string file = (dir->path() / "k.cpp").string();
  ASSERT_TRUE(base::WriteFileAtomic(file,
                                    "extern \"C\" __global__ __aicore__ void k(GM_ADDR x, "
                                    "GM_ADDR y, GM_ADDR w, GM_ADDR t, int n) {}\n")
                  .ok());
  std::string text;
  const auto run = [&](const char* name, const std::string& launch, auto change) {
    auto chip = std::make_unique<MadeUpChip>();
    Options options;
    options.seed = 3;
    change(*chip, options);
    const MadeUpChip& asked = *chip;
    Judge judge(std::move(chip));
    const auto r = judge.RunKernel(file, launch, options);
    text += "## " + std::string(name) + ": " + launch + "\n" + asked.asked;
    if (!r.ok()) {
      text += Text(r.error()) + "\n";
      return;
    }
    text += fmt::format("{}: {} findings {} options {} diagnostics {}\n",
                        record::NameOf(r->verdict), r->reason, r->findings.size(),
                        Json(r->build_options).dump(), r->diagnostics.size());
  };
  const auto none = [](MadeUpChip&, Options&) {};
  const std::string usual =
      "blocks=3 key=4 args=in:i32[8],out:i32[8+2],workspace[64],tiling[5],i32=7";
  run("all is well", usual, none);
  run("no such word", "what", none);
  run("expected", "args=in:i32[3]=1;2,out:i32[3]=-1;-2", none);
  run("expected otherwise", "args=in:i32[3]=1;2,out:i32[3]=-1;-3", none);
  run("in and out", "args=in:i32[3]=1,inout:i32[3]=5", none);
  run("nothing there", "args=null,null", none);
  run("no builder", usual, [](MadeUpChip& c, Options&) { c.broken = "gone"; });
  run("does not build", usual, [](MadeUpChip& c, Options&) {
    c.kernel_build.ok = false, c.kernel_build.failure = "diagnostics";
    c.kernel_build.diagnostics = {{"error", "k.cpp", 3, 4, "m", {}}};
  });
  run("no such chip", usual, [](MadeUpChip&, Options& o) { o.chip = "none"; });
  run("no runnable chip", usual, [](MadeUpChip&, Options& o) { o.chip = "310P3"; });
  run("without synchronisation", usual,
      [](MadeUpChip&, Options& o) { o.checks = {{"auto_sync", false}}; });
  for (const char* status : {"deadlock", "crash", "stopped", "unsupported", "timeout", "memory",
                             "killed", "error", "malformed"})
    run(status, usual, [&](MadeUpChip& c, Options&) {
      c.answers[0].reply.status = status, c.answers[0].reply.detail = "d";
    });
  for (const bool warning : {true, false})
    run(warning ? "a warning" : "a finding", "args=in:i32[3]=1;2,out:i32[3]=-1;-3",
        [&](MadeUpChip& c, Options&) {
          sim::RunFinding f;
          f.finding.code = "AK1", f.finding.message = "m", f.finding.warning = warning;
          c.answers[0].reply.findings = {f};
        });
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "lone_kernels.txt", text);
}
}  // namespace
}  // namespace akgen::judge
