// What is drawn, byte by byte: every kind of distribution in every dtype, and the inputs of the
// published cases. A difference changes every reference and every stored result: it needs a new
// generator version (golden/*.txt).
#include <gtest/gtest.h>

#include <sstream>

#include "../golden.h"
#include "base/hash.h"
#include "task/generate.h"
#include "task/hidden.h"
#include "task/inputs.h"
#include "task/range_draws.h"

namespace akgen::task {
namespace {
using base::Dtype;

std::string DigestOf(const std::vector<uint8_t>& bytes) {
  return base::Sha256({reinterpret_cast<const char*>(bytes.data()), bytes.size()}).substr(0, 12);
}

std::vector<Dist> Kinds() {
  std::vector<Dist> out;
  for (int kind = 0; kind <= int(DistKind::kLines); ++kind)
    for (int form = 0; form < 3; ++form) {
      Dist d;
      d.kind = DistKind(kind);
      d.a = form == 0 ? 0 : form == 1 ? 2 : -3, d.b = form == 0 ? 1 : 9;
      if (d.kind == DistKind::kBool)
        d.a = 0.25 * form, d.count = form == 2 ? 100 : -1, d.length = 300;
      if (d.kind == DistKind::kOnto || d.kind == DistKind::kAscending)
        d.a = 0, d.b = 35, d.length = 300;
      d.length = std::max<int64_t>(d.length, form == 2 ? 30 : 20), d.inner = form == 1 ? 3 : 1;
      d.values = {1.5, -2, 3}, d.stride = form + 1;
      d.abs = form == 2;
      if (form == 1) d.least = -1, d.most = 6;
      if (form) d.specials = {-0.0, 65504, INFINITY}, d.special_fraction = form == 2 ? 0.125 : 0;
      if (d.kind == DistKind::kLines) {
        Dist one, two;
        one.kind = DistKind::kUniform, one.a = 5, one.b = 6, one.spike = -7;
        two.kind = DistKind::kConstant, two.a = 3;
        d.parts = {one, two, Dist()}, d.first = form;
      }
      out.push_back(d);
    }
  return out;
}

TEST(GeneratorGolden, EveryKindInEveryDtype) {
  std::ostringstream text;
  for (const Dist& d : Kinds()) {
    text << int(d.kind) << " " << d.a << " " << d.b << (d.abs ? " abs" : "") << ":";
    std::vector<double> values(300);
    DrawValues(d, 11, 0, 300, values.data());
    for (int i : {0, 1, 2, 19, 20, 21, 59, 60, 61}) text << " " << values[size_t(i)];
    text << "\n ";
    for (Dtype dtype : {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16, Dtype::kFloat64,
                        Dtype::kInt8, Dtype::kUint8, Dtype::kInt16, Dtype::kInt32, Dtype::kInt64,
                        Dtype::kBool, Dtype::kComplex64}) {
      if (dtype == Dtype::kComplex64 && d.length == 300)
        continue;  // twice as many numbers as there are places
      std::vector<uint8_t> bytes(size_t(300 * SizeOf(dtype)));
      Fill(d, dtype, 11, 300, bytes.data());
      text << " " << DigestOf(bytes);
    }
    text << "\n";
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "kinds.txt", text.str());
}

TEST(GeneratorGolden, InputsOfPublishedCases) {
  std::string text;
  for (const TaskInfo& info : ListTasks()) {
    const auto task = LoadTaskFolder(info.folder);
    ASSERT_TRUE(task) << info.name;
    text += info.name + ":";
    for (const CaseRow& row : task->cases) {
      const auto c = ResolveCase(*task, row);
      ASSERT_TRUE(c) << info.name;
      int64_t bytes = 0;
      for (const TensorDesc& t : Flatten(c->inputs)) bytes += int64_t(t.Bytes());
      if (bytes > 1 << 18) continue;
      const auto inputs = GenerateInputs(*task, *c, 1);
      ASSERT_TRUE(inputs) << info.name;
      std::vector<uint8_t> all;
      for (size_t i = 0; i < inputs->tensors.size(); ++i)
        all.insert(all.end(), inputs->Bytes(i).begin(), inputs->Bytes(i).end());
      text += " " + row.id + " " + DigestOf(all);
    }
    text += "\n";
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "inputs.txt", text);
}

base::Json Alternatives(const RangeDraws& draws) {
  base::Json out{
      {"wide", draws.Wide()},
      {"edges", draws.Edges()},
      {"limits", draws.Limits()},
      {"constant", draws.Constant(0.5)},
      {"around", draws.Around({1, 3})},
      {"whole", draws.Whole()},
      {"spots", draws.Spots()},
      {"weights", draws.Weights()},
      {"scaled", {draws.Scaled({0.5}), draws.Scaled({2, 0x1p20})}},
      {"special", {draws.Special(0, true), draws.Special(0, false)}},
      {"indices", draws.Indices()},
      {"numbers", {draws.Numbers(0), draws.Numbers(1)}},
      {"facts",
       {IsReduction(draws.of()), LargestNumber(draws.of()), RankOf(draws.of()), draws.Lined()}}};
  for (int axis : {-1, 0}) {
    if (RankOf(draws.of()) == 0) break;
    out["lines"].push_back(
        {LinesAlong(draws.of(), axis), draws.Lines(axis, 0, false), draws.Lines(axis, 2, true)});
  }
  return out;
}

// Of one task in full, of the others a digest.
TEST(GeneratorGolden, RangeGroupAndHiddenShapes) {
  std::string text;
  for (const TaskInfo& info : ListTasks()) {
    const auto task = LoadTaskFolder(info.folder);
    ASSERT_TRUE(task) << info.name;
    const CaseRow& row = task->cases.back();
    const auto c = ResolveCase(*task, row);
    ASSERT_TRUE(c) << info.name;
    base::Json all;
    for (int turn = 0; turn < 3; ++turn)
      all["range"].push_back(Alternatives(RangeDraws(*task, *c, turn)));
    const Relations relations = Relate(*task, row);
    for (size_t i = 0; i < relations.pointers.size(); ++i) {
      const Relation& r = relations.relations[i];
      all["relations"].push_back({relations.pointers[i], int(r.kind), r.of, r.count});
    }
    for (int attempt = 0; attempt < 3; ++attempt)
      if (const auto again = Redrawn(*task, row, 5, attempt, "h", kHiddenElements))
        all["redrawn"].push_back(ToJson(*again));
    const std::string said = base::Dump(all, 0);
    text += info.name + ": " + base::Sha256(said).substr(0, 12) + "\n";
    if (info.name == "LayerNorm" || info.name == "Gather" || info.name == "FastGelu")
      text += said + "\n";
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "draws.txt", text);
}
}  // namespace
}  // namespace akgen::task
