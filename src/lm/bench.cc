#include "lm/bench.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>

#include "lm/sample/cache.h"
#include "lm/sample/draw.h"
#include "lm/train/loss.h"

namespace akgen::lm {
using base::Json;

namespace {
double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Json BenchTraining(const Model& model, const TrainSettings& s, int64_t length, int64_t samples,
                   int64_t steps) {
  Random random(1);
  std::vector<Item> items(static_cast<size_t>(samples));
  std::vector<const Item*> all;
  for (Item& item : items) {
    Sequence q;
    for (int64_t t = 0; t < length; ++t)
      q.ids.push_back(int32_t(random.Next() % uint64_t(model.config().vocab))),
          q.loss.push_back(t >= length / 2);
    item.parts.push_back(std::move(q));
    all.push_back(&item);
  }
  at::Tensor flat = model.InitialFlat(1).to(at::Device(s.device));
  StepRunner runner(model, s, flat);
  Optimizer optimizer(model.parameters(), model.parts(), s, flat);
  std::vector<double> seconds, busy;
  Json losses = Json::array();
  for (int64_t i = 0; i < steps; ++i) {
    double begin = Now(), busy_before = ProcessorSeconds();
    auto r = runner.Gradients(all, LossOf(s, all));
    if (!r.ok()) return {{"error", r.error().ToString()}};
    optimizer.Update(i + 1, 1e-3, runner.gradient(), flat);
    seconds.push_back(Now() - begin), busy.push_back(ProcessorSeconds() - busy_before);
    losses.push_back(r->loss);
  }
  std::sort(seconds.begin(), seconds.end());
  std::sort(busy.begin(), busy.end());
  double tokens = double(length * samples);
  return {{"tokens_per_s", tokens / seconds[seconds.size() / 2]},
          {"best_tokens_per_s", tokens / seconds[0]},
          {"cpu_us_per_token", 1e6 * busy[0] / tokens},
          {"step_s", seconds[seconds.size() / 2]},
          {"workers", runner.workers()},
          {"losses", losses}};
}

Json BenchSampling(const Model& model, const TrainSettings& s, int64_t batch, int64_t prompt,
                   int64_t tokens) {
  Weights w = model.View(model.InitialFlat(1).to(at::Device(s.device)));
  if (s.compute == "bfloat16") w = Cast(w, at::kBFloat16);
  Decoder decoder(model, w, batch, prompt + tokens);
  double begin = Now();
  for (int64_t i = 0; i < batch; ++i) decoder.Read(std::vector<int>(size_t(prompt), 7), i);
  double read = Now() - begin;
  std::vector<int> ids(size_t(batch), 5);
  std::vector<int64_t> slots, lengths(size_t(batch), prompt);
  for (int64_t i = 0; i < batch; ++i) slots.push_back(i);
  begin = Now();
  for (int64_t t = 0; t < tokens; ++t) {
    decoder.Step(ids, slots, lengths);
    for (int64_t& l : lengths) ++l;
  }
  double write = Now() - begin;
  return {{"batch", batch},
          {"prompt", prompt},
          {"read_tokens_per_s", double(batch * prompt) / read},
          {"write_tokens_per_s", double(batch * tokens) / write}};
}
}  // namespace

base::Result<Json> Bench(const Json& settings) {
  Json j = settings;
  auto take = [&](const char* key, int64_t fallback) {
    int64_t v = j.contains(key) && j[key].is_number_integer() ? j[key].get<int64_t>() : fallback;
    j.erase(key);
    return std::max<int64_t>(1, v);
  };
  int64_t vocab = take("vocab", 4096), length = take("length", 512), samples = take("samples", 16),
          steps = take("repeats", 5), prompt = take("prompt", 256), tokens = take("tokens", 128);
  j["data"] = "none", j["tokenizer"] = "none";
  auto s = TrainSettings::FromJson(j, "settings");
  if (!s.ok()) return s.error();
  auto config = ModelConfig::FromJson(s->Shape(vocab).ToJson(), "settings");
  if (!config.ok()) return config.error();
  Model model(*config);
  Json out = {{"parameters", model.parameter_count()}};
  Json sampling = Json::array();  // before training, which tells the BLAS to use one thread
  for (int64_t batch : {1, 16}) sampling.push_back(BenchSampling(model, *s, batch, prompt, tokens));
  out["sampling"] = sampling;
  out["training"] = BenchTraining(model, *s, length, samples, steps);
  return out;
}

}  // namespace akgen::lm
