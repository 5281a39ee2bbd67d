// What each part of the composer makes of a draft, what compositions evaluate to and what is said
// of their kernels: digests in golden/, so that no bound, draw or word changes unseen.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "../golden.h"
#include "base/hash.h"
#include "corpus/compose/choices.h"
#include "corpus/compose/elementwise.h"
#include "corpus/compose/evaluate.h"
#include "corpus/compose/list_composer.h"
#include "corpus/compose/row_operations.h"
#include "corpus/compose/shape_changes.h"
#include "corpus/compose/verify.h"
#include "corpus/records/record.h"

namespace akgen::corpus {
namespace {
using base::Json;

std::string Text(const std::vector<record::GraphArg>& args) {
  std::string out;
  for (const record::GraphArg& a : args) out += " " + record::ToJson(a).dump();
  return out;
}

// All that a draft holds.
std::string Text(const Draft& d) {
  std::string out;
  for (const CompositionInput& i : d.c.inputs) {
    out += i.id + " " + i.shape + " " +
           Json({i.low, i.high, i.without, i.optional, i.missing, i.by, i.single, i.shapes,
                 i.dtypes.size()})
               .dump() +
           "\n";
  }
  for (const CompositionAttr& a : d.c.attrs)
    out += a.id + " " + a.type + " " + Json({a.values, a.by}).dump() + "\n";
  for (const CompositionNode& n : d.c.nodes) {
    out +=
        n.op + Text(n.args) + " " + Json(n.out).dump() + " " + n.shape + " " + std::to_string(n.by);
    for (const Alternative& o : n.others) out += " or " + o.op + Text(o.args) + " " + o.shape;
    out += "\n";
  }
  char bounds[64];
  for (const Draft::Value& v : d.values) {
    std::snprintf(bounds, sizeof bounds, " %.6g %.6g ", v.low, v.high);
    out += v.id + " " + v.shape + bounds + Json({v.depth, v.used, v.leaf, v.result_only}).dump() +
           "\n";
  }
  for (const Draft::Kept& k : d.kept) out += std::to_string(k.value) + (k.statistic ? "s " : "v ");
  return out + Json({d.c.families, d.c.switches}).dump() + "\n";
}

struct Parts {
  Draft d;
  Elementwise e{d};
  ShapeChanges shapes{d, e};
  RowOperations rows{d, e, shapes};
  Choices choices{d, e, rows};
  ListComposer lists{d, e};
  explicit Parts(uint64_t seed) : d(5, seed) {
    const char* const shapes_of[] = {"C", "RC", "ARC", "BARC"};
    d.whole = seed % 5 == 4;
    d.c.dtypes = {d.whole ? base::Dtype::kInt32 : base::Dtype::kFloat32};
    d.full = shapes_of[seed % 4];
    if (seed % 3 == 2 && d.full.size() > 2) d.row_dims = 2;
    d.Input(d.full, seed % 2 ? -2 : 0.125, 3);
    d.Input(d.ShapeOfInput(), -40, seed % 7 ? 9 : 2000);
    d.Input(d.full, -1, -0.5);
  }
};

TEST(Parts, OfADraftMakeWhatTheTableSays) {
  const std::pair<const char*, std::function<void(Parts&)>> rows[] = {
      {"nothing", [](Parts&) {}},
      {"add", [](Parts& p) { p.e.Add(p.e.Add(0, 1), 2, "sub"); }},
      {"mul", [](Parts& p) { p.e.Mul(p.e.Mul(0, 1), 2); }},
      {"scaled", [](Parts& p) { p.e.Scaled(p.e.Scaled(1, -0.5), 3); }},
      {"simple", [](Parts& p) { p.e.Simple("exp", 0, 0, 20); }},
      {"within", [](Parts& p) { p.e.Within(1, 50), p.e.Within(0, 1), p.e.Within(2, 1); }},
      {"above", [](Parts& p) { p.e.Above(1, 0.5), p.e.Above(0, 0.125), p.e.Above(2, 2); }},
      {"unary",
       [](Parts& p) {
         for (size_t v : {0, 1, 2, 0}) p.e.Unary(v);
       }},
      {"binary",
       [](Parts& p) {
         for (size_t v : {0, 1, 2, 0}) p.e.Binary(v);
       }},
      {"again",
       [](Parts& p) {
         for (size_t v : {0, 1, 2}) p.e.Again(v);
       }},
      {"number",
       [](Parts& p) {
         for (size_t v : {0, 1, 2, 0}) p.e.WithNumber(v);
       }},
      {"compare",
       [](Parts& p) {
         for (size_t v : {0, 1, 2}) p.e.Compare(v);
       }},
      {"choice",
       [](Parts& p) {
         for (size_t v : {0, 1, 2}) p.e.Choice(v);
       }},
      {"activation",
       [](Parts& p) {
         for (size_t v : {0, 1, 2}) p.e.Activation(v);
       }},
      {"reduction", [](Parts& p) { p.rows.Reduction(0), p.rows.Reduction(2); }},
      {"norm", [](Parts& p) { p.rows.Norm(0), p.rows.Norm(2); }},
      {"whole", [](Parts& p) { p.rows.Whole(0); }},
      {"quantised", [](Parts& p) { p.rows.Quantised(0), p.rows.Quantised(2); }},
      {"gradients", [](Parts& p) { p.rows.Gradients(); }},
      {"optional", [](Parts& p) { p.choices.Optional(0), p.choices.Optional(2, true); }},
      {"switched", [](Parts& p) { p.choices.Switched(0), p.choices.Switched(2); }},
      {"mode", [](Parts& p) { p.choices.ByMode(0); }},
      {"joined", [](Parts& p) { p.shapes.Joined(0); }},
      {"reshaped", [](Parts& p) { p.shapes.Reshaped(0, "L"); }},
      {"lists", [](Parts& p) { p.lists.Start(), p.lists.Grow(5); }},
  };
  std::string said;
  for (const auto& [name, make] : rows) {
    said += std::string(name) + ":";
    for (uint64_t seed = 0; seed < 120; seed += 4) {
      std::string some;
      for (uint64_t k = seed; k < seed + 4; ++k) {
        Parts p(k);
        make(p);
        some += Text(p.d);
      }
      said += " " + base::Sha256(some).substr(0, 8);
    }
    said += "\n";
    Parts p(1);
    make(p);
    said += Text(p.d);
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "parts.txt", said);
}

// Every case of 600 compositions: each output's size, first, last and largest element.
TEST(Parts, OfCompositionsEvaluateToTheTable) {
  std::string said;
  for (uint64_t i = 0; i < 600; ++i) {
    const Composition c = RandomComposition(13, i);
    for (const Extents& e : c.cases) {
      if (e.b * e.a * e.r * e.c > 4096) continue;
      std::map<std::string, Array> inputs;
      for (size_t k = 0; k < c.inputs.size(); ++k) {
        const CompositionInput& in = c.inputs[k];
        if (!Present(in, e)) continue;
        Array a{ShapeOf(ShapeIn(in, e), e), {}};
        int64_t n = 1;
        for (int64_t extent : a.shape) n *= extent;
        for (int64_t at = 0; at < n; ++at)
          a.v.push_back(in.low + (in.high - in.low) * double((at * 7 + int64_t(k)) % 16) / 16);
        inputs[c.lists && !in.single ? in.id + ".0" : in.id] = std::move(a);
      }
      const auto out = Evaluate(GraphOf(c, e), inputs);
      ASSERT_TRUE(out.ok()) << ReferenceText(c);
      said += std::to_string(i);
      for (const Array& a : *out) {
        double most = 0;
        for (double v : a.v) most = std::max(most, std::abs(v));
        char text[96];
        std::snprintf(text, sizeof text, " %zu: %.4g %.4g %.4g", a.v.size(), a.v.front(),
                      a.v.back(), most);
        said += text;
      }
      said += "\n";
    }
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "evaluated.txt", said);
}

TEST(Parts, ElementsOfEveryDtypeAreNumbers) {
  const auto of = [](base::Dtype dtype, std::vector<uint8_t> bytes) {
    craft::Tensor t;
    t.dtype = dtype, t.bytes = std::move(bytes);
    t.shape = {int64_t(t.bytes.size()) / base::SizeOf(dtype)};
    const Array a = ArrayOf(t);
    EXPECT_EQ(a.shape, t.shape);
    return a.v;
  };
  using base::Dtype;
  using Numbers = std::vector<double>;
  EXPECT_EQ(of(Dtype::kFloat16, {0x00, 0x3c, 0x00, 0xc0}), (Numbers{1, -2}));
  EXPECT_EQ(of(Dtype::kBfloat16, {0x80, 0x3f, 0x00, 0xc0}), (Numbers{1, -2}));
  EXPECT_EQ(of(Dtype::kFloat32, {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}), (Numbers{1, -2}));
  EXPECT_EQ(of(Dtype::kInt8, {1, 0xff}), (Numbers{1, -1}));
  EXPECT_EQ(of(Dtype::kUint8, {1, 0xff}), (Numbers{1, 255}));
  EXPECT_EQ(of(Dtype::kBool, {0, 1, 2}), (Numbers{0, 1, 1}));
  EXPECT_EQ(of(Dtype::kInt32, {1, 1, 0, 0, 0xff, 0xff, 0xff, 0xff}), (Numbers{257, -1}));
  EXPECT_EQ(of(Dtype::kInt64, {1, 1, 0, 0, 0, 0, 0, 0}), (Numbers{257}));
}

// Records of what was planned, with the words about plan and kernel: the first to the letter.
TEST(Parts, RecordsAndReasonsAreThoseOfTheTable) {
  const auto target = craft::LoadTarget();
  ASSERT_TRUE(target.ok());
  std::string said;
  for (uint64_t i = 0; i < 90; ++i) {
    Candidate c = Prepare(1, i, *target);
    said += std::to_string(i) + " " + c.name + " " + std::to_string(c.validations.size()) + " " +
            c.refused.substr(0, 60);
    if (c.refused.empty()) {
      std::string inputs;
      for (const judge::Validation& v : c.validations)
        for (const auto& [name, shape] : v.args.given) inputs += name + Json(shape).dump();
      c.cases.assign(c.composition.cases.size(), {{"inputs", inputs}});
      Json r = RecordOf(c, CanonicalOf(c.composition), craft::Limits(*target), {{"judge", "j"}});
      for (const char* key : {"files", "program", "reference"})
        r[key] = base::Sha256(r[key].dump()).substr(0, 12);
      said += i < 3 ? "\n" + r.dump(1) : " " + base::Sha256(r.dump()).substr(0, 12);
    }
    said += "\n";
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "records.txt", said);
}
}  // namespace
}  // namespace akgen::corpus
