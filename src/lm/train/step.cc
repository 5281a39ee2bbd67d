#include "lm/train/step.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <sched.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <exception>
#include <thread>

#include "lm/model/blas.h"
#include "lm/model/torch_error.h"

namespace akgen::lm {
using at::Tensor;
using base::Error;

int64_t ProcessorCount() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

double ProcessorSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

StepRunner::StepRunner(const Model& model, const TrainSettings& settings, Tensor flat,
                       AdapterTraining trained)
    : model_(model), settings_(settings), flat_(std::move(flat)), trained_(std::move(trained)) {
  int64_t workers =
      flat_.is_cpu() ? (settings.workers > 0 ? settings.workers : ProcessorCount()) : 1;
  for (int64_t i = 0; i < workers; ++i)
    grads_.push_back(at::zeros_like(trained_.adapter ? trained_.flat : flat_));
  if (flat_.is_cpu() && workers > 1) SetBlasThreads(1);
  if (trained_.output_tokens.empty()) return;
  const auto& tokens = trained_.output_tokens;
  head_ = model_.View(flat_).head.index_select(0, at::tensor(tokens).to(flat_.device()));
  row_of_.resize(size_t(model_.config().vocab));
  for (size_t i = 0; i < tokens.size(); ++i) row_of_[size_t(tokens[i])] = int64_t(i);
}

namespace {
// The items of one worker, cut where a micro-batch is full.
std::vector<std::vector<const Item*>> MicroBatches(const std::vector<const Item*>& items,
                                                   int64_t most) {
  std::vector<std::vector<const Item*>> out;
  int64_t tokens = 0;
  for (const Item* item : items) {
    if (out.empty() || tokens + item->tokens() > most) out.emplace_back(), tokens = 0;
    out.back().push_back(item);
    tokens += item->tokens();
  }
  return out;
}
}  // namespace

std::vector<std::vector<const Item*>> BalanceByTokens(std::vector<const Item*> items,
                                                      size_t workers) {
  std::stable_sort(items.begin(), items.end(),
                   [](const Item* a, const Item* b) { return a->tokens() > b->tokens(); });
  std::vector<std::vector<const Item*>> out(workers);
  std::vector<int64_t> load(workers, 0);
  for (const Item* item : items) {
    size_t w = size_t(std::min_element(load.begin(), load.end()) - load.begin());
    out[w].push_back(item);
    load[w] += item->tokens();
  }
  return out;
}

base::Result<Tensor> StepRunner::States(const Weights& w,
                                        const std::vector<const Item*>& items) const {
  const c10::NoGradGuard no_grad;
  std::vector<Tensor> rows;
  for (const Item* item : items)
    for (const Sequence& s : item->parts) {  // each alone: what it becomes depends on no neighbour
      Tensor x = at::empty({int64_t(s.ids.size()), model_.config().hidden}, at::kFloat);
      if (!trained_.states->Read(s.ids, x.data_ptr<float>())) {
        const Tensor ids = at::tensor(std::vector<int64_t>(s.ids.begin(), s.ids.end()), at::kLong);
        x = model_
                .Through(w, at::embedding(w.embedding, ids.to(flat_.device())),
                         model_.Pack({x.size(0)}), 0, trained_.adapter->first_layer())
                .to(at::kCPU, at::kFloat)
                .contiguous();
        if (auto status = trained_.states->Write(s.ids, x.data_ptr<float>()); !status.ok())
          return status.error();
      }
      rows.push_back(std::move(x));
    }
  return at::cat(rows).to(w.embedding.options());
}

base::Result<Tensor> StepRunner::Hidden(const Weights& w, const std::vector<const Item*>& items,
                                        const Tensor& ids, const Packing& packing) const {
  if (!trained_.states) return model_.Hidden(w, ids, packing);
  auto x = States(w, items);
  if (!x.ok()) return x;
  return model_.Normalised(
      w, model_.Through(w, *x, packing, trained_.adapter->first_layer(), model_.config().layers));
}

base::Status StepRunner::Micro(const std::vector<const Item*>& items, const ItemLoss& loss,
                               size_t worker, bool gradients, double& sum) const {
  std::vector<int64_t> ids, lengths, rows, targets, counts;
  for (const Item* item : items)
    for (const Sequence& s : item->parts) {
      int64_t base = int64_t(ids.size()), before = int64_t(rows.size());
      for (size_t i = 0; i < s.ids.size(); ++i) {
        if (s.loss[i])
          rows.push_back(base + int64_t(i) - 1),
              targets.push_back(row_of_.empty() ? s.ids[i] : row_of_[size_t(s.ids[i])]);
        ids.push_back(s.ids[i]);
      }
      lengths.push_back(int64_t(s.ids.size())), counts.push_back(int64_t(rows.size()) - before);
    }
  auto longs = [&](const std::vector<int64_t>& v) {
    return at::tensor(v, at::kLong).to(flat_.device());
  };
  at::AutoGradMode mode(gradients);
  const Tensor grad = gradients ? grads_[worker] : Tensor();
  Weights leaves = model_.View(flat_, trained_.adapter ? Tensor() : grad);
  if (trained_.adapter) trained_.adapter->Attach(model_, trained_.flat, grad, leaves);
  if (head_.defined()) leaves.head = head_;
  const bool short_numbers = settings_.compute == "bfloat16";
  UseShortProducts(short_numbers && flat_.is_cpu());
  Weights w = short_numbers && !flat_.is_cpu() ? Cast(leaves, at::kBFloat16) : leaves;
  Packing packing = model_.Pack(lengths);
  auto hidden = Hidden(w, items, longs(ids), packing);
  if (!hidden.ok()) return hidden.error();
  std::vector<Tensor> parts =
      TokenLogProbs(hidden->index_select(0, longs(rows)), w.head, longs(targets))
          .split_with_sizes(counts);
  Tensor total = at::zeros({}, parts[0].options());
  size_t next = 0;
  for (const Item* item : items) {
    PartLogProbs p;
    for (size_t i = 0; i < item->parts.size(); ++i) p.parts.push_back(parts[next++]);
    total = total + loss(*item, p);
  }
  double value = total.item<double>();
  if (!std::isfinite(value))
    return Error{
        "AK1922", "the loss is not finite",
        items.front()->where + " and " + std::to_string(items.size() - 1) + " more samples",
        "lower lr, or raise warmup"};
  if (gradients) total.backward();
  sum += value;
  return {};
}

base::Result<StepResult> StepRunner::Run(const std::vector<const Item*>& items,
                                         const ItemLoss& loss, bool gradients) {
  auto shares = BalanceByTokens(items, grads_.size());
  std::vector<base::Status> status(shares.size());
  std::vector<double> sums(shares.size(), 0);
  auto work = [&](size_t w) {
    try {
      if (shares.size() > 1) at::set_num_threads(1);  // of this thread's own loops
      if (gradients) grads_[w].zero_();
      for (const auto& micro : MicroBatches(shares[w], settings_.micro_tokens))
        if (status[w] = Micro(micro, loss, w, gradients, sums[w]); !status[w].ok()) return;
    } catch (const std::exception& e) {
      status[w] =
          TorchError(e, "micro-batch of " + std::to_string(settings_.micro_tokens) + " tokens");
    }
  };
  std::vector<std::thread> threads;
  for (size_t w = 1; w < shares.size(); ++w) threads.emplace_back(work, w);
  work(0);
  for (std::thread& t : threads) t.join();
  StepResult result;
  for (const base::Status& s : status)
    if (!s.ok()) return s.error();
  for (double s : sums) result.loss += s;
  for (const Item* i : items)
    result.tokens += i->tokens(), result.sequences += int64_t(i->parts.size());
  for (size_t w = 1; gradients && w < grads_.size(); ++w)
    kernels::Add(grads_[w].data_ptr<float>(), grads_[0].numel(), grads_[0].data_ptr<float>());
  return result;
}

base::Result<StepResult> StepRunner::Gradients(const std::vector<const Item*>& items,
                                               const ItemLoss& loss) {
  return Run(items, loss, true);
}
base::Result<StepResult> StepRunner::Evaluate(const std::vector<const Item*>& items,
                                              const ItemLoss& loss) {
  return Run(items, loss, false);
}

Tensor NewtonSchulz(const Tensor& g, bool short_numbers) {
  const bool tall = g.size(0) > g.size(1);
  Tensor x = tall ? g.t() : g;
  x = x / (x.norm() + 1e-7);
  if (short_numbers) x = x.to(at::kBFloat16);
  for (int i = 0; i < 5;
       ++i) {  // x (3.4445 - 4.7750 a + 2.0315 a a) with a = x x', the published coefficients
    Tensor a = at::mm(x, x.t());
    x = at::addmm(x, at::addmm(a, a, a, -4.7750, 2.0315), x, 3.4445);
  }
  return (tall ? x.t() : x).to(at::kFloat);
}

Optimizer::Optimizer(const std::vector<Parameter>& parameters, const std::vector<NamedPart>& parts,
                     const TrainSettings& settings, const Tensor& flat)
    : first(at::zeros_like(flat)), second(at::zeros_like(flat)), settings_(settings) {
  auto by_muon = [&](const Parameter& p) {
    return settings_.optimizer == "muon" && p.decay && p.name.rfind("model.layers.", 0) == 0 &&
           p.name.find(".router") == std::string::npos;
  };
  for (const Parameter& p : parameters) {
    if (!by_muon(p)) {
      adam_.push_back(p);
      continue;
    }
    for (const NamedPart& part : parts)  // q, k and v are matrices of their own
      if (part.at >= p.at && part.at < p.at + p.size)
        muon_.push_back({part.at, part.shape[0], part.shape[1]});
  }
}

void Optimizer::MuonStep(const Matrix& m, double lr, double scale, const Tensor& gradient,
                         Tensor& flat) {
  auto view = [&](const Tensor& t) {
    return t.narrow(0, m.at, m.rows * m.columns).view({m.rows, m.columns});
  };
  Tensor g = view(gradient) * scale, momentum = view(first), w = view(flat);
  momentum.mul_(settings_.momentum).add_(g);
  Tensor update =
      NewtonSchulz(g.add_(momentum, settings_.momentum), settings_.compute == "bfloat16");
  // Steps as large as AdamW's usually are (Liu et al. 2025): the same lr serves both.
  w.mul_(1 - lr * settings_.weight_decay)
      .add_(update, -lr * settings_.muon_scale * std::sqrt(double(std::max(m.rows, m.columns))));
}

void Optimizer::AdamStep(int64_t step, double lr, double scale, const Tensor& gradient,
                         Tensor& flat) {
  const TrainSettings& s = settings_;
  double c1 = 1 - std::pow(s.beta1, double(step)), c2 = 1 - std::pow(s.beta2, double(step));
  kernels::AdamW a{float(lr),        float(s.beta1),        float(s.beta2),
                   float(s.epsilon), float(s.weight_decay), float(c1),
                   float(c2)};
  for (const Parameter& p : adam_) {
    if (flat.is_cpu()) {
      auto at = [&](const Tensor& t) { return t.data_ptr<float>() + p.at; };
      kernels::AdamWStep(a, p.decay, float(scale), p.size, at(flat), at(gradient), at(first),
                         at(second));
      continue;
    }
    auto view = [&](const Tensor& t) { return t.narrow(0, p.at, p.size); };
    Tensor g = view(gradient) * scale, m = view(first), v = view(second), w = view(flat);
    m.mul_(s.beta1).add_(g, 1 - s.beta1);
    v.mul_(s.beta2).addcmul_(g, g, 1 - s.beta2);
    w.mul_(1 - (p.decay ? lr * s.weight_decay : 0.0))
        .addcdiv_(m, (v / c2).sqrt_().add_(s.epsilon), -lr / c1);
  }
}

double Optimizer::Update(int64_t step, double lr, const Tensor& gradient, Tensor& flat) {
  const TrainSettings& s = settings_;
  double norm =
      std::sqrt(flat.is_cpu() ? kernels::SumOfSquares(gradient.data_ptr<float>(), gradient.numel())
                              : gradient.square().sum().item<double>());
  if (!std::isfinite(norm)) return norm;
  double scale = s.clip > 0 && norm > s.clip ? s.clip / norm : 1.0;
  c10::NoGradGuard no_grad;
  AdamStep(step, lr, scale, gradient, flat);
  const size_t workers = flat.is_cpu() && s.workers > 0 ? size_t(s.workers) : 1;
  std::vector<std::exception_ptr> thrown(workers);
  auto work = [&](size_t from) {
    try {
      c10::NoGradGuard of_this_thread;
      if (workers > 1) at::set_num_threads(1);  // of its own loops
      for (size_t i = from; i < muon_.size(); i += workers)
        MuonStep(muon_[i], lr, scale, gradient, flat);
    } catch (...) {
      thrown[from] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (size_t w = 1; w < workers && !muon_.empty(); ++w) threads.emplace_back(work, w);
  work(0);
  for (std::thread& t : threads) t.join();
  for (const auto& t : thrown)
    if (t) std::rethrow_exception(t);
  return norm;
}

}  // namespace akgen::lm
