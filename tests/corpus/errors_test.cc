// Mistakes planted in composed kernels become records with a diagnosis.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "../golden.h"
#include "base/files.h"
#include "base/hash.h"
#include "corpus/mistakes/errors.h"
#include "corpus/mistakes/kernels_by_hand.h"
#include "corpus/mistakes/wrong_programs.h"
#include "corpus/records/card.h"
#include "corpus/records/synthetic.h"

namespace akgen::corpus {
namespace {
using base::Json;

// A record by what it is, and a digest of all of it but for versions and times.
std::string Line(Json r) {
  for (const char* side : {"failed_verification", "verification"})
    if (r.contains(side)) {
      r[side].erase("provenance");
      for (Json& c : r[side]["cases"])
        for (const char* key : {"worst", "reference_worst"}) c.erase(key);
    }
  std::string out;
  for (const char* key : {"kind", "class", "name", "dtype", "split", "depth", "kernel"})
    out += r.contains(key) ? r[key].dump() + " " : "";
  const std::string verified = r.contains("verification") ? r["verification"].dump() : "";
  for (const char* side : {"failed_verification", "verification"}) r.erase(side);
  return out + base::Sha256(r.dump()).substr(0, 12) + " " + verified + "\n";
}

std::string Said(const Mistake& m) {
  return m.label.klass + ": " + m.verdict + " " + ClassOf(m) + " " +
         base::Sha256(m.text + m.reason + (m.verdict == "pass" ? "" : DiagnosisOf(m)))
             .substr(0, 12) +
         "\n";
}

TEST(Errors, NeedKernels) {
  auto dir = base::TempDir::Create();
  ASSERT_TRUE(dir.ok());
  auto made = BuildErrors(dir->path(), {});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, "AK0801");
}

TEST(Errors, EachHasItsFailureItsDiagnosisAndTheRightKernel) {
  auto dir = base::TempDir::Create();
  ASSERT_TRUE(dir.ok());
  SyntheticOptions s;
  s.count = 2;
  s.per_build = 2;
  s.workers = 1;
  auto kernels = BuildSynthetic(dir->path(), s);
  ASSERT_TRUE(kernels.ok()) << kernels.error().message;
  ErrorOptions o;
  o.count = 100;
  o.per_kernel = 8;
  o.per_program = 10;
  o.per_build = 2;
  auto made = BuildErrors(dir->path(), o);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made->mutants, 16u);
  EXPECT_GE(made->programs, 10u);
  EXPECT_GE(made->records, 6u);
  std::set<std::string> classes;
  std::string said;
  ASSERT_TRUE(EachRecord(dir->path(), [&](const Json& r) {
                said += Line(r);
                if (r["kind"] != "repair") return base::Status{};
                const std::string klass = r["class"], path = r["kernel"];
                classes.insert(klass);
                EXPECT_NE(r["failing"], r["files"][path]);
                EXPECT_EQ(r["verification"]["verdict"], "pass");
                const Json& failed = r["failed_verification"];
                const bool finding = klass.starts_with("AK");
                EXPECT_EQ(failed["verdict"], path.ends_with(".py") ? "refused"
                                             : finding             ? "finding"
                                                                   : klass);
                EXPECT_NE(r["diagnosis"].get<std::string>().find(finding ? klass
                                                                 : klass == "wrong_answer"
                                                                     ? "the output is wrong"
                                                                     : "does not build"),
                          std::string::npos);
                EXPECT_FALSE(r["others_kernel"].get<bool>());
                if (finding) EXPECT_EQ(failed["findings"][0]["place"]["file"], path);
                return base::Status{};
              }).ok());
  EXPECT_GE(classes.size(), 3u);
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "error_records.txt", said);
}

const char* const kProgram = R"(@kernel
def scale_kernel(x: gm[total], y: gm[total], total, per_core, tile, factor):
    first = core() * per_core
    x_ub = ub(tile, dtype=x.dtype)
    y_ub = ub(tile, dtype=y.dtype)
    for i, n in tiles(first, min(first + per_core, total), tile):
        with copyin:
            load(x_ub, x[i : i + n])
        with compute:
            y_ub[:] = x_ub * factor
        with copyout:
            store(y[i : i + n], y_ub)


@host
def scale(x: tensor(f16, f32), factor: float = 2.0):
    y = empty(x.shape, x.dtype)
    per_core = align(ceil_div(x.numel, vector_cores()), 64)
    tile = fit(per_core, 64)
    scale_kernel[ceil_div(x.numel, per_core)](x, y, x.numel, per_core, tile, factor)
    return y
)";

TEST(Errors, SlipsInAProgramAreThoseThatTheCompilerRefuses) {
  auto slips = WrongPrograms(kProgram, *craft::LoadTarget(), 200, 7);
  std::set<std::string> codes, faults;
  size_t accepted = 0;
  for (const Mistake& m : slips) {
    EXPECT_NE(m.text, kProgram);
    accepted += m.verdict == "pass";
    if (m.verdict == "pass") {
      EXPECT_EQ(ClassOf(m), "");
      continue;
    }
    ASSERT_EQ(m.verdict, "refused");
    codes.insert(ClassOf(m));
    faults.insert(m.label.klass);
    EXPECT_NE(DiagnosisOf(m).find("The compiler reports " + ClassOf(m)), std::string::npos);
  }
  EXPECT_GT(accepted, 0u);
  EXPECT_GE(codes.size(), 6u);
  EXPECT_GE(faults.size(), 8u);
  auto again = WrongPrograms(kProgram, *craft::LoadTarget(), 200, 7);
  ASSERT_EQ(again.size(), slips.size());
  for (size_t i = 0; i < slips.size(); ++i) EXPECT_EQ(again[i].text, slips[i].text);
  std::string said;
  for (const Mistake& m : slips) said += Said(m);
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "wrong_programs.txt", said);
}

// Text of a kernel that copies the fill of a vector instruction out, with or without the flag
// between both.
std::string FillKernel(const std::string& heading, const std::string& order) {
  return heading + R"(#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 256);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();
  Duplicate(t, 1.0f, 256);
)" + order +
         "  DataCopy(yGm, t, 256);\n}\n";
}

TEST(Errors, KernelsByHandTeachTheFaultsOfSynchronisation) {
  auto dir = base::TempDir::Create();
  ASSERT_TRUE(dir.ok());
  const std::string
      launch = "// launch: blocks=1 args=out:f32[256]\n",
      flags =
          "  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);\n  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);\n";
  auto write = [&](const char* name, const std::string& text) {
    ASSERT_TRUE(base::WriteFileAtomic(dir->path() / name, text).ok());
  };
  write("fill_ok.cpp", FillKernel("// A fill, ordered.\n" + launch + "// expect: clean\n", flags));
  write("fill.cpp",
        FillKernel("// Nothing orders the fill and the copy.\n" + launch + "// expect: AK1201\n",
                   ""));
  write("broken.cpp", FillKernel(launch, "  int broken = ;\n"));
  write("noise.cpp", std::string("\0\xff\xfe no kernel", 14));
  auto kernels = KernelsByHand::Find({dir->path().string()}, 1);
  ASSERT_TRUE(kernels.ok());
  ASSERT_EQ(kernels->size(), 2u);
  size_t unusable = 0;
  std::string why_not;
  for (size_t i = 0; i < kernels->size(); ++i) {
    auto lesson = kernels->Examine(i, 6, "910B2");
    ASSERT_TRUE(lesson.ok()) << lesson.error().message;
    if (!lesson->unusable.empty()) {
      ++unusable;
      why_not += lesson->unusable + "\n";
      continue;
    }
    EXPECT_TRUE(
        lesson->record["others_kernel"].get<bool>());  // it does not lie in akgen's own tree
    EXPECT_EQ(lesson->mistakes.size(), 7u);
    Json record = lesson->record;
    for (const char* key : {"verification", "source", "of"}) record.erase(key);
    ExpectGolden(AKGEN_GOLDEN_FOLDER, "kernel_by_hand.txt", record.dump(1) + "\n");
    const Mistake& twin = lesson->mistakes[0];
    EXPECT_EQ(ClassOf(twin), "AK1201");
    EXPECT_EQ(twin.text.find("//"), std::string::npos);  // the heading would give the answer away
    const std::string why = DiagnosisOf(twin);
    EXPECT_NE(why.find("Nothing orders the fill and the copy."), std::string::npos) << why;
    EXPECT_NE(why.find("SetFlag<HardEvent::V_MTE3>(EVENT_ID0)"), std::string::npos) << why;
    std::set<std::string> classes;
    for (const Mistake& m : lesson->mistakes) classes.insert(ClassOf(m));
    EXPECT_GE(classes.size(), 3u);
  }
  EXPECT_EQ(unusable, 1u) << why_not;
  EXPECT_EQ(KernelsByHand::Find({(dir->path() / "none").string()}, 1).error().code, "AK0801");
}
}  // namespace
}  // namespace akgen::corpus
