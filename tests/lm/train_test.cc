#include "lm/train/trainer.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>

#include "base/files.h"
#include "lm/model/checkpoint.h"
#include "lm/model/safetensors.h"
#include "lm/sample/sampler.h"
#include "lm/train/data.h"
#include "lm/train/step.h"
#include "train_fixture.h"

// AddressSanitizer, where the preset has it, answers what no machine holds as the C library does,
// instead of ending.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

namespace akgen::lm {
namespace {
namespace fs = std::filesystem;
using base::Json;

TEST_F(LmTrain, LearnsAndRepeatsToTheLastDigit) {
  settings_.steps = 60, settings_.validation = {Path("train.jsonl")};
  ASSERT_EQ(Code(settings_, "a"), "done");
  ASSERT_EQ(Code(settings_, "b"), "done");
  auto a = Losses("a"), b = Losses("b");
  ASSERT_EQ(a.size(), 60u);
  EXPECT_EQ(a, b);
  EXPECT_LT(a.back(), 0.4 * a.front());
  EXPECT_EQ(*base::ReadFile(Path("a/model/model.safetensors")),
            *base::ReadFile(Path("b/model/model.safetensors")));
  auto model = LocalModel::Load(Path("a/model"));
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ((*model)->tokenizer().size(), 700);
}

// A run of fewer steps leaves off where a longer one passes; tests/cli/lm_test.py kills a real
// process.
TEST_F(LmTrain, MuonLearnsRepeatsAndGoesOn) {
  settings_.optimizer = "muon", settings_.steps = 60;
  ASSERT_EQ(Code(settings_, "a"), "done");
  settings_.steps = 24;
  ASSERT_EQ(Code(settings_, "b"), "done");
  ASSERT_EQ(Code(settings_, "c"), "done");
  EXPECT_EQ(Losses("b"), Losses("c"));
  EXPECT_EQ(*base::ReadFile(Path("b/model/model.safetensors")),
            *base::ReadFile(Path("c/model/model.safetensors")));
  auto a = Losses("a");
  EXPECT_LT(a.back(), 0.4 * a.front());
  settings_.optimizer = "adamw";
  EXPECT_EQ(Code(settings_, "b", true), "AK1924");
}

TEST(LmStep, NewtonSchulzKeepsSingularVectors) {
  for (auto [rows, columns] : {std::pair<int64_t, int64_t>{24, 8}, {8, 24}, {16, 16}}) {
    at::Tensor g = at::randn({rows, columns}, at::detail::createCPUGenerator(7)), left, values,
               right, turned;
    std::tie(left, values, right) = at::linalg_svd(g, false);
    at::Tensor o = NewtonSchulz(g, false);
    at::Tensor inner = left.t().mm(o).mm(right.t());  // diagonal: the same singular vectors
    EXPECT_LT((inner - at::diag(inner.diag())).abs().max().item<double>(), 1e-3);
    EXPECT_GT(inner.diag().min().item<double>(), 0.3) << "smallest of " << values;
    EXPECT_LT(inner.diag().max().item<double>(), 1.3);
  }
}

TEST_F(LmTrain, AnAdapterIsTrainedMergedAndReadAgain) {
  settings_.steps = 80, settings_.lr = 2e-2;
  ASSERT_EQ(Code(settings_, "start"), "done");
  std::string text;
  for (int i = 0; i < 10; ++i)
    text +=
        Json{{"prompt", "write add " + std::to_string(i)}, {"completion", "store(y, z)\n"}}.dump() +
        "\n";
  Write("other.jsonl", text);
  settings_.data = {Path("other.jsonl")}, settings_.init = Path("start/model"),
  settings_.tokenizer = "", settings_.lora.rank = 4, settings_.steps = 60, settings_.lr = 2e-2;
  ASSERT_EQ(Code(settings_, "a"), "done");
  ASSERT_EQ(Code(settings_, "b"), "done");
  EXPECT_EQ(Losses("a"), Losses("b"));
  EXPECT_LT(Losses("a").back(), 0.5 * Losses("a").front());
  auto before = LoadCheckpoint(Path("start/model")), merged = LoadCheckpoint(Path("a/model")),
       adapted = LoadCheckpoint(Path("a/adapter"));
  ASSERT_TRUE(before.ok() && merged.ok() && adapted.ok()) << adapted.error().ToString();
  EXPECT_TRUE(merged->flat.equal(adapted->flat));
  for (const Parameter& p :
       merged->model->parameters()) {  // nothing but the matrices of the layers has changed
    bool same = merged->flat.narrow(0, p.at, p.size).equal(before->flat.narrow(0, p.at, p.size));
    EXPECT_EQ(same, p.name.rfind("model.layers.", 0) != 0 || !p.decay) << p.name;
  }
  settings_.lora.targets = {"q_proj", "x_proj"};
  EXPECT_EQ(Code(settings_, "c"), "AK1903");
  settings_.lora.targets = {}, settings_.lora.rank = 8;
  EXPECT_EQ(Code(settings_, "a", true), "AK1924");
  // What is not understood is refused, not left out.
  auto config = Json::parse(*base::ReadFile(Path("a/adapter/adapter_config.json")));
  for (auto [key, value] : {std::pair<const char*, Json>{"use_dora", true},
                            {"bias", "all"},
                            {"peft_type", "IA3"},
                            {"rank_pattern", {{"q_proj", 2}}},
                            {"r", 0}}) {
    Json other = config;
    other[key] = value;
    Write("a/adapter/adapter_config.json", other.dump());
    auto refused = LoadCheckpoint(Path("a/adapter"));
    ASSERT_FALSE(refused.ok()) << key;
    EXPECT_EQ(refused.error().code, "AK1902") << key;
  }
  config["r"] = 2;
  Write("a/adapter/adapter_config.json", config.dump());
  auto other = LoadCheckpoint(Path("a/adapter"));
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, "AK1903");
}

// An adapter's tensors are those that rank and model say: none less, none more, none other.
TEST_F(LmTrain, TensorsOfAnAdapterAreThoseOfTheModel) {
  ASSERT_EQ(Code(settings_, "start"), "done");
  settings_.init = Path("start/model"), settings_.tokenizer = "", settings_.lora.rank = 2,
  settings_.steps = 1;
  ASSERT_EQ(Code(settings_, "a"), "done");
  const fs::path file = Path("a/adapter/adapter_model.safetensors"),
                 kept = Path("kept.safetensors");
  fs::copy_file(file, kept);
  auto open = TensorFile::Open(kept);
  ASSERT_TRUE(open.ok());
  using Tensors = std::map<std::string, TensorView>;
  struct Row {
    const char* what;
    std::function<void(Tensors&)> change;
    const char* code;  // "": it loads
  };
  const float more[4] = {};
  const std::string one = open->tensors().begin()->first;
  const Row rows[] = {
      {"as it was written", [](Tensors&) {}, ""},
      {"one less", [&](Tensors& t) { t.erase(one); }, "AK1903"},
      {"one more",
       [&](Tensors& t) {
         t[one + ".more"] = {"F32", {2, 2}, reinterpret_cast<const char*>(more), 16};
       },
       "AK1903"},
      {"another in its place", [&](Tensors& t) { t[one + ".more"] = t[one], t.erase(one); },
       "AK1903"},
      {"its shape the other way round",
       [&](Tensors& t) { std::swap(t[one].shape[0], t[one].shape[1]); }, "AK1903"},
      {"whole numbers", [&](Tensors& t) { t[one].dtype = "I32"; }, "AK1903"},
  };
  for (const Row& r : rows) {
    Tensors tensors = open->tensors();
    r.change(tensors);
    ASSERT_TRUE(WriteTensors(file, tensors).ok()) << r.what;
    auto loaded = LoadCheckpoint(Path("a/adapter"));
    EXPECT_EQ(loaded.ok() ? "" : loaded.error().code, r.code) << r.what;
  }
}

TEST_F(LmTrain, FinishedRunIsNotRepeated) {
  ASSERT_EQ(Code(settings_, "run"), "done");
  auto losses = Losses("run");
  EXPECT_EQ(Code(settings_, "run"), "AK1924");  // the folder holds a run
  ASSERT_EQ(Code(settings_, "run", true), "done");
  EXPECT_EQ(Losses("run"), losses);
}

TEST_F(LmTrain, ResumeRefusesOtherSettings) {
  ASSERT_EQ(Code(settings_, "run"), "done");
  TrainSettings other = settings_;
  other.lr = 1;
  EXPECT_EQ(Code(other, "run", true), "AK1924");
  other = settings_;
  other.hidden = 16;
  EXPECT_EQ(Code(other, "run", true), "AK1924");
}

TEST_F(LmTrain, NanStopsAndKeepsTheLastGood) {
  settings_.lr = 1e30, settings_.warmup = 8, settings_.clip = 0, settings_.steps = 200,
  settings_.save_every = 1000;
  auto status = Train(settings_, Path("nan"), false, nullptr);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, "AK1922");
  EXPECT_NE(status.error().where.find("step "), std::string::npos);
  EXPECT_NE(status.error().where.find("train.jsonl:"), std::string::npos);
  ASSERT_TRUE(fs::exists(Path("nan/state.safetensors")));
  EXPECT_GT(Losses("nan").size(), 0u);
}

TEST_F(LmTrain, PreferencesSeparate) {
  ASSERT_EQ(Code(settings_, "sft"), "done");
  TrainSettings dpo = settings_;
  dpo.objective = "dpo", dpo.init = Path("sft/model"), dpo.tokenizer = "",
  dpo.data = {Path("pairs.jsonl")}, dpo.steps = 20, dpo.lr = 1e-3;
  ASSERT_EQ(Code(dpo, "dpo"), "done");
  auto losses = Losses("dpo");
  EXPECT_NEAR(losses.front(), std::log(2.0), 1e-4);  // policy and reference are one
  EXPECT_LT(losses.back(), 0.5);
}

// The reward counts one letter: policy gradient must find it.
TEST_F(LmTrain, RewardsAreFollowed) {
  TrainSettings s = settings_;
  s.objective = "grpo", s.steps = 60, s.grpo.group = 8, s.grpo.prompts_per_step = 2,
  s.grpo.max_tokens = 12, s.lr = 1e-2, s.grpo.temperature = 1;
  Write("g.gbnf", "root ::= [a-d]+"), s.grpo.grammar = Path("g.gbnf");
  auto reward = [](const std::vector<Rollout>& rollouts) {
    std::vector<double> out;
    for (const Rollout& r : rollouts)
      out.push_back(r.text.empty() ? 0
                                   : double(std::count(r.text.begin(), r.text.end(), 'b')) /
                                         double(r.text.size()));
    out[0] = NAN;  // one that could not be judged
    return base::Result<std::vector<double>>(out);
  };
  std::vector<double> means[2];
  for (auto& m : means) {
    std::string run = &m == means ? "a" : "b";
    auto status =
        Train(s, Path(run), false, [&](const TrainReport& r) { m.push_back(r.reward); }, reward);
    ASSERT_TRUE(status.ok()) << status.error().ToString();
  }
  EXPECT_EQ(means[0], means[1]);
  EXPECT_LT(means[0].front(), 0.5);
  EXPECT_GT(means[0].back(), 0.7);
}

TEST_F(LmTrain, RewardsMustFit) {
  TrainSettings s = settings_;
  s.objective = "grpo", s.steps = 1, s.grpo.max_tokens = 3;
  EXPECT_EQ(Code(s, "x"), "AK1926");  // nobody judges
  auto status = Train(s, Path("y"), false, nullptr, [](const std::vector<Rollout>&) {
    return base::Result<std::vector<double>>(std::vector<double>{1});
  });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, "AK1926");
}

TEST_F(LmTrain, BadDataIsNamed) {
  Write("bad.jsonl", Sample(1) + "{\"prompt\": \"x\"}\n");
  TrainSettings s = settings_;
  s.data = {Path("bad.jsonl")};
  auto status = Train(s, Path("x"), false, nullptr);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, "AK1920");
  EXPECT_NE(status.error().where.find("bad.jsonl:2"), std::string::npos);
  Write("bad.jsonl", "{not json\n");
  EXPECT_EQ(Code(s, "x"), "AK1920");
  s = settings_;
  s.context = 4;
  EXPECT_EQ(Code(s, "x"), "AK1920");  // everything is too long
}

TEST_F(LmTrain, SettingsAreChecked) {
  EXPECT_TRUE(TrainSettings::FromJson(settings_.ToJson(), "s").ok());
  EXPECT_TRUE(TrainSettings::FromJson(
                  {{"model", {{"hidden", 64}}}, {"data", "a.jsonl"}, {"tokenizer", "t"}}, "s")
                  .ok());
  for (Json patch :
       {Json{{"lr", -1}}, Json{{"no_such", 1}}, Json{{"steps", "many"}}, Json{{"workers", 1.5}},
        Json{{"objective", "guess"}}, Json{{"device", "tpu"}}}) {
    Json j = settings_.ToJson();
    j.update(patch);
    auto s = TrainSettings::FromJson(j, "s");
    ASSERT_FALSE(s.ok()) << patch.dump();
    EXPECT_EQ(s.error().code, "AK1921") << patch.dump();
  }
}

TEST_F(LmTrain, TokenizerMustFit) {
  TrainSettings s = settings_;
  s.init = (kTrainData / "qwen3_tiny").string();  // 160 tokens, the tokenizer has 700
  EXPECT_EQ(Code(s, "x"), "AK1911");
}

TEST_F(LmTrain, TooLargeAModelSaysWhatToLower) {
  TrainSettings s = settings_;
  s.hidden = 1 << 16, s.mlp = 1 << 19, s.layers = 900;
  auto status = Train(s, Path("x"), false, nullptr);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, "AK1923");
  EXPECT_NE(status.error().fix.find("lower"), std::string::npos);
}

TEST_F(LmTrain, MissingDeviceIsAnError) {
  TrainSettings s = settings_;
  s.device = "cuda:99";
  EXPECT_EQ(Code(s, "x"), "AK1925");
}

TEST(LmData, LossLiesOnAnswers) {
  auto dir = base::TempDir::Create();
  auto t = Tokenizer::Load(kTrainData / "bpe_tiny.json");
  ASSERT_TRUE(t.ok());
  fs::path file = dir->path() / "d.jsonl";
  ASSERT_TRUE(
      base::WriteFileAtomic(
          file,
          R"({"messages":[{"role":"system","content":"s"},{"role":"user","content":"a<|im_end|>"},{"role":"assistant","content":"y = x"}]})"
          "\n")
          .ok());
  auto data = ReadData({file.string()}, *t, 100);
  ASSERT_TRUE(data.ok()) << data.error().ToString();
  const Sequence& s = data->items[0].parts[0];
  std::vector<int> targets;
  for (size_t i = 0; i < s.ids.size(); ++i)
    if (s.loss[i]) targets.push_back(s.ids[i]);
  EXPECT_EQ(t->Decode(targets), "y = x<|im_end|>");
  EXPECT_EQ(std::count(s.ids.begin(), s.ids.end(), t->Find("<|im_end|>")),
            3);  // the user's own stays text
}

TEST(LmData, EpochsAreShuffledAlike) {
  auto a = EpochOrder(1, 0, 100);
  EXPECT_EQ(a, EpochOrder(1, 0, 100));
  EXPECT_NE(a, EpochOrder(1, 1, 100));
  EXPECT_NE(a, EpochOrder(2, 0, 100));
  std::sort(a.begin(), a.end());
  for (int64_t i = 0; i < 100; ++i) EXPECT_EQ(a[size_t(i)], i);
}

}  // namespace
}  // namespace akgen::lm
