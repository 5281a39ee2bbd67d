#include "lm/model/model.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/variable.h>

#include "base/files.h"
#include "lm/model/adapter.h"
#include "lm/model/attention_tiles.h"
#include "lm/model/checkpoint.h"

namespace akgen::lm {
namespace {
namespace fs = std::filesystem;
using base::Json;
const fs::path kModelData = AKGEN_LM_DATA;

class LmModel : public testing::TestWithParam<const char*> {
 protected:
  void TearDown() override { UseFused(true); }
};

at::Tensor Ids(const std::vector<int64_t>& ids) { return at::tensor(ids, at::kLong); }

// All rows at once, as one packed batch: sequences must not see each other.
void CompareWithReference(const Checkpoint& c, const Json& rows) {
  at::NoGradGuard no_grad;
  Weights w = c.model->View(c.flat);
  std::vector<int64_t> ids, lengths;
  for (const Json& r : rows) {
    auto part = r["ids"].get<std::vector<int64_t>>();
    ids.insert(ids.end(), part.begin(), part.end()), lengths.push_back(int64_t(part.size()));
  }
  Packing p = c.model->Pack(lengths);
  at::Tensor hidden = c.model->Hidden(w, Ids(ids), p);
  for (size_t i = 0; i < rows.size(); ++i) {
    at::Tensor logits = at::linear(hidden[p.start[i + 1] - 1], w.head),
               expected = at::tensor(rows[i]["last_logits"].get<std::vector<float>>());
    EXPECT_LT((logits - expected).abs().max().item<float>(), 1e-4f) << "row " << i;
    EXPECT_GT(expected.abs().max().item<float>(), 0.5f);
    int64_t n = lengths[i] - 1;
    if (n == 0) continue;
    at::Tensor log_p = TokenLogProbs(hidden.narrow(0, p.start[i], n), w.head,
                                     Ids(ids).narrow(0, p.start[i] + 1, n));
    EXPECT_LT((log_p - at::tensor(rows[i]["log_p_next"].get<std::vector<float>>()))
                  .abs()
                  .max()
                  .item<float>(),
              1e-4f)
        << "row " << i;
  }
}

TEST_P(LmModel, LogitsAgreeWithTheReferenceImplementation) {
  auto c = LoadCheckpoint(kModelData / GetParam());
  ASSERT_TRUE(c.ok()) << c.error().ToString();
  Json rows = Json::parse(*base::ReadFile(kModelData / (std::string(GetParam()) + "_logits.json")));
  for (bool fused : {true, false}) {
    UseFused(fused);
    CompareWithReference(*c, rows);
  }
}

TEST_P(LmModel, CheckpointIsWrittenByteForByte) {
  auto c = LoadCheckpoint(kModelData / GetParam());
  ASSERT_TRUE(c.ok());
  EXPECT_EQ(c->model->parameter_count(), c->flat.numel());
  auto dir = base::TempDir::Create();
  ASSERT_TRUE(SaveCheckpoint(*c->model, c->flat, dir->path()).ok());
  EXPECT_EQ(*base::ReadFile(dir->path() / "model.safetensors"),
            *base::ReadFile(kModelData / GetParam() / "model.safetensors"));
  Json before = Json::parse(*base::ReadFile(kModelData / GetParam() / "config.json")),
       after = Json::parse(*base::ReadFile(dir->path() / "config.json"));
  for (auto it = before.begin(); it != before.end(); ++it)
    EXPECT_EQ(after[it.key()], *it) << it.key();
}

TEST_P(LmModel, ShardsHoldTheSame) {
  auto c = LoadCheckpoint(kModelData / GetParam());
  ASSERT_TRUE(c.ok());
  auto dir = base::TempDir::Create();
  ASSERT_TRUE(SaveCheckpoint(*c->model, c->flat, dir->path(), "F32", 50000).ok());
  ASSERT_FALSE(fs::exists(dir->path() / "model.safetensors"));
  auto again = LoadCheckpoint(dir->path());
  ASSERT_TRUE(again.ok()) << again.error().ToString();
  EXPECT_TRUE(at::equal(again->flat, c->flat));
}

// Gradients of the fused loops against those of libtorch's own operations.
TEST_P(LmModel, FusedGradientsAgree) {
  auto c = LoadCheckpoint(kModelData / GetParam());
  ASSERT_TRUE(c.ok());
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < 60; ++i) ids.push_back((i * 37 + 11) % 160);
  at::Tensor grads[2];
  for (bool fused : {true, false}) {
    UseFused(fused);
    at::Tensor grad = grads[fused] = at::zeros_like(c->flat);
    Weights w = c->model->View(c->flat, grad);
    Packing p = c->model->Pack({13, 1, 46});
    at::Tensor hidden = c->model->Hidden(w, Ids(ids), p);
    at::Tensor weight = at::linspace(0.1, 1.0, 59);
    (TokenLogProbs(hidden.narrow(0, 0, 59), w.head, Ids(ids).narrow(0, 1, 59)) * weight)
        .sum()
        .backward();
  }
  EXPECT_GT(grads[0].abs().max().item<float>(), 1e-2f);
  for (const Parameter& p : c->model->parameters()) {
    at::Tensor a = grads[0].narrow(0, p.at, p.size), b = grads[1].narrow(0, p.at, p.size);
    EXPECT_LT((a - b).abs().max().item<float>(), 1e-4f * (1 + a.abs().max().item<float>()))
        << p.name;
    EXPECT_GT(a.abs().max().item<float>(), 0.0f) << p.name;
  }
}

// Products of operands rounded to bfloat16: the same function within its eight bits, and not the
// same numbers.
TEST_P(LmModel, ShortProductsAreNear) {
  auto c = LoadCheckpoint(kModelData / GetParam());
  ASSERT_TRUE(c.ok());
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < 60; ++i) ids.push_back((i * 37 + 11) % 160);
  at::Tensor log_p[2], grads[2];
  for (bool rounded : {false, true}) {
    UseShortProducts(rounded);
    grads[rounded] = at::zeros_like(c->flat);
    Weights w = c->model->View(c->flat, grads[rounded]);
    Packing p = c->model->Pack({13, 1, 46});
    at::Tensor hidden = c->model->Hidden(w, Ids(ids), p);
    log_p[rounded] = TokenLogProbs(hidden.narrow(0, 0, 59), w.head, Ids(ids).narrow(0, 1, 59));
    log_p[rounded].sum().backward();
  }
  UseShortProducts(false);
  float apart = (log_p[0] - log_p[1]).abs().max().item<float>();
  EXPECT_GT(apart, 1e-6f);
  EXPECT_LT(apart, 0.1f);
  EXPECT_LT((grads[0] - grads[1]).norm().item<float>(), 0.05f * grads[0].norm().item<float>());
}

// A and B beside frozen matrices: values and gradients are those of the matrices with the product
// added.
TEST_P(LmModel, AdaptersLearnBesideFrozenWeights) {
  auto c = LoadCheckpoint(kModelData / GetParam());
  ASSERT_TRUE(c.ok());
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < 60; ++i) ids.push_back((i * 37 + 11) % 160);
  for (const AdapterShape& shape :
       {AdapterShape{3, 0.7, {}, {}}, AdapterShape{3, 0.7, {"k_proj", "up_proj"}, {}},
        AdapterShape{3, 0.7, {}, {1}}}) {
    auto adapter = Adapter::Create(*c->model, shape, "");
    ASSERT_TRUE(adapter.ok());
    EXPECT_EQ(adapter->first_layer(), shape.layers.empty() ? 0 : 1);
    at::Tensor flat = adapter->InitialFlat(5) + 0.05 * at::sin(at::arange(adapter->flat_size())),
               merged = c->flat.clone();
    adapter->Merge(flat, c->flat, merged);
    at::Tensor grad = at::zeros_like(flat), of_weights = at::zeros_like(merged), values[2];
    for (bool beside : {false, true}) {
      Weights w = beside ? c->model->View(c->flat) : c->model->View(merged, of_weights);
      if (beside) adapter->Attach(*c->model, flat, grad, w);
      Packing p = c->model->Pack({13, 1, 46});
      values[beside] = TokenLogProbs(c->model->Hidden(w, Ids(ids), p).narrow(0, 0, 59), w.head,
                                     Ids(ids).narrow(0, 1, 59));
      values[beside].sum().backward();
    }
    EXPECT_LT((values[0] - values[1]).abs().max().item<float>(), 2e-4f);
    std::map<std::string, const NamedPart*> parts;
    for (const NamedPart& p : c->model->parts()) parts[p.name] = &p;
    size_t pairs = 0;
    for (size_t i = 0; i < adapter->parameters().size(); i += 2, ++pairs) {
      const Parameter &a = adapter->parameters()[i], &b = adapter->parameters()[i + 1];
      const std::string module =
          a.name.substr(17, a.name.size() - 17 - 14);  // base_model.model. … .lora_A.weight
      const NamedPart& whole = *parts.at(module + ".weight");
      auto view = [](const at::Tensor& t, const auto& p) {
        return t.narrow(0, p.at, p.size).view(p.shape);
      };
      at::Tensor dw = view(of_weights, whole), da = 0.7 * at::mm(view(flat, b).t(), dw),
                 db = 0.7 * at::mm(dw, view(flat, a).t());
      const float most = 1e-3f * (1 + db.abs().max().item<float>());
      EXPECT_LT((view(grad, a) - da).abs().max().item<float>(), most) << a.name;
      EXPECT_LT((view(grad, b) - db).abs().max().item<float>(), most) << b.name;
      EXPECT_GT(view(grad, b).abs().max().item<float>(), 0.0f) << b.name;
    }
    EXPECT_GT(pairs, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Tiny, LmModel,
                         testing::Values("qwen2_tiny", "qwen3_tiny", "qwen3_moe_tiny"));

// Longer than a block of queries.
TEST(LmAttention, LongSequencesAgree) {
  ModelConfig config;
  config.vocab = 50, config.hidden = 32, config.layers = 1, config.heads = 4, config.kv_heads = 2,
  config.head_dim = 8, config.mlp = 16, config.context = 400;
  Model model(config);
  at::Tensor flat = model.InitialFlat(3) * 5, grads[2];
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < 500; ++i) ids.push_back(i * i % 50);
  for (bool fused : {true, false}) {
    UseFused(fused);
    grads[fused] = at::zeros_like(flat);
    Weights w = model.View(flat, grads[fused]);
    Packing p = model.Pack({300, 129, 71});
    (model.Hidden(w, Ids(ids), p) * at::linspace(-1, 1, 32)).sum().backward();
  }
  UseFused(true);
  EXPECT_LT((grads[0] - grads[1]).abs().max().item<float>(),
            2e-4f * grads[0].abs().max().item<float>());
}

// In the processor's tiles: segments of one row, of odd lengths, of whole blocks; several heads on
// one head of keys.
TEST(LmAttention, TilesAgree) {
  for (kernels::AttentionShape s :
       {kernels::AttentionShape{4, 2, 32, 1e-6f}, kernels::AttentionShape{2, 2, 64, 1e-6f},
        kernels::AttentionShape{3, 1, 96, 1e-6f}}) {
    if (!kernels::TilesTake(s)) GTEST_SKIP() << "this processor has no tiles for bfloat16";
    const std::vector<int64_t> start = {0, 1, 16, 48, 101, 400, 464};
    const int64_t n = start.back(), out_width = s.heads * s.head_dim;
    at::manual_seed(7);
    at::Tensor rows = at::randn({n, s.width()}), d_out = at::randn({n, out_width}), out[2], lse[2],
               d_rows[2];
    auto data = [](const at::Tensor& t) { return t.data_ptr<float>(); };
    for (bool tiles : {false, true}) {
      out[tiles] = at::full({n, out_width}, 7.0f), lse[tiles] = at::full({s.heads, n}, 7.0f),
      d_rows[tiles] = at::full_like(rows, 7.0f);
      if (tiles) {
        kernels::TileAttention(s, data(rows), start.data(), 6, data(out[1]), data(lse[1]));
        kernels::TileAttentionBackward(s, data(d_out), data(rows), data(out[1]), data(lse[1]),
                                       start.data(), 6, data(d_rows[1]));
      } else {
        kernels::Attention(s, data(rows), start, data(out[0]), data(lse[0]));
        kernels::AttentionBackward(s, data(d_out), data(rows), data(out[0]), data(lse[0]), start,
                                   data(d_rows[0]));
      }
    }
    auto near = [](const at::Tensor* t, const char* what) {
      EXPECT_LT((t[0] - t[1]).norm().item<float>(), 0.01f * t[0].norm().item<float>()) << what;
      EXPECT_LT((t[0] - t[1]).abs().max().item<float>(), 0.05f) << what;
    };
    near(out, "out"), near(lse, "lse"), near(d_rows, "d_rows");
  }
}

TEST(LmCheckpoint, MismatchIsNamed) {
  auto dir = base::TempDir::Create();
  auto code = [&](const Json& config) {
    EXPECT_TRUE(base::WriteFileAtomic(dir->path() / "config.json", config.dump()).ok());
    auto c = LoadCheckpoint(dir->path());
    return c.ok() ? std::string("read") : c.error().code;
  };
  Json config = Json::parse(*base::ReadFile(kModelData / "qwen3_tiny/config.json"));
  EXPECT_EQ(code(config), "AK1901");  // no tensors yet
  fs::copy(kModelData / "qwen3_tiny/model.safetensors", dir->path());
  EXPECT_EQ(code(config), "read");
  Json other = config;
  other["intermediate_size"] = 81;
  EXPECT_EQ(code(other), "AK1903");
  other = config;
  other["num_hidden_layers"] = 3;
  EXPECT_EQ(code(other), "AK1903");
  other["num_hidden_layers"] = 1;
  EXPECT_EQ(code(other), "AK1903");
}

TEST(LmCheckpoint, RefusesOtherDecoders) {
  Json config = Json::parse(*base::ReadFile(kModelData / "qwen3_tiny/config.json"));
  EXPECT_TRUE(ModelConfig::FromJson(config, "config.json").ok());
  for (Json patch :
       {Json{{"model_type", "llama"}}, Json{{"num_key_value_heads", 3}}, Json{{"hidden_size", -1}},
        Json{{"hidden_size", "big"}}, Json{{"attention_bias", true}},
        Json{{"rope_parameters", {{"rope_type", "yarn"}}}}}) {
    Json other = config;
    other.update(patch);
    auto c = ModelConfig::FromJson(other, "config.json");
    ASSERT_FALSE(c.ok()) << patch.dump();
    EXPECT_EQ(c.error().code, "AK1902") << patch.dump();
  }
}

}  // namespace
}  // namespace akgen::lm
