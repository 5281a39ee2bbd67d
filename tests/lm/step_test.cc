// The arithmetic of a training step, held against the formulas; settings and the environment at
// their limits.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "lm/model/blas.h"
#include "lm/train/ranks.h"
#include "lm/train/settings.h"
#include "lm/train/step.h"

namespace akgen::lm {
namespace {
using base::Json;

at::Tensor Drawn(at::IntArrayRef shape, uint64_t seed) {
  return at::randn(shape, at::detail::createCPUGenerator(seed));
}
double Apart(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

TEST(LmStep, ProductsOfTheBlas) {
  const int64_t m = 3, n = 5, k = 4;
  for (bool ta : {false, true})
    for (bool tb : {false, true})
      for (float beta : {0.0f, 0.5f, 1.0f}) {
        const at::Tensor a = Drawn({ta ? k : m, ta ? m : k}, 1),
                         b = Drawn({tb ? n : k, tb ? k : n}, 2);
        at::Tensor wide = Drawn({m, n + 2}, 3);
        const at::Tensor before = wide.clone();
        const at::Tensor want =
            2 * at::mm(ta ? a.t() : a, tb ? b.t() : b) + beta * before.narrow(1, 0, n);
        Gemm(ta, tb, m, n, k, 2, a.data_ptr<float>(), a.size(1), b.data_ptr<float>(), b.size(1),
             beta, wide.data_ptr<float>(), n + 2);
        EXPECT_LT(Apart(wide.narrow(1, 0, n), want), 1e-5) << ta << tb << beta;
        EXPECT_EQ(Apart(wide.narrow(1, n, 2), before.narrow(1, n, 2)), 0) << "beyond a row";
      }
}

// Two parameters: a matrix of a layer, in two parts, and a norm.
struct SmallModel {
  std::vector<Parameter> parameters{{"model.layers.0.qk", {6, 4}, 0, 24, true},
                                    {"model.norm", {5}, 24, 5, false}};
  std::vector<NamedPart> parts{{"q", {4, 4}, 0, 16}, {"k", {2, 4}, 16, 8}, {"norm", {5}, 24, 5}};
  TrainSettings settings;
  at::Tensor flat = Drawn({29}, 4), gradient = Drawn({29}, 5);
};

TEST(LmStep, AdamWAsItsFormula) {
  for (double clip : {0.0, 1.0, 1e9}) {
    SmallModel made;
    made.settings.clip = clip, made.settings.weight_decay = 0.25;
    const TrainSettings& s = made.settings;
    at::Tensor want = made.flat.to(at::kDouble), first = at::zeros_like(want),
               second = at::zeros_like(want);
    Optimizer o(made.parameters, made.parts, s, made.flat);
    for (int64_t step = 1; step <= 3; ++step) {
      at::Tensor g = made.gradient.to(at::kDouble);
      const double norm = g.norm().item<double>(), lr = 0.1;
      EXPECT_NEAR(o.Update(step, lr, made.gradient, made.flat), norm, 1e-5);
      if (clip > 0 && norm > clip) g = g * (clip / norm);
      first = s.beta1 * first + (1 - s.beta1) * g,
      second = s.beta2 * second + (1 - s.beta2) * g * g;
      want.narrow(0, 0, 24).mul_(1 - lr * s.weight_decay);
      want -= lr * (first / (1 - std::pow(s.beta1, step))) /
              ((second / (1 - std::pow(s.beta2, step))).sqrt() + s.epsilon);
      EXPECT_LT(Apart(made.flat.to(at::kDouble), want), 1e-5) << clip << " " << step;
    }
  }
}

TEST(LmStep, MuonAsItsFormula) {
  for (int64_t workers : {1, 2}) {
    SmallModel made;
    made.settings.optimizer = "muon", made.settings.clip = 0, made.settings.workers = workers;
    const TrainSettings& s = made.settings;
    Optimizer o(made.parameters, made.parts, s, made.flat);
    at::Tensor want = made.flat.clone(), momentum = at::zeros_like(want);
    const double lr = 0.1;
    for (int64_t step = 1; step <= 2; ++step) {
      o.Update(step, lr, made.gradient, made.flat);
      momentum = s.momentum * momentum + made.gradient;
      for (const auto& part : {std::pair<int64_t, int64_t>{0, 4}, {16, 2}}) {
        const auto of = [&](const at::Tensor& t) {
          return t.narrow(0, part.first, part.second * 4).view({part.second, 4});
        };
        const at::Tensor update =
            NewtonSchulz(of(made.gradient) + s.momentum * of(momentum), false);
        of(want)
            .mul_(1 - lr * s.weight_decay)
            .sub_(update * (lr * s.muon_scale * 2));  // the longer side: 4
      }
      EXPECT_LT(Apart(made.flat.narrow(0, 0, 24), want.narrow(0, 0, 24)), 1e-5) << workers;
    }
    EXPECT_GT(Apart(made.flat.narrow(0, 24, 5), want.narrow(0, 24, 5)), 0) << "the norm is AdamW's";
  }
}

// Five steps with the published coefficients, against the same in double.
TEST(LmStep, NewtonSchulzIsFiveSteps) {
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{6, 4}, {4, 6}, {5, 5}}) {
    const at::Tensor g = Drawn({rows, columns}, 8);
    at::Tensor x = g.to(at::kDouble);
    x = x / x.norm();
    for (int step = 0; step < 5; ++step) {
      const at::Tensor a = x.mm(x.t());
      x = 3.4445 * x - 4.7750 * a.mm(x) + 2.0315 * a.mm(a).mm(x);
    }
    EXPECT_LT(Apart(NewtonSchulz(g, false).to(at::kDouble), x), 1e-4);
    EXPECT_LT(Apart(NewtonSchulz(g, true).to(at::kDouble), x), 0.3);
    EXPECT_GT(Apart(NewtonSchulz(g, true), NewtonSchulz(g, false)), 0) << "other numbers";
  }
}

TEST(LmStep, NothingIsChangedByWhatIsNotFinite) {
  SmallModel made;
  Optimizer o(made.parameters, made.parts, made.settings, made.flat);
  const at::Tensor before = made.flat.clone();
  made.gradient[3] = INFINITY;
  EXPECT_FALSE(std::isfinite(o.Update(1, 0.1, made.gradient, made.flat)));
  EXPECT_EQ(Apart(made.flat, before), 0);
}

TEST(LmSettings, LearningRateByStep) {
  TrainSettings s;
  s.lr = 8, s.min_lr = 0.25, s.warmup = 4;
  const std::pair<int64_t, double> rows[] = {{0, 2}, {3, 8}, {4, 8}, {8, 5}, {12, 2}, {13, 2}};
  for (const auto& [step, rate] : rows) EXPECT_NEAR(s.LearningRate(step, 12), rate, 1e-12) << step;
  EXPECT_NEAR(s.LearningRate(4, 4), 2, 1e-12);
  EXPECT_NEAR(s.LearningRate(4, 3), 2, 1e-12);
}

TEST(LmSettings, WhatIsNoTableIsRefused) {
  for (const char* none : {"[]", "1", "null", "\"x\""}) {
    const auto s = TrainSettings::FromJson(Json::parse(none), "file");
    ASSERT_FALSE(s.ok()) << none;
    EXPECT_EQ(s.error().message + "|" + s.error().where, "the settings are no table|file");
  }
}

TEST(LmSettings, Defaults) {
  EXPECT_EQ(
      TrainSettings().ToJson().dump(),
      R"({"beta1":0.9,"beta2":0.95,"clip":1.0,"compute":"float32","context":2048,"data":[],"device":"cpu",)"
      R"("dpo_beta":0.1,"epochs":1.0,"epsilon":1e-08,"grammar":"","group":8,"head_dim":32,"heads":6,"hidden":192,)"
      R"("init":"","kv_heads":3,"layers":6,"lora_alpha":16.0,"lora_init":"","lora_keep_states":false,)"
      R"("lora_layers":0,"lora_merge":true,"lora_output_tokens":0,"lora_rank":0,"lora_targets":[],"lr":0.001,)"
      R"("max_tokens":512,"micro_tokens":2048,"min_lr":0.1,"mlp":512,"momentum":0.95,"muon_scale":0.2,)"
      R"("objective":"sft","optimizer":"adamw","peak_tflops":0.0,"prompts_per_step":8,"save_every":100,"seed":1,)"
      R"("steps":0,"temperature":1.0,"tokenizer":"","tokens_per_step":16384,"validate_every":100,"validation":[],)"
      R"("warmup":50,"weight_decay":0.1,"workers":0})");
}

TEST(LmRanks, TheEnvironmentAtItsLimits) {
  const char* names[] = {"WORLD_SIZE", "RANK", "MASTER_PORT", "MASTER_ADDR"};
  const struct {
    const char *size, *rank, *port, *address,
        *wrong;  // wrong: what the message begins with, "": alone
  } rows[] = {
      {"", "", "", "", ""},
      {"1", "x", "", "", ""},
      {"0", "0", "80", "", "WORLD_SIZE is `0`, a number from 1 to 4096 is expected"},
      {"4097", "0", "80", "", "WORLD_SIZE is `4097`, a number from 1 to 4096 is expected"},
      {"2x", "0", "80", "", "WORLD_SIZE is `2x`, a number from 1 to 4096 is expected"},
      {"x", "0", "80", "", "WORLD_SIZE is `x`, a number from 1 to 4096 is expected"},
      {"4", "4", "80", "", "RANK is `4`, a number from 0 to 3 is expected"},
      {"4", "-1", "80", "", "RANK is `-1`, a number from 0 to 3 is expected"},
      {"4", "", "80", "", "RANK is ``, a number from 0 to 3 is expected"},
      {"4", "3", "0", "", "MASTER_PORT is `0`, a number from 1 to 65535 is expected"},
      {"4", "3", "65536", "", "MASTER_PORT is `65536`, a number from 1 to 65535 is expected"},
      {"4096", "4095", "65535", "", "MASTER_ADDR is empty"},
      {"2", "0", "1", "", "MASTER_ADDR is empty"},
  };
  for (const auto& row : rows) {
    const char* values[] = {row.size, row.rank, row.port, row.address};
    for (int i = 0; i < 4; ++i) ::setenv(names[i], values[i], 1);
    const auto ranks = Ranks::FromEnvironment();
    for (const char* name : names) ::unsetenv(name);
    EXPECT_EQ(ranks.ok() ? "" : ranks.error().message, row.wrong) << row.size;
    if (!ranks.ok())
      EXPECT_EQ(ranks.error().code, "AK1927");
    else
      EXPECT_TRUE(ranks->rank() == 0 && ranks->size() == 1 && ranks->first());
  }
}

}  // namespace
}  // namespace akgen::lm
