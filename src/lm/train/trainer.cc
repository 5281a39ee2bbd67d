#include "lm/train/trainer.h"

#include <ATen/ATen.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <optional>
#include <set>
#include <utility>

#include "base/fields.h"
#include "base/files.h"
#include "lm/model/adapter.h"
#include "lm/model/checkpoint.h"
#include "lm/model/torch_error.h"
#include "lm/tokenizer/chat_template.h"
#include "lm/train/loss.h"
#include "lm/train/ranks.h"
#include "lm/train/rollout.h"
#include "lm/train/state.h"
#include "lm/train/step.h"

namespace akgen::lm {
namespace fs = std::filesystem;
using base::Error;
using base::Json;

namespace {
// A line of metrics.jsonl.
struct StepLine {
  int64_t step = 0, tokens = 0, sequences = 0;
  double loss = 0, lr = 0, grad_norm = 0, tokens_per_s = 0, seconds = 0;
  double processor_seconds = 0;  // of all threads
  std::optional<double> mfu, reward, validation_loss;

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Field("step", m.step);
    io.Field("tokens", m.tokens);
    io.Field("sequences", m.sequences);
    io.Field("loss", m.loss);
    io.Field("lr", m.lr);
    io.Field("grad_norm", m.grad_norm);
    io.Field("tokens_per_s", m.tokens_per_s);
    io.Field("seconds", m.seconds);
    io.Field("processor_seconds", m.processor_seconds);
    io.Field("mfu", m.mfu);
    io.Field("reward", m.reward);
    io.Field("validation_loss", m.validation_loss);
  }
};

class Run {
 public:
  Run(const TrainSettings& s, fs::path out, Ranks ranks, const OnStep& on_step,
      const RewardFn& reward)
      : s_(s), out_(std::move(out)), ranks_(std::move(ranks)), on_step_(on_step), reward_(reward) {}
  base::Status Start(bool resume);
  base::Status Loop();

 private:
  base::Status LoadModel();
  base::Status LoadAdapter();
  base::Status BindRunner(const at::Tensor& trained_flat);
  base::Status LoadAllData();
  base::Status Resume();
  base::Status References();
  std::vector<const Item*> Draw();
  base::Result<StepResult> Gradients(TrainReport& report, std::string& where);
  // The samples of a step that this process works on.
  std::vector<const Item*> LocalShard(const std::vector<const Item*>& items) const {
    return ranks_.size() == 1
               ? items
               : BalanceByTokens(items, size_t(ranks_.size()))[size_t(ranks_.rank())];
  }
  base::Result<StepResult> AllReduce(base::Result<StepResult> own, bool gradients);
  base::Status Step();
  base::Status Save();
  base::Status SaveTokenizer(const fs::path& folder);
  at::Tensor Merged() const;  // the weights with the adapter in them
  base::Result<double> Validate();
  base::Status KeepMetrics();
  fs::path state_file() const { return out_ / "state.safetensors"; }

  TrainSettings s_;
  fs::path out_;
  Ranks ranks_;
  const OnStep& on_step_;
  const RewardFn& reward_;
  std::optional<Tokenizer> tokenizer_;
  std::shared_ptr<const Model> model_;
  Dataset data_, validation_;
  TrainState state_;
  at::Tensor weights_;              // of the model, on the device; frozen beside an adapter
  std::optional<Adapter> adapter_;  // what is trained in place of the weights
  std::unique_ptr<FrozenStates> states_;
  at::Tensor merged_;  // with it: the weights that rollouts are drawn from
  std::optional<StepRunner> runner_;
  std::optional<Optimizer> optimizer_;
  std::unique_ptr<RolloutMaker> rollouts_;
  std::vector<int64_t> order_;
  int64_t order_of_ = -1, steps_ = 0;
  double step_seconds_ = 0;  // of the steps that this process took
  int64_t steps_taken_ = 0;
  std::ofstream metrics_;
  std::set<fs::path> with_tokenizer_;  // folders that have got it
};

base::Status Run::LoadModel() {
  fs::path tokenizer = s_.tokenizer.empty() ? fs::path(s_.init) : fs::path(s_.tokenizer);
  auto t = LoadTokenizer(tokenizer);
  if (!t.ok()) return t.error();
  tokenizer_ = std::move(*t);
  if (s_.init.empty()) {
    Json shape = s_.Shape(tokenizer_->size()).ToJson();
    shape["eos_token_id"] = tokenizer_->Find("<|im_end|>");
    auto config = ModelConfig::FromJson(shape, "settings");
    if (!config.ok())
      return Error{"AK1921", "the model's shape: " + config.error().message, "settings", ""};
    model_ = std::make_shared<Model>(*config);
    weights_ = model_->InitialFlat(s_.seed);
  } else {
    auto c = LoadCheckpoint(s_.init);
    if (!c.ok()) return c.error();
    model_ = c->model, weights_ = c->flat;
  }
  if (tokenizer_->size() > model_->config().vocab)
    return Error{"AK1911",
                 "the tokenizer has " + std::to_string(tokenizer_->size()) + " tokens, the model " +
                     std::to_string(model_->config().vocab),
                 tokenizer.string(), "use the tokenizer that the model was trained with"};
  state_.flat = weights_;
  return s_.lora.rank == 0 ? base::Status{} : LoadAdapter();
}

base::Status Run::LoadAdapter() {
  const LoraSettings& lora = s_.lora;
  AdapterShape shape{lora.rank, lora.alpha / double(lora.rank), lora.targets, {}};
  for (int64_t all = model_->config().layers, i = all - lora.layers; lora.layers > 0 && i < all;)
    shape.layers.push_back(i++);
  auto adapter = Adapter::Create(*model_, shape, "settings");
  if (!adapter.ok()) return adapter.error();
  adapter_ = std::move(*adapter);
  state_.flat = adapter_->InitialFlat(s_.seed);
  if (lora.init.empty()) return {};
  auto before = Adapter::Read(lora.init, *model_);
  if (!before.ok()) return before.error();
  auto names = [](const Adapter& a) {
    std::vector<std::pair<std::string, std::vector<int64_t>>> out;
    for (const Parameter& p : a.parameters()) out.push_back({p.name, p.shape});
    return out;
  };
  if (names(before->first) != names(*adapter_) ||
      std::abs(before->first.shape().scale - shape.scale) > 1e-9)
    return Error{"AK1903", "the adapter to start from has another rank, alpha, targets or layers",
                 lora.init, "give lora_rank, lora_alpha, lora_targets and lora_layers of it"};
  state_.flat = before->second;
  return {};
}

base::Status Run::LoadAllData() {
  auto data = ReadData(s_.data, *tokenizer_, model_->config().context, s_.objective);
  if (!data.ok()) return data.error();
  data_ = std::move(*data);
  if (!s_.validation.empty()) {
    auto v = ReadData(s_.validation, *tokenizer_, model_->config().context, s_.objective);
    if (!v.ok()) return v.error();
    validation_ = std::move(*v);
  }
  double per_step =
      double(std::max(s_.tokens_per_step, data_.tokens / int64_t(data_.items.size())));
  steps_ = s_.steps > 0 ? s_.steps
                        : std::max<int64_t>(
                              1, int64_t(std::ceil(s_.epochs * double(data_.tokens) / per_step)));
  return {};
}

base::Status Run::Resume() {
  auto state = LoadState(state_file(), state_.flat.numel());
  if (!state.ok()) return state.error();
  TrainSettings before = s_;
  if (auto s = TrainSettings::FromJson(state->settings, state_file().string()); s.ok()) before = *s;
  // Results depend on the number of workers: the run keeps what it was started with.
  if (s_.workers == 0) s_.workers = before.workers;
  Json now = s_.ToJson(), then = before.ToJson();
  for (const char* key : {"data", "validation", "tokenizer", "init", "device", "save_every",
                          "validate_every", "workers", "peak_tflops", "lora_init", "lora_merge"})
    now.erase(key), then.erase(key);
  for (auto it = now.begin(); it != now.end(); ++it)
    if (then[it.key()] != *it)
      return Error{"AK1924",
                   "the run was started with " + it.key() + " = " + base::Dump(then[it.key()]) +
                       ", now it is " + base::Dump(*it),
                   state_file().string(), "resume with the same settings, or choose another --out"};
  state_ = std::move(*state);
  return {};
}

// The tokens of the data and the first ones, as many as wanted.
std::vector<int64_t> OutputTokens(const std::vector<const Dataset*>& data, int64_t least,
                                  int64_t vocab) {
  std::vector<uint8_t> chosen(static_cast<size_t>(vocab), 0);
  int64_t count = 0;
  auto choose = [&](size_t token) { count += !std::exchange(chosen[token], 1); };
  for (const Dataset* d : data)
    for (const Item& item : d->items)
      for (const Sequence& s : item.parts)
        for (int32_t id : s.ids) choose(size_t(id));
  for (size_t token = 0; count < std::min(least, vocab); ++token) choose(token);
  std::vector<int64_t> out;
  for (size_t token = 0; token < chosen.size(); ++token)
    if (chosen[token]) out.push_back(int64_t(token));
  return out;
}

base::Status Run::BindRunner(const at::Tensor& trained_flat) {
  AdapterTraining trained;
  if (adapter_) trained.adapter = &*adapter_, trained.flat = trained_flat;
  if (s_.lora.output_tokens > 0)
    trained.output_tokens =
        OutputTokens({&data_, &validation_}, s_.lora.output_tokens, model_->config().vocab);
  if (s_.lora.keep_states && !states_) {
    const at::Tensor below =
        weights_.narrow(0, 0, model_->LayerAt(adapter_->first_layer())).to(at::kCPU).contiguous();
    auto states = FrozenStates::Open(
        out_ / ("states" + (ranks_.first() ? "" : "-" + std::to_string(ranks_.rank())) + ".bin"),
        base::Dump(model_->config().ToJson()) + s_.compute + s_.device +
            base::ContentHash({static_cast<const char*>(below.data_ptr()), below.nbytes()}),
        model_->config().hidden);
    if (!states.ok()) return states.error();
    states_ = std::move(*states);
  }
  trained.states = states_.get();
  runner_.emplace(*model_, s_, weights_, std::move(trained));
  return {};
}

// Log probabilities of every pair under the model that training starts from.
base::Status Run::References() {
  for (Dataset* d : {&data_, &validation_}) {
    std::vector<const Item*> items;
    for (Item& i : d->items) i.reference.assign(i.parts.size(), 0), items.push_back(&i);
    auto note = [](const Item& item, const PartLogProbs& p) {
      for (size_t k = 0; k < p.parts.size(); ++k)
        const_cast<Item&>(item).reference[k] = p.parts[k].sum().item<double>();
      return p.parts[0].sum() * 0;
    };
    if (items.empty()) continue;
    if (auto r = runner_->Evaluate(items, note); !r.ok()) return r.error();
  }
  return {};
}

base::Status Run::KeepMetrics() {
  std::string kept;
  if (auto text = base::ReadFile(out_ / "metrics.jsonl"); text.ok()) {
    for (size_t at = 0; at < text->size();) {  // lines of steps after the state were done in vain
      size_t end = text->find('\n', at);
      if (end == std::string::npos) break;
      const Json line = base::Parse(text->substr(at, end - at));
      const auto kept_line = base::Checked(
          "metrics", [&] { return base::Result<StepLine>(base::MessageFromJson<StepLine>(line)); });
      if (!kept_line.ok() || kept_line->step > state_.step) break;
      kept += text->substr(at, end + 1 - at);
      at = end + 1;
    }
  }
  if (auto s = base::WriteFileAtomic(out_ / "metrics.jsonl", state_.step > 0 ? kept : ""); !s.ok())
    return s;
  metrics_.open(out_ / "metrics.jsonl", std::ios::app);
  return {};
}

base::Status Run::Start(bool resume) {
  if (s_.objective == "grpo" && ranks_.size() > 1)
    return Error{"AK1927", "grpo has one judge, so it runs in one process", "settings",
                 "unset WORLD_SIZE"};
  std::error_code ec;
  fs::create_directories(out_, ec);
  bool there = fs::exists(state_file(), ec);
  if (there && !resume)
    return Error{"AK1924", "the folder holds a run", out_.string(),
                 "go on with --resume, or choose another --out"};
  if (auto s = LoadModel(); !s.ok()) return s;
  if (auto s = LoadAllData(); !s.ok()) return s;
  const at::Tensor initial = state_.flat;
  if (there)
    if (auto s = Resume(); !s.ok()) return s;
  if (s_.workers == 0) s_.workers = ProcessorCount();
  at::Device device(s_.device);
  weights_ = weights_.to(device);
  if (s_.objective == "dpo") {
    if (auto s = BindRunner(initial.to(device)); !s.ok()) return s;
    if (auto s = References(); !s.ok()) return s;
  }
  state_.flat = state_.flat.to(device);
  if (!adapter_) weights_ = state_.flat;
  if (auto s = BindRunner(state_.flat); !s.ok()) return s;
  optimizer_.emplace(adapter_ ? adapter_->parameters() : model_->parameters(), model_->parts(), s_,
                     state_.flat);
  if (state_.first.defined())
    optimizer_->first = state_.first.to(device), optimizer_->second = state_.second.to(device);
  state_.settings = s_.ToJson();
  if (s_.objective == "grpo") {
    if (adapter_) merged_ = Merged();
    auto maker =
        RolloutMaker::Create(model_, adapter_ ? merged_ : weights_, *tokenizer_, s_, reward_);
    if (!maker.ok()) return maker.error();
    rollouts_ = std::move(*maker);
  }
  return ranks_.first() ? KeepMetrics() : base::Status{};
}

std::vector<const Item*> Run::Draw() {
  std::vector<const Item*> items;
  bool prompts = s_.objective == "grpo";
  for (int64_t tokens = 0;
       prompts ? int64_t(items.size()) < s_.grpo.prompts_per_step : tokens < s_.tokens_per_step;) {
    if (order_of_ != state_.epoch)
      order_ = EpochOrder(s_.seed, state_.epoch, int64_t(data_.items.size())),
      order_of_ = state_.epoch;
    items.push_back(&data_.items[size_t(order_[size_t(state_.next)])]);
    tokens += items.back()->tokens();
    if (++state_.next == int64_t(order_.size())) state_.next = 0, ++state_.epoch;
  }
  return items;
}

at::Tensor Run::Merged() const {
  at::Tensor out = weights_.clone();
  adapter_->Merge(state_.flat, weights_, out);
  return out;
}

// Once: it does not change, and is megabytes where the vocabulary is large.
base::Status Run::SaveTokenizer(const fs::path& folder) {
  if (!with_tokenizer_.insert(folder).second) return {};
  std::error_code ec;
  fs::create_directories(folder, ec);
  auto s = base::WriteFileAtomic(folder / "tokenizer.json", base::Dump(tokenizer_->ToJson()));
  if (!s.ok()) return s;
  return base::WriteFileAtomic(folder / "tokenizer_config.json",
                               base::Dump(TokenizerConfig(*tokenizer_), 2) + "\n");
}

base::Status Run::Save() {
  if (!ranks_.first()) return {};
  state_.first = optimizer_->first, state_.second = optimizer_->second;
  const bool merge = adapter_ && s_.lora.merge && state_.step == steps_;
  if (!adapter_ || merge)  // beside an adapter only once: it is as large as the base
    if (auto s = SaveCheckpoint(*model_, merge ? Merged() : weights_, out_ / "model"); !s.ok())
      return s;
  if (adapter_) {
    const fs::path folder = out_ / "adapter";
    if (auto s = adapter_->Save(state_.flat, s_.init, folder); !s.ok()) return s;
    const ModelConfig& config = model_->config();
    if (auto s = config.moe() ? base::Status{}
                              : adapter_->SaveGguf(state_.flat, config, folder / "adapter.gguf");
        !s.ok())
      return s;
  }
  if (auto s = SaveTokenizer(out_ / (adapter_ ? "adapter" : "model")); !s.ok()) return s;
  if (merge)
    if (auto s = SaveTokenizer(out_ / "model"); !s.ok()) return s;
  return SaveState(state_, state_file());
}

base::Result<double> Run::Validate() {
  std::vector<const Item*> items;
  for (const Item& i : validation_.items) items.push_back(&i);
  auto r = AllReduce(runner_->Evaluate(LocalShard(items), LossOf(s_, items)), false);
  if (!r.ok()) return r.error();
  return r->loss;
}

// The sum over all processes of loss, counts and gradients; one that failed makes all of them fail.
base::Result<StepResult> Run::AllReduce(base::Result<StepResult> own, bool gradients) {
  if (ranks_.size() == 1) return own;
  at::Tensor numbers = at::tensor({own.ok() ? own->loss : 0.0, own.ok() ? double(own->tokens) : 0.0,
                                   own.ok() ? double(own->sequences) : 0.0, own.ok() ? 0.0 : 1.0},
                                  at::kDouble);
  ranks_.AllReduce(numbers);
  if (!own.ok()) return own;
  if (numbers[3].item<double>() > 0)
    return Error{"AK1922", "another process could not take the step", "its own output",
                 "see what it says"};
  at::Tensor gradient = runner_->gradient();
  if (gradients) ranks_.AllReduce(gradient);
  return StepResult{numbers[0].item<double>(), int64_t(numbers[1].item<double>()),
                    int64_t(numbers[2].item<double>())};
}

// Gradients of one step's samples; for grpo of completions that are made and judged first.
base::Result<StepResult> Run::Gradients(TrainReport& report, std::string& where) {
  std::vector<const Item*> items = Draw();
  where = items[0]->where + " and " + std::to_string(items.size() - 1) + " more samples";
  if (!rollouts_) return AllReduce(runner_->Gradients(LocalShard(items), LossOf(s_, items)), true);
  auto made = rollouts_->Make(items, state_.step);
  if (!made.ok()) return made.error();
  report.reward = made->reward;
  items.clear();
  for (const Item& i : made->items) items.push_back(&i);
  return runner_->Gradients(items, LossOf(s_, items));
}

base::Status Run::Step() {
  auto begin = std::chrono::steady_clock::now();
  const double processor = ProcessorSeconds();
  TrainState before = state_;
  TrainReport report;
  report.step = state_.step + 1, report.steps = steps_,
  report.lr = s_.LearningRate(state_.step, steps_);
  std::string where;
  auto r = Gradients(report, where);
  std::optional<Error> stop;
  if (!r.ok())
    stop = r.error();
  else if (report.norm =
               optimizer_->Update(state_.step + 1, report.lr, runner_->gradient(), state_.flat);
           !std::isfinite(report.norm))
    stop = Error{"AK1922", "the gradient is not finite", where, "lower lr, or raise warmup"};
  if (stop) {  // weights and moments are still those of the step before
    state_ = before;
    stop->where = "step " + std::to_string(report.step) + ", " + stop->where;
    if (stop->code == "AK1922" && before.step > 0)
      if (auto s = Save(); !s.ok()) return s;
    return *stop;
  }
  if (merged_.defined()) adapter_->Merge(state_.flat, weights_, merged_);
  ++state_.step;
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  report.loss = r->loss, report.tokens_per_second = double(r->tokens) / seconds;
  // By the time of steps, not by tokens: a step of grpo whose rewards are all alike learns from
  // none.
  step_seconds_ += seconds;
  report.seconds_left = double(steps_ - state_.step) * step_seconds_ / double(++steps_taken_);
  if (s_.peak_tflops > 0)
    report.mfu = model_->config().OperationsPerToken(double(r->tokens) /
                                                     double(std::max<int64_t>(1, r->sequences))) *
                 report.tokens_per_second / (s_.peak_tflops * 1e12);
  if (!validation_.items.empty() && !rollouts_ &&
      (state_.step % s_.validate_every == 0 || state_.step == steps_)) {
    auto v = Validate();
    if (!v.ok()) return v.error();
    report.validation = *v;
  }
  StepLine line{report.step,
                r->tokens,
                r->sequences,
                report.loss,
                report.lr,
                report.norm,
                report.tokens_per_second,
                seconds,
                ProcessorSeconds() - processor};
  if (report.mfu > 0) line.mfu = report.mfu;
  if (rollouts_) line.reward = report.reward;
  if (report.validation >= 0) line.validation_loss = report.validation;
  if (!ranks_.first()) return {};
  metrics_ << base::Dump(Json(line)) << "\n" << std::flush;
  if (on_step_) on_step_(report);
  return {};
}

base::Status Run::Loop() {
  while (state_.step < steps_) {
    if (auto s = Step(); !s.ok()) return s;
    if (state_.step % s_.save_every == 0 || state_.step == steps_)
      if (auto s = Save(); !s.ok()) return s;
  }
  return {};
}
}  // namespace

base::Status Train(const TrainSettings& settings, const fs::path& out, bool resume,
                   const OnStep& on_step, const RewardFn& reward) {
  auto ranks = Ranks::FromEnvironment();
  if (!ranks.ok()) return ranks.error();
  try {
    Run run(settings, out, std::move(*ranks), on_step, reward);
    if (auto s = run.Start(resume); !s.ok()) return s;
    return run.Loop();
  } catch (const RankLost& e) {
    return Error{"AK1927", std::string("another process is gone: ") + e.what(), out.string(),
                 "start all of them again with --resume"};
  } catch (const std::exception& e) {
    return TorchError(e, out.string());
  }
}

}  // namespace akgen::lm
