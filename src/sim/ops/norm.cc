// LayerNorm and its relatives. Everything is computed in float, sums as trees over repeats, and
// rounded at the end.
#include <cmath>

#include "sim/ops/library.h"

namespace akgen::sim {
namespace {

using Row = std::vector<float>;

struct Moments {
  float mean = 0, variance = 0;
  float Rstd(float epsilon) const { return 1.0f / std::sqrt(variance + epsilon); }
};
Moments MomentsOf(const Row& x, float divisor) {
  Moments m;
  m.mean = SumRow<float>(x) / divisor;
  Row squares(x.size());
  for (size_t i = 0; i < x.size(); ++i) squares[i] = (x[i] - m.mean) * (x[i] - m.mean);
  m.variance = SumRow<float>(std::move(squares)) / divisor;
  return m;
}
// gamma and beta, 1 and 0 where they are left out.
Row Coefficients(Library& call, const Part& part, bool given, float otherwise) {
  return given ? call.Load(part) : Row(part.n, otherwise);
}
Row Scaled(const Row& x, float mean, float rstd, const Row& gamma, const Row& beta) {
  Row y(x.size());
  for (size_t i = 0; i < x.size(); ++i) y[i] = (x[i] - mean) * rstd * gamma[i] + beta[i];
  return y;
}
bool Given(const Library& call, const Part& part, bool used) { return !used || call.Defined(part); }

void RunLayerNorm(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const bool rstd = v.mode & 1, with_gamma = !(v.mode & 4), with_beta = !(v.mode & 8),
             deep = v.op == AKGEN_OP_DeepNorm;
  const uint8_t type = v.src_type, moment_type = v.mode & 2 ? uint8_t(AKGEN_F32) : type;
  const uint32_t rows = call.Low(1), pitch = call.High(1), n = call.Low(2), size = SizeOfType(type),
                 after = deep ? 5 : 4;
  const float divisor = float(call.High(2)), alpha = ScalarOf<float>(v.aux[3]);
  const Part y = call.Operand(0, type, rows, pitch, n), mean = call.Operand(1, moment_type, rows),
             third = call.Operand(2, moment_type, rows), x = call.Operand(3, type, rows, pitch, n),
             gx = call.Operand(4, type, rows, pitch, n),
             gamma = call.Operand(after, v.src1_type, n),
             beta = call.Operand(after + 1, v.src1_type, n);
  constexpr uint32_t kMaxOfDeepNorm = 2040;
  if (!call.WholeBlocks(pitch)) return;
  if (deep && n > kMaxOfDeepNorm)
    return void(call.Broken("lengths", "rows have more than 2040 elements",
                            "DeepNorm takes no longer ones"));
  call.Out(y, !rstd && (!deep || v.flag));
  call.Out(mean);
  call.Out(third);
  call.In(x);
  if (deep) call.In(gx);
  if (with_gamma) call.In(gamma);
  if (with_beta) call.In(beta);
  if (!call.Begin(rstd ? LayerNormRstdTmp(rows, pitch, size)
                       : LayerNormTmp(rows, pitch, size, v.flag)))
    return;
  const Row g = Coefficients(call, gamma, with_gamma, 1),
            b = Coefficients(call, beta, with_beta, 0);
  const bool coefficients = Given(call, gamma, with_gamma) && Given(call, beta, with_beta);
  for (uint32_t r = 0; r < rows; ++r) {
    const bool defined =
        call.AllDefined() || (call.Defined(x, r) && (!deep || call.Defined(gx, r)));
    Row data = call.Load(x, r);
    if (deep) {
      const Row other = call.Load(gx, r);
      for (uint32_t i = 0; i < n; ++i) data[i] = data[i] * alpha + other[i];
    }
    const Moments m = MomentsOf(data, divisor);
    call.Store(y, r, Scaled(data, m.mean, m.Rstd(call.Scalar()), g, b));
    call.Store(mean, r, m.mean);
    call.Store(third, r, rstd ? m.Rstd(call.Scalar()) : m.variance);
    if (call.AllDefined()) continue;
    call.Mark(y, r, defined && coefficients);
    call.MarkElement(mean, r, defined);
    call.MarkElement(third, r, defined);
  }
}

void RunNormalize(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const bool with_gamma = !(v.mode & 4), with_beta = !(v.mode & 8);
  const uint32_t rows = call.Low(1), pitch = call.High(1), n = call.Low(2);
  const Part y = call.Operand(0, v.src_type, rows, pitch, n),
             rstd = call.Operand(1, AKGEN_F32, rows), mean = call.Operand(2, AKGEN_F32, rows),
             variance = call.Operand(3, AKGEN_F32, rows),
             x = call.Operand(4, v.src_type, rows, pitch, n),
             gamma = call.Operand(5, v.src1_type, n), beta = call.Operand(6, v.src1_type, n);
  if (!call.WholeBlocks(pitch)) return;
  call.Out(y);
  call.Out(rstd);
  for (const Part& p : {mean, variance, x}) call.In(p);
  if (with_gamma) call.In(gamma);
  if (with_beta) call.In(beta);
  if (!call.Begin(NormalizeTmp(rows, pitch, SizeOfType(v.src1_type)))) return;
  const Row g = Coefficients(call, gamma, with_gamma, 1),
            b = Coefficients(call, beta, with_beta, 0), means = call.Load(mean),
            variances = call.Load(variance);
  const bool shared = Given(call, gamma, with_gamma) && Given(call, beta, with_beta) &&
                      call.Defined(mean) && call.Defined(variance);
  for (uint32_t r = 0; r < rows; ++r) {
    const bool defined = call.AllDefined() || (shared && call.Defined(x, r));
    const float k = Moments{means[r], variances[r]}.Rstd(call.Scalar());
    call.Store(y, r, Scaled(call.Load(x, r), means[r], k, g, b));
    call.Store(rstd, r, k);
    if (!call.AllDefined()) call.Mark(y, r, defined);
  }
}

void RunRmsNorm(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const uint32_t rows = call.Low(1), pitch = call.High(1), n = call.Low(2);
  const Part y = call.Operand(0, v.src_type, rows, pitch, n),
             x = call.Operand(1, v.src_type, rows, pitch, n),
             gamma = call.Operand(2, v.src_type, n);
  if (!call.WholeBlocks(pitch)) return;
  call.Out(y, true);
  call.In(x);
  call.In(gamma);
  if (y.Meets(gamma.at, gamma.Span()))
    return void(call.Broken("overlap", "dstLocal is gammaLocal", "write to another tensor"));
  if (!call.Begin(RmsNormTmp(rows, pitch, SizeOfType(v.src_type)))) return;
  const Row g = call.Load(gamma), none(n, 0.0f);
  for (uint32_t r = 0; r < rows; ++r) {
    const bool defined = call.AllDefined() || (call.Defined(x, r) && call.Defined(gamma));
    Row data = call.Load(x, r), squares(n);
    for (uint32_t i = 0; i < n; ++i) squares[i] = data[i] * data[i];
    const float k =
        Moments{0, SumRow<float>(std::move(squares)) / float(call.High(2))}.Rstd(call.Scalar());
    call.Store(y, r, Scaled(data, 0, k, g, none));
    if (!call.AllDefined()) call.Mark(y, r, defined);
  }
}

// Each group of channels is normalised; the channels' padding is neither read nor written.
void RunGroupNorm(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const uint32_t batches = call.Low(1), channels = call.High(1), n = call.Low(2),
                 pitch = call.High(2), groups = call.Low(3);
  if (groups == 0 || channels % groups)
    return void(call.Broken("groups", "the channels are no whole groups",
                            "choose a divisor of C as groupNum"));
  const uint32_t per_group = channels / groups;
  const Part y = call.Operand(0, v.src_type, batches * channels, pitch, n),
             mean = call.Operand(1, v.src_type, batches * groups),
             variance = call.Operand(2, v.src_type, batches * groups),
             x = call.Operand(3, v.src_type, batches * channels, pitch, n),
             gamma = call.Operand(4, v.src_type, channels),
             beta = call.Operand(5, v.src_type, channels);
  call.Out(y, true);
  call.Out(mean);
  call.Out(variance);
  for (const Part& p : {x, gamma, beta}) call.In(p);
  if (!call.Begin(GroupNormTmp(batches, channels, pitch, groups, SizeOfType(v.src_type), v.flag)))
    return;
  const Row g = call.Load(gamma), b = call.Load(beta);
  for (uint32_t group = 0; group < batches * groups; ++group) {
    bool defined = call.AllDefined() || (call.Defined(gamma) && call.Defined(beta));
    Row data;
    for (uint32_t c = 0; c < per_group; ++c) {
      const Row row = call.Load(x, group * per_group + c);
      data.insert(data.end(), row.begin(), row.end());
      defined = defined && (call.AllDefined() || call.Defined(x, group * per_group + c));
    }
    const Moments m = MomentsOf(data, float(data.size()));
    for (uint32_t c = 0; c < per_group; ++c) {
      const uint32_t row = group * per_group + c, channel = row % channels;
      call.Store(y, row,
                 Scaled(Row(data.begin() + c * n, data.begin() + (c + 1) * n), m.mean,
                        m.Rstd(call.Scalar()), Row(n, g[channel]), Row(n, b[channel])));
      if (!call.AllDefined()) call.Mark(y, row, defined);
    }
    call.Store(mean, group, m.mean);
    call.Store(variance, group, m.variance);
    if (call.AllDefined()) continue;
    call.MarkElement(mean, group, defined);
    call.MarkElement(variance, group, defined);
  }
}

// Over the batches, element by element; gamma and beta have one entry per batch.
void RunBatchNorm(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const uint32_t batches = call.Low(1), n = call.High(1);
  const Part y = call.Operand(0, v.src_type, batches, n, n), mean = call.Operand(1, v.src_type, n),
             variance = call.Operand(2, v.src_type, n),
             x = call.Operand(3, v.src_type, batches, n, n),
             gamma = call.Operand(4, v.src_type, batches),
             beta = call.Operand(5, v.src_type, batches);
  if (!call.WholeBlocks(n)) return;
  call.Out(y, true);
  call.Out(mean);
  call.Out(variance);
  for (const Part& p : {x, gamma, beta}) call.In(p);
  if (!call.Begin(BatchNormTmp(batches, n, SizeOfType(v.src_type), v.flag))) return;
  const Row g = call.Load(gamma), b = call.Load(beta);
  std::vector<Row> rows;
  for (uint32_t r = 0; r < batches; ++r) rows.push_back(call.Load(x, r));
  const uint32_t size = SizeOfType(v.src_type);
  for (uint32_t i = 0; i < n; ++i) {
    Row column(batches);
    bool defined = true;
    for (uint32_t r = 0; r < batches; ++r) {
      column[r] = rows[r][i];
      defined =
          defined && (call.AllDefined() || machine.Defined(x.Row(r) + size_t(i) * size, size));
    }
    const Moments m = MomentsOf(column, float(batches));
    for (uint32_t r = 0; r < batches; ++r) {
      rows[r][i] = (column[r] - m.mean) * m.Rstd(call.Scalar()) * g[r] + b[r];
      call.Store(y, r * n + i, rows[r][i]);
      if (!call.AllDefined())
        call.MarkElement(y, r * n + i, defined && call.Defined(gamma) && call.Defined(beta));
    }
    call.Store(mean, i, m.mean);
    call.Store(variance, i, m.variance);
    if (call.AllDefined()) continue;
    call.MarkElement(mean, i, defined);
    call.MarkElement(variance, i, defined);
  }
}

// With d = x - mean and s = (variance + epsilon)^-1/2:  res = d s;  dx = dy g s + pv 2/H d + pm
// 1/H, where pv = sum(-1/2 dy g d s^3) and pm = -sum(dy g s) + pv 1/H sum(-2 d).
void RunLayerNormGrad(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const uint32_t rows = call.Low(1), pitch = call.High(1), n = call.Low(2);
  const float h = float(call.High(2));
  const Part dx = call.Operand(0, v.src_type, rows, pitch, n),
             res = call.Operand(1, v.src_type, rows, pitch, n),
             dy = call.Operand(2, v.src_type, rows, pitch, n),
             x = call.Operand(3, v.src_type, rows, pitch, n),
             variance = call.Operand(4, v.src_type, rows), mean = call.Operand(5, v.src_type, rows),
             gamma = call.Operand(6, v.src_type, n);
  if (!call.WholeBlocks(pitch)) return;
  call.Out(dx, true);
  call.Out(res, true);
  for (const Part& p : {dy, x, variance, mean, gamma}) call.In(p);
  if (!call.Begin(LayerNormGradTmp(rows, pitch, SizeOfType(v.src_type), v.flag))) return;
  const Row g = call.Load(gamma), variances = call.Load(variance), means = call.Load(mean);
  const bool shared =
      call.AllDefined() || (call.Defined(gamma) && call.Defined(variance) && call.Defined(mean));
  for (uint32_t r = 0; r < rows; ++r) {
    const bool defined = call.AllDefined() || (shared && call.Defined(x, r) && call.Defined(dy, r));
    const float s = Moments{means[r], variances[r]}.Rstd(call.Scalar());
    Row d = call.Load(x, r), p = call.Load(dy, r), for_variance(n), for_mean(n), twice(n);
    for (uint32_t i = 0; i < n; ++i) {
      d[i] -= means[r];
      p[i] *= g[i];
      for_variance[i] = -0.5f * p[i] * d[i] * (s * s * s);
      for_mean[i] = -p[i] * s;
      twice[i] = -2.0f * d[i];
    }
    const float pv = SumRow<float>(for_variance),
                pm = SumRow<float>(for_mean) + pv / h * SumRow<float>(twice);
    for (uint32_t i = 0; i < n; ++i) {
      p[i] = p[i] * s + pv * (2.0f / h) * d[i] + pm / h;
      d[i] *= s;
    }
    call.Store(dx, r, p);
    call.Store(res, r, d);
    if (call.AllDefined()) continue;
    call.Mark(dx, r, defined);
    call.Mark(res, r, defined);
  }
}

void RunLayerNormGradBeta(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const uint32_t rows = call.Low(1), n = call.High(1), size = SizeOfType(v.src_type);
  const Part dgamma = call.Operand(0, v.src_type, n), dbeta = call.Operand(1, v.src_type, n),
             res = call.Operand(2, v.src_type, rows, n, n),
             dy = call.Operand(3, v.src_type, rows, n, n);
  if (!call.WholeBlocks(n)) return;
  call.Out(dgamma);
  call.Out(dbeta);
  call.In(res);
  call.In(dy);
  if (!call.Begin(LayerNormGradBetaTmp(rows, n, size))) return;
  Row gamma(n, 0.0f), beta(n, 0.0f);
  for (uint32_t r = 0; r < rows; ++r) {
    const Row a = call.Load(res, r), b = call.Load(dy, r);
    for (uint32_t i = 0; i < n; ++i) gamma[i] += a[i] * b[i], beta[i] += b[i];
  }
  call.Store(dgamma, 0, gamma);
  call.Store(dbeta, 0, beta);
  for (uint32_t i = 0; i < n && !call.AllDefined(); ++i) {
    bool first = true, second = true;
    for (uint32_t r = 0; r < rows; ++r) {
      second = second && machine.Defined(dy.Row(r) + size_t(i) * size, size);
      first = first && second && machine.Defined(res.Row(r) + size_t(i) * size, size);
    }
    call.MarkElement(dgamma, i, first);
    call.MarkElement(dbeta, i, second);
  }
}

// mean' = mean + (x - mean) nRec, m' = m + (x - mean)(x - mean'). In place, what lies behind the
// elements that count is copied.
void RunWelfordUpdate(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const bool in_place = v.mode & 1;
  const uint32_t rows = call.Low(1), pitch = call.High(1), n = call.Low(2),
                 all = in_place ? pitch : n;
  if (rows != 1 || n == 0 || n > pitch || pitch % (kBlock / SizeOfType(v.src_type)))
    return void(call.Broken(
        "lengths",
        "rnLength is not 1, abLength no multiple of 32 bytes, or abComputeLength 0 or beyond it",
        "see WelfordUpdateParam"));
  const Part mean = call.Operand(0, AKGEN_F32, rows, pitch, all),
             m = call.Operand(1, AKGEN_F32, rows, pitch, all),
             old_mean = call.Operand(2, AKGEN_F32, rows, pitch, all),
             old_m = call.Operand(3, AKGEN_F32, rows, pitch, all),
             x = call.Operand(4, v.src_type, rows, pitch, n);
  call.Out(mean, in_place);
  call.Out(m, in_place);
  for (const Part& p : {old_mean, old_m, x}) call.In(p);
  if (!call.Begin(WelfordUpdateTmp(rows * pitch, SizeOfType(v.src_type), v.flag))) return;
  for (uint32_t r = 0; r < rows; ++r) {
    const bool defined = call.AllDefined() || (call.Defined(old_mean, r) &&
                                               call.Defined(old_m, r) && call.Defined(x, r));
    Row means = call.Load(old_mean, r), ms = call.Load(old_m, r);
    const Row data = call.Load(x, r);
    for (uint32_t i = 0; i < n; ++i) {
      const float before = data[i] - means[i];
      means[i] += before * call.Scalar();
      ms[i] += before * (data[i] - means[i]);
    }
    call.Store(mean, r, means);
    call.Store(m, r, ms);
    if (call.AllDefined()) continue;
    call.Mark(mean, r, defined);
    call.Mark(m, r, defined);
  }
}

// One mean and variance of partial ones, weighted by how many rows each saw: one weight, a head's
// and a tail's, or a list.
void RunWelfordFinalize(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const bool listed = v.mode & 1;
  const uint32_t n = call.Low(1), head = call.High(2), tail_count = call.Low(3),
                 tail = call.High(3);
  const Part mean = call.Operand(0, AKGEN_F32, 1), variance = call.Operand(1, AKGEN_F32, 1),
             means = call.Operand(2, AKGEN_F32, n), ms = call.Operand(3, AKGEN_F32, n),
             counts = call.Operand(4, AKGEN_I32, n);
  if (n % 8 || (!listed && (head + tail != n || (tail_count == 0 && tail != 0))))
    return void(call.Broken("lengths",
                            "abLength is no multiple of 8, or head and tail are not all of it",
                            "see WelfordFinalizePara"));
  call.Out(mean);
  call.Out(variance);
  call.In(means);
  call.In(ms);
  if (listed) call.In(counts);
  if (!call.Begin(WelfordFinalizeTmp(n))) return;
  const bool weighted = listed || tail_count != 0;
  const float ab_rec = ScalarOf<float>(v.scalar), r_rec = ScalarOf<float>(v.scalar >> 32);
  Row weights(n, 1.0f), values = call.Load(means), spread = call.Load(ms);
  if (listed)
    weights = call.Load(counts);
  else if (weighted)
    for (uint32_t i = 0; i < n; ++i) weights[i] = float(i < head ? call.Low(2) : tail_count);
  Row sum(n), squares(n);
  for (uint32_t i = 0; i < n; ++i) sum[i] = values[i] * weights[i];
  const float rec = weighted ? r_rec : ab_rec, middle = SumRow<float>(sum) * rec;
  for (uint32_t i = 0; i < n; ++i)
    squares[i] = (values[i] - middle) * (values[i] - middle) * weights[i];
  call.Store(mean, 0, middle);
  call.Store(variance, 0, SumRow<float>(spread) * r_rec + SumRow<float>(squares) * rec);
  if (call.AllDefined()) return;
  call.Mark(mean, 0, false);
  call.Mark(variance, 0, false);
}
}  // namespace

OwnFn FindNorm(const AkgenVec& v) {
  constexpr uint8_t kNeither = 12;  // no gamma, no beta
  const bool scaled = IsShortOrSingle(v.src1_type) || (v.mode & kNeither) == kNeither;
  switch (v.op) {
    case AKGEN_OP_LayerNorm:
    case AKGEN_OP_DeepNorm: return scaled ? RunLayerNorm : nullptr;
    case AKGEN_OP_Normalize: return scaled ? RunNormalize : nullptr;
    case AKGEN_OP_RmsNorm: return RunRmsNorm;
    case AKGEN_OP_GroupNorm: return RunGroupNorm;
    case AKGEN_OP_BatchNorm: return RunBatchNorm;
    case AKGEN_OP_LayerNormGrad: return RunLayerNormGrad;
    case AKGEN_OP_LayerNormGradBeta: return RunLayerNormGradBeta;
    case AKGEN_OP_WelfordUpdate: return RunWelfordUpdate;
    case AKGEN_OP_WelfordFinalize: return RunWelfordFinalize;
    default: return nullptr;
  }
}

}  // namespace akgen::sim
