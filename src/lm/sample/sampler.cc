#include "lm/sample/sampler.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "lm/model/checkpoint.h"
#include "lm/model/torch_error.h"
#include "lm/sample/cache.h"
#include "lm/sample/draw.h"
#include "lm/sample/wrap.h"

namespace akgen::lm {
using base::Error;

namespace {
double Seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

// One completion while it is written.
struct Line {
  Completion out;
  Random random{0};
  int64_t length = 0;  // tokens in the cache
  int state = 0;       // of the grammar
  int token = -1;      // drawn, not yet in the cache
  bool done = false;
};

class TorchModel : public LocalModel {
 public:
  TorchModel(std::shared_ptr<const Model> model, const at::Tensor& flat, Tokenizer t,
             const std::string& compute)
      : model_(std::move(model)), tokenizer_(std::move(t)) {
    weights_ = model_->View(flat);
    if (compute == "bfloat16") weights_ = Cast(weights_, at::kBFloat16);
    for (const char* name : {"<|im_end|>", "<|endoftext|>"})
      if (int id = tokenizer_.Find(name); id >= 0) ends_.push_back(id);
    if (model_->config().end_token >= 0 &&
        std::find(ends_.begin(), ends_.end(), int(model_->config().end_token)) == ends_.end())
      ends_.push_back(int(model_->config().end_token));
  }
  const Tokenizer& tokenizer() const override { return tokenizer_; }
  base::Result<std::vector<Completion>> Complete(const std::vector<int>& prompt,
                                                 const SampleOptions& o,
                                                 SampleTimes* times) override;

 private:
  base::Status UseGrammar(const std::string& text);
  std::vector<int> Kept(const Prefix& prefix) const;
  base::Status Begin(Line& line, const std::vector<int>& kept) const;
  void Draw(Line& line, const float* logits, const SampleOptions& o);
  void Write(std::vector<Line>& lines, Decoder& decoder, const SampleOptions& o);

  std::shared_ptr<const Model> model_;
  Tokenizer tokenizer_;
  Weights weights_;
  std::vector<int> ends_;
  std::string grammar_text_;
  std::unique_ptr<TokenMask> mask_;  // of grammar_text_; kept with what it learnt
};

base::Status TorchModel::UseGrammar(const std::string& text) {
  if (text.empty()) return mask_.reset(), grammar_text_.clear(), base::Status();
  if (mask_ && grammar_text_ == text) return mask_->Begin(), base::Status();
  auto grammar = Grammar::Parse(text, "grammar");
  if (!grammar.ok()) return grammar.error();
  mask_ = std::make_unique<TokenMask>(tokenizer_, *grammar);
  grammar_text_ = text;
  return {};
}

std::vector<int> TorchModel::Kept(const Prefix& prefix) const {
  std::vector<int> ids = tokenizer_.Encode(prefix.text, false);
  int64_t bytes = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    bytes += int64_t(tokenizer_.Bytes(ids[i]).size());
    if (bytes > prefix.bytes) ids.resize(i);
  }
  return ids;
}

base::Status TorchModel::Begin(Line& line, const std::vector<int>& kept) const {
  for (int id : kept) {
    line.out.text += tokenizer_.Bytes(id);
    if (mask_) line.state = mask_->Advance(line.state, id);
    if (mask_ && line.state < 0)
      return Error{"AK1932", "the grammar does not allow the prefix of a completion", "request",
                   "give the beginning of an answer under this grammar"};
  }
  return {};
}

void TorchModel::Draw(Line& line, const float* logits, const SampleOptions& o) {
  std::vector<int> allowed;
  if (mask_) {
    allowed = mask_->Allowed(line.state);
    if (mask_->Accepts(line.state)) allowed.insert(allowed.end(), ends_.begin(), ends_.end());
    if (allowed.empty()) return void((line.done = true, line.out.finish = "stop"));
  }
  auto [token, log_p] = DrawToken(logits, tokenizer_.size(), mask_ ? &allowed : nullptr,
                                  o.temperature, o.top_p, line.random);
  line.out.log_p += log_p;
  ++line.out.tokens;
  line.out.ids.push_back(token);
  if (std::find(ends_.begin(), ends_.end(), token) != ends_.end())
    return void((line.done = true, line.out.finish = "stop"));
  line.out.text += tokenizer_.Bytes(token);
  line.token = token;
  if (mask_) line.state = mask_->Advance(line.state, token);
  for (const std::string& stop : o.stop)
    if (size_t at = stop.empty() ? std::string::npos : line.out.text.find(stop);
        at != std::string::npos) {
      line.out.text.resize(at);
      return void((line.done = true, line.out.finish = "stop"));
    }
  if (line.out.tokens >= o.max_tokens || line.length + 1 >= model_->config().context)
    line.done = true, line.out.finish = "length";
}

void TorchModel::Write(std::vector<Line>& lines, Decoder& decoder, const SampleOptions& o) {
  for (;;) {
    std::vector<int> ids;
    std::vector<int64_t> slots, lengths;
    for (size_t i = 0; i < lines.size(); ++i)
      if (!lines[i].done)
        ids.push_back(lines[i].token), slots.push_back(int64_t(i)),
            lengths.push_back(lines[i].length);
    if (ids.empty()) return;
    at::Tensor logits = decoder.Step(ids, slots, lengths);
    for (size_t k = 0; k < ids.size(); ++k) {
      Line& line = lines[size_t(slots[k])];
      ++line.length;
      Draw(line, logits.data_ptr<float>() + int64_t(k) * logits.size(1), o);
    }
  }
}

base::Result<std::vector<Completion>> TorchModel::Complete(const std::vector<int>& prompt,
                                                           const SampleOptions& o,
                                                           SampleTimes* times) {
  int64_t length = int64_t(prompt.size()), context = model_->config().context;
  if (length == 0 || length >= context)
    return Error{"AK1930",
                 "the prompt has " + std::to_string(length) + " tokens, the model's context " +
                     std::to_string(context),
                 "prompt", "shorten the prompt, or use a model with a longer context"};
  if (auto s = UseGrammar(o.grammar); !s.ok()) return s.error();
  try {
    auto begin = std::chrono::steady_clock::now();
    std::vector<std::vector<int>> kept;
    int64_t most = 0;
    for (const Prefix& p : o.prefixes)
      kept.push_back(Kept(p)), most = std::max(most, int64_t(kept.back().size()));
    if (length + most >= context)
      return Error{"AK1930",
                   "prompt and prefix have " + std::to_string(length + most) +
                       " tokens, the model's context " + std::to_string(context),
                   "prompt", "keep less"};
    Decoder decoder(*model_, weights_, o.n, std::min(context, length + most + o.max_tokens));
    at::Tensor logits = decoder.Read(prompt, 0);
    if (times) times->read_s += Seconds(begin), times->prompt_tokens += length;
    begin = std::chrono::steady_clock::now();
    std::vector<Line> lines(static_cast<size_t>(o.n));
    for (int64_t i = 0; i < o.n; ++i) {
      Line& line = lines[size_t(i)];
      line.random = o.seeds.empty() ? Random(o.seed, uint64_t(i)) : Random(o.seeds[size_t(i)]),
      line.length = length, line.state = mask_ ? mask_->start() : 0;
      if (!kept.empty() && !kept[size_t(i)].empty()) continue;
      if (i > 0) decoder.CopySlot(0, i, length);
      Draw(line, logits.data_ptr<float>(), o);
    }
    for (size_t i = 0; i < kept.size(); ++i) {
      if (kept[i].empty()) continue;
      if (auto s = Begin(lines[i], kept[i]); !s.ok()) return s.error();
      std::vector<int> all = prompt;
      all.insert(all.end(), kept[i].begin(), kept[i].end());
      lines[i].length = int64_t(all.size());
      Draw(lines[i], decoder.Read(all, int64_t(i)).data_ptr<float>(), o);
    }
    Write(lines, decoder, o);
    std::vector<Completion> out;
    for (Line& line : lines) {
      if (times) times->tokens += line.out.tokens;
      out.push_back(std::move(line.out));
    }
    if (times) times->write_s += Seconds(begin);
    return out;
  } catch (const std::exception& e) {
    return TorchError(
        e, std::to_string(o.n) + " completions of " + std::to_string(o.max_tokens) + " tokens");
  }
}
}  // namespace

base::Result<std::unique_ptr<LocalModel>> LocalModel::Load(const std::filesystem::path& folder,
                                                           const std::string& device,
                                                           const std::string& compute) {
  auto c = LoadCheckpoint(folder);
  if (!c.ok()) return c.error();
  auto t = LoadTokenizer(folder);
  if (!t.ok()) return t.error();
  if (t->size() > c->model->config().vocab)
    return Error{"AK1911",
                 "the tokenizer has " + std::to_string(t->size()) + " tokens, the model " +
                     std::to_string(c->model->config().vocab),
                 folder.string(), "use the tokenizer that the model was trained with"};
  return std::unique_ptr<LocalModel>(std::make_unique<TorchModel>(
      c->model, c->flat.to(at::Device(device)), std::move(*t), compute));
}

std::unique_ptr<LocalModel> WrapModel(std::shared_ptr<const Model> model, const at::Tensor& flat,
                                      const Tokenizer& tokenizer, const std::string& compute) {
  return std::make_unique<TorchModel>(std::move(model), flat, tokenizer, compute);
}

}  // namespace akgen::lm
