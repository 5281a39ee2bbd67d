// Adapters in some layers alone: what frozen layers compute is kept, the output layer has the
// tokens in use, a run starts from an earlier adapter and from a file of llama.cpp.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lm/model/adapter.h"
#include "lm/model/gguf.h"
#include "lm/train/data.h"
#include "lm/train/frozen_states.h"
#include "make_gguf.h"
#include "train_fixture.h"

namespace akgen::lm {
namespace {
namespace fs = std::filesystem;
using base::Json;

// Adapters of the upper layer, rank 4, of a model that wrote other texts before.
class LmAdapter : public LmTrain {
 protected:
  void SetUp() override {
    settings_.steps = 40, settings_.lr = 1e-2;
    ASSERT_EQ(Code(settings_, "start"), "done");
    std::string text;
    for (int i = 0; i < 10; ++i)
      text += Json{{"prompt", "write add " + std::to_string(i)}, {"completion", "store(y, z)\n"}}
                  .dump() +
              "\n";
    Write("other.jsonl", text);
    settings_.data = {Path("other.jsonl")}, settings_.init = Path("start/model"),
    settings_.tokenizer = "", settings_.steps = 30, settings_.lr = 3e-2;
    settings_.lora.rank = 4, settings_.lora.layers = 1;
  }
  std::string Bytes(const std::string& file) { return *base::ReadFile(Path(file)); }
  static void ExpectNear(const std::vector<double>& a, const std::vector<double>& b, double most) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], most * std::abs(b[i])) << i;
  }
};

TEST_F(LmAdapter, OnlyTheUpperLayersChange) {
  ASSERT_EQ(Code(settings_, "a"), "done");
  EXPECT_LT(Losses("a").back(), 0.7 * Losses("a").front());
  auto before = LoadCheckpoint(Path("start/model")), merged = LoadCheckpoint(Path("a/model")),
       adapted = LoadCheckpoint(Path("a/adapter"));
  ASSERT_TRUE(before.ok() && merged.ok() && adapted.ok()) << adapted.error().ToString();
  EXPECT_TRUE(merged->flat.equal(adapted->flat));
  const int64_t upper = merged->model->LayerAt(1), all = merged->flat.numel();
  EXPECT_TRUE(merged->flat.narrow(0, 0, upper).equal(before->flat.narrow(0, 0, upper)));
  EXPECT_FALSE(
      merged->flat.narrow(0, upper, all - upper).equal(before->flat.narrow(0, upper, all - upper)));
  EXPECT_EQ(Json::parse(Bytes("a/adapter/adapter_config.json"))["layers_to_transform"], Json({1}));
  EXPECT_TRUE(LoadTokenizer(Path("a/adapter")).ok());
  settings_.lora.layers = 3;
  EXPECT_EQ(Code(settings_, "b"), "AK1903");
}

TEST_F(LmAdapter, KeptStatesChangeNothing) {
  settings_.validation = {Path("train.jsonl")}, settings_.validate_every = 5;
  ASSERT_EQ(Code(settings_, "a"), "done");
  settings_.lora.keep_states = true;
  ASSERT_EQ(Code(settings_, "kept"), "done");
  ASSERT_EQ(Code(settings_, "again"), "done");
  ExpectNear(Losses("kept"), Losses("a"), 1e-4);
  EXPECT_EQ(Losses("kept"), Losses("again"));
  EXPECT_EQ(Bytes("kept/state.safetensors"), Bytes("again/state.safetensors"));
  EXPECT_FALSE(fs::exists(Path("a/states.bin")));
  // Kept for as many sequences as there are, of the size of their tokens.
  auto t = Tokenizer::Load(kTrainData / "bpe_tiny.json");
  std::set<std::vector<int32_t>> sequences;
  size_t bytes = 0;
  for (const char* name : {"other.jsonl", "train.jsonl"}) {
    auto data = ReadData({Path(name)}, *t, 64);
    for (const Item& i : data->items)
      if (sequences.insert(i.parts[0].ids).second) bytes += i.parts[0].ids.size() * 32 * 4;
  }
  EXPECT_GT(fs::file_size(Path("kept/states.bin")), bytes);
  EXPECT_LT(fs::file_size(Path("kept/states.bin")), bytes + 100 * (sequences.size() + 1));
}

TEST_F(LmAdapter, StatesOfOtherWeightsAreNotUsed) {
  settings_.lora.keep_states = true, settings_.steps = 6;
  ASSERT_EQ(Code(settings_, "a"), "done");
  const auto losses = Losses("a");
  TrainSettings other = settings_;
  other.init = "", other.tokenizer = (kTrainData / "bpe_tiny.json").string();
  other.lora = {}, other.seed = 2, other.steps = 12;
  ASSERT_EQ(Code(other, "start2"), "done");
  fs::create_directories(Path("b")), fs::copy_file(Path("a/states.bin"), Path("b/states.bin"));
  settings_.init = Path("start2/model");
  ASSERT_EQ(Code(settings_, "b"), "done");
  ASSERT_EQ(Code(settings_, "c"), "done");
  EXPECT_EQ(Losses("b"), Losses("c"));
  EXPECT_NE(Losses("b"), losses);
  // Those of the same weights are.
  settings_.init = Path("start/model");
  fs::create_directories(Path("d")), fs::copy_file(Path("a/states.bin"), Path("d/states.bin"));
  ASSERT_EQ(Code(settings_, "d"), "done");
  EXPECT_EQ(Losses("d"), losses);
  EXPECT_EQ(Bytes("d/states.bin"), Bytes("a/states.bin"));
}

TEST(LmFrozenStates, CutOrChangedRecordsAreNotThere) {
  auto dir = base::TempDir::Create();
  const fs::path file = dir->path() / "s";
  const std::vector<int32_t> one = {1, 2, 3}, two = {4, 5};
  std::vector<float> rows(12), got(12);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = float(i) + 0.5f;
  {
    auto s = FrozenStates::Open(file, "made", 4);
    ASSERT_TRUE((*s)->Write(one, rows.data()).ok() && (*s)->Write(two, rows.data() + 4).ok());
    ASSERT_TRUE((*s)->Read(one, got.data()));
    EXPECT_EQ(got, rows);
  }
  const std::string whole = *base::ReadFile(file);
  const size_t second = whole.size() - 72 - 32, first = second - 72 - 48;
  for (size_t size = 0; size <= whole.size(); ++size) {
    ASSERT_TRUE(base::WriteFileAtomic(file, whole.substr(0, size)).ok());
    auto s = FrozenStates::Open(file, "made", 4);
    ASSERT_TRUE(s.ok());
    EXPECT_EQ((*s)->Read(one, got.data()), size >= second) << size;
    EXPECT_EQ((*s)->Read(two, got.data()), size == whole.size()) << size;
    ASSERT_TRUE((*s)->Write(two, rows.data()).ok());  // goes on behind what is whole
    EXPECT_TRUE((*s)->Read(two, got.data()));
    EXPECT_TRUE(std::equal(got.begin(), got.begin() + 8, rows.begin()));
  }
  for (size_t at = first + 72; at < second; ++at) {
    std::string changed = whole;
    changed[at] = char(changed[at] ^ 1);
    ASSERT_TRUE(base::WriteFileAtomic(file, changed).ok());
    auto s = FrozenStates::Open(file, "made", 4);
    EXPECT_FALSE((*s)->Read(one, got.data())) << at;
    EXPECT_TRUE((*s)->Read(two, got.data()));
  }
  for (auto [made, width] : {std::pair<const char*, int64_t>{"other", 4}, {"made", 5}}) {
    ASSERT_TRUE(base::WriteFileAtomic(file, whole).ok());
    EXPECT_EQ((*FrozenStates::Open(file, made, width))->sequences(), 0u);
  }
}

// The first loss, before any step: log softmax over the tokens of the data and the first ones.
TEST_F(LmAdapter, TheOutputLayerHasTheTokensInUse) {
  settings_.steps = 1, settings_.tokens_per_step = 1000;
  auto c = LoadCheckpoint(Path("start/model"));
  auto data = ReadData({Path("other.jsonl")}, *LoadTokenizer(Path("start/model")), 64);
  for (int64_t least : {1, 300, 100000}) {
    settings_.lora.output_tokens = least;
    const std::string run = "run" + std::to_string(least);
    ASSERT_EQ(Code(settings_, run), "done");
    std::set<int64_t> used;
    for (const Item& i : data->items) used.insert(i.parts[0].ids.begin(), i.parts[0].ids.end());
    for (int64_t t = 0; int64_t(used.size()) < std::min<int64_t>(least, 700); ++t) used.insert(t);
    const at::Tensor rows = at::tensor(std::vector<int64_t>(used.begin(), used.end()), at::kLong);
    const Weights w = c->model->View(c->flat);
    double sum = 0, targets = 0;
    int64_t tokens = 0;
    for (size_t i = 0; tokens < 1000;
         i = (i + 1) % data->items.size()) {  // as often as a step draws them
      const Sequence& s = data->items[i].parts[0];
      tokens += int64_t(s.ids.size());
      const at::Tensor ids =
          at::tensor(std::vector<int64_t>(s.ids.begin(), s.ids.end()), at::kLong);
      const at::Tensor logits = at::linear(c->model->Hidden(w, ids, c->model->Pack({ids.size(0)})),
                                           w.head.index_select(0, rows));
      const at::Tensor log_p = at::log_softmax(logits, -1);
      for (size_t t = 0; t < s.ids.size(); ++t)
        if (s.loss[t]) {
          const auto row = std::distance(used.begin(), used.find(s.ids[t]));
          sum -= log_p[int64_t(t) - 1][row].item<double>(), ++targets;
        }
    }
    EXPECT_NEAR(Losses(run)[0], sum / targets, 2e-3) << least;
  }
  EXPECT_LT(Losses("run1")[0], Losses("run100000")[0]);  // fewer tokens share what is to be had
}

TEST_F(LmAdapter, StartsFromAnEarlierOne) {
  ASSERT_EQ(Code(settings_, "a"), "done");
  const double last = Losses("a").back(), first = Losses("a").front();
  settings_.lora.init = Path("a/adapter"), settings_.steps = 8, settings_.lora.merge = false;
  ASSERT_EQ(Code(settings_, "b"), "done");
  EXPECT_LT(Losses("b").front(), last + 0.2 * (first - last));
  EXPECT_FALSE(fs::exists(Path("b/model")));
  EXPECT_TRUE(LoadCheckpoint(Path("b/adapter")).ok());
  TrainSettings other = settings_;
  other.lora.rank = 8;
  EXPECT_EQ(Code(other, "c"), "AK1903");
  other = settings_, other.lora.alpha = 8;
  EXPECT_EQ(Code(other, "c"), "AK1903");
  other = settings_, other.lora.layers = 0;
  EXPECT_EQ(Code(other, "c"), "AK1903");
  // Preferences: beside the adapter that training starts from, nothing is preferred yet.
  settings_.objective = "dpo", settings_.data = {Path("pairs.jsonl")}, settings_.lr = 1e-3;
  ASSERT_EQ(Code(settings_, "d"), "done");
  EXPECT_NEAR(Losses("d").front(), std::log(2.0), 1e-4);
}

TEST_F(LmAdapter, TheBaseMayBeAFileOfLlamaCpp) {
  auto c = LoadCheckpoint(Path("start/model"));
  auto t = LoadTokenizer(Path("start/model"));
  Write("base.gguf", GgufOf(*c, &*t));
  ASSERT_EQ(Code(settings_, "folder"), "done");
  settings_.init = Path("base.gguf");
  ASSERT_EQ(Code(settings_, "file"), "done");
  EXPECT_EQ(Losses("file"), Losses("folder"));
  auto folder = LoadCheckpoint(Path("folder/adapter")), file = LoadCheckpoint(Path("file/adapter"));
  ASSERT_TRUE(folder.ok() && file.ok()) << file.error().ToString();
  EXPECT_TRUE(file->flat.equal(folder->flat));
}

TEST_F(LmAdapter, IsWrittenForLlamaCpp) {
  ASSERT_EQ(Code(settings_, "a"), "done");
  auto file = GgufFile::Open(Path("a/adapter/adapter.gguf"));
  ASSERT_TRUE(file.ok()) << file.error().ToString();
  EXPECT_EQ(file->values(), Json::parse(R"({"general.architecture": "qwen3", "adapter.type": "lora",
                               "general.type": "adapter", "adapter.lora.alpha": 16.0})"));
  EXPECT_EQ(file->tensors().size(), 14u);  // seven matrices of one layer
  auto base = LoadCheckpoint(Path("start/model")), merged = LoadCheckpoint(Path("a/model"));
  size_t met = 0;
  for (const NamedPart& p : base->model->parts()) {
    auto a = file->tensors().find(GgufName(p.name) + ".lora_a"),
         b = file->tensors().find(GgufName(p.name) + ".lora_b");
    if (a == file->tensors().end()) continue;
    auto matrix = [](const GgufTensor& t) {
      at::Tensor out = at::empty(t.shape);
      Dequantise(t, out.data_ptr<float>());
      return out;
    };
    const at::Tensor before = base->flat.narrow(0, p.at, p.size).view(p.shape),
                     after = merged->flat.narrow(0, p.at, p.size).view(p.shape);
    EXPECT_TRUE(at::allclose(
        after, before + 16.0 / 4 * at::mm(matrix(b->second), matrix(a->second)), 0, 1e-6))
        << p.name;
    ++met;
  }
  EXPECT_EQ(met, 7u);
}

TEST_F(LmAdapter, SettingsThatNeedAnAdapter) {
  TrainSettings bad = settings_;
  auto refused = [](const TrainSettings& s) {
    auto read = TrainSettings::FromJson(s.ToJson(), "settings");
    return read.ok() ? "read" : read.error().code;
  };
  EXPECT_EQ(refused(bad), "read");
  bad.lora.layers = -1;
  EXPECT_EQ(refused(bad), "AK1921");
  bad = settings_, bad.lora.rank = 0;
  EXPECT_EQ(refused(bad), "AK1921");
  bad.lora.layers = 0, bad.lora.keep_states = true;
  EXPECT_EQ(refused(bad), "AK1921");
  bad.lora.keep_states = false, bad.lora.output_tokens = 5;
  EXPECT_EQ(refused(bad), "AK1921");
  bad = settings_, bad.objective = "grpo", bad.lora.output_tokens = 5;
  EXPECT_EQ(refused(bad), "AK1921");
}

}  // namespace
}  // namespace akgen::lm
