// Blocks of an output, and products: sums of exact products, rounded once, in any order within the
// bound.
#include "craft/interpret/core.h"

namespace akgen::craft {

void Core::EachBlock(const ir::Stmt& s) {
  const ir::Blocks& b = *s.blocks;
  if (b.group.empty()) return (void)BlocksOf(s, 0);
  const int64_t groups = static_cast<int64_t>(lists_[k_.StartsOf(b.starts).list].size());
  int64_t before = 0;
  for (int64_t g = 0; g < groups; ++g) {
    env_[b.group] = g;
    before += BlocksOf(s, before);
  }
}

// This core's blocks of one output, which begins with block number `before`; how many it has.
int64_t Core::BlocksOf(const ir::Stmt& s, int64_t before) {
  const ir::Blocks& b = *s.blocks;
  auto extent = [&](const S& e, int64_t least) {
    const int64_t n = Int(e);
    if (n < least) Fail("AK1530", "blocks() with an extent below 0 or a size below 1", s.place);
    return n;
  };
  const int64_t m = extent(b.m, 0), tm = extent(b.tm, 1), n = b.n ? extent(b.n, 0) : 1,
                tn = b.n ? extent(b.tn, 1) : 1;
  if (b.order) (void)Int(b.order);  // seen in the time only
  const int64_t rows = (m + tm - 1) / tm, cols = (n + tn - 1) / tn;
  int64_t all = rows * cols;
  for (const auto& [name, e] : b.over) all *= extent(e, 0);
  for (int64_t t = Whole("%", core_ - before, cores_); t < all; t += cores_) {
    int64_t rest = t / (rows * cols), i = t / cols % rows * tm, j = t % cols * tn;
    for (size_t o = b.over.size(); o-- > 0; rest /= Int(b.over[o].second))
      env_[b.over[o].first] = rest % Int(b.over[o].second);
    env_[b.row] = i;
    env_[b.rows] = std::min(tm, m - i);
    if (b.n) env_[b.col] = j;
    if (b.n) env_[b.cols] = std::min(tn, n - j);
    Block(s.body);
  }
  return all;
}

TileData Core::Fetch(const ir::GmRef& ref) {
  Tensor* t = CheckWindow(ref);
  const ir::Gm& gm = k_.gms[ref.gm];
  const int64_t offset = Int(ref.offset), rows = Int(ref.rows), cols = Int(ref.cols),
                stride = Int(ref.row_stride);
  TileData tile = MakeTile(gm.dtype, rows, cols);
  GmTensor& memory = memory_[t];
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c) {
      const int64_t at = offset + r * stride + c;
      memory.Touch(core_, gm, at, true, ref.place, false);
      if (bounds_) MoveBound(*t, at, tile, r * cols + c, true, false);
      ReadElement(tile, r * cols + c, t->bytes.data() + at * base::SizeOf(gm.dtype));
    }
  return tile;
}

TileData Core::Operand(const ir::Matrix& m) {
  TileData x = m.buffer >= 0 ? buffers_[m.buffer] : Fetch(m.gm);
  if (!m.transposed) return x;
  TileData out = MakeTile(x.dtype, x.cols, x.rows);
  if (!x.e.empty()) out.e.resize(x.e.size());
  for (int64_t r = 0; r < out.rows; ++r)
    for (int64_t c = 0; c < out.cols; ++c) {
      const int64_t to = r * out.cols + c, from = c * x.cols + r;
      if (x.real())
        out.f[to] = x.f[from];
      else
        out.i[to] = x.i[from];
      if (!x.e.empty()) out.e[to] = x.e[from];
    }
  return out;
}

void Core::Multiply(const ir::Product& p) {
  const TileData a = Operand(p.a), b = Operand(p.b);
  const ir::Buffer& acc = k_.buffers[p.acc];
  TileData out = MakeTile(acc.dtype, a.rows, b.cols);
  if (a.rows > Int(acc.rows) || b.cols > Int(acc.cols))
    Fail("AK1530", fmt::format("{} is too small for [{}, {}]", acc.name, a.rows, b.cols), p.place);
  if (p.accumulate && !buffers_.Filled(p.acc))
    Fail("AK1530", fmt::format("{} is added to before it was written", acc.name), p.place);
  TileData row = p.row ? Fetch(*p.row) : TileData{};
  std::vector<const TileData*> starts;
  if (p.row) starts.push_back(&row);
  if (p.accumulate) starts.push_back(&buffers_[p.acc]);
  if (bounds_ && out.real()) out.e.resize(static_cast<size_t>(out.rows * out.cols));
  for (int64_t r = 0; r < out.rows; ++r) {
    std::vector<double> sum(static_cast<size_t>(b.cols)), size(sum.size()), error(sum.size());
    std::vector<int64_t> whole(sum.size());
    for (int64_t k = 0; k < a.cols; ++k)
      for (int64_t c = 0; c < b.cols; ++c) {
        const int64_t x = r * a.cols + k, y = k * b.cols + c;
        if (!out.real()) {
          whole[c] += a.i[x] * b.i[y];
          continue;
        }
        const double product = static_cast<double>(a.f[x]) * b.f[y];
        sum[c] += product;
        if (!bounds_) continue;
        const double ea = a.e.empty() ? 0 : a.e[x], eb = b.e.empty() ? 0 : b.e[y];
        size[c] += std::fabs(product);
        if (eb > 0) error[c] += std::fabs(a.f[x]) * eb + ea * eb;
        if (ea > 0) error[c] += std::fabs(b.f[y]) * ea;
      }
    for (int64_t c = 0; c < b.cols; ++c) {
      const int64_t n = r * b.cols + c;
      for (const TileData* first : starts) {
        const int64_t at = first == &row ? c : n;
        if (!out.real()) {
          whole[c] += first->i[at];
          continue;
        }
        sum[c] += first->f[at];
        size[c] += std::fabs(first->f[at]);
        error[c] += first->e.empty() ? 0 : first->e[at];
      }
      if (!out.real()) {
        out.i[n] = std::clamp<int64_t>(whole[c], std::numeric_limits<int32_t>::min(),
                                       std::numeric_limits<int32_t>::max());
        continue;
      }
      out.f[n] = static_cast<float>(sum[c]);
      if (!bounds_) continue;
      // As sums of tiles (bounds.cc): one rounding an addition, one more for products of f32.
      constexpr double kEps = 1.0 / (1 << 24);
      const double e = error[c] + 1.01 * static_cast<double>(a.cols + 2) * kEps * size[c];
      out.e[n] =
          size[c] + e > std::numeric_limits<float>::max()
              ? std::numeric_limits<float>::infinity()
              : std::nextafter(static_cast<float>(e), std::numeric_limits<float>::infinity());
    }
  }
  buffers_.Fill(p.acc, std::move(out));
}

// Sums on their way out of L0C: scaled, through ReLU, rounded to the tensor's dtype.
TileData Core::Leaving(const ir::Copy& c, Dtype to) {
  TileData x = buffers_[c.buffer];
  if (c.scale) {
    // Fixpipe takes 10 bits of the scale's mantissa.
    const float scale = static_cast<float>(AsReal(Eval(c.scale)));
    uint32_t bits = 0;
    std::memcpy(&bits, &scale, sizeof bits);
    bits &= 0xffffe000u;
    float short_scale = 0;
    std::memcpy(&short_scale, &bits, sizeof bits);
    TileData scaled = MakeTile(Dtype::kFloat32, x.rows, x.cols);
    for (size_t n = 0; n < scaled.f.size(); ++n)
      scaled.f[n] = static_cast<float>(x.i[n]) * short_scale;
    x = std::move(scaled);
  }
  for (size_t n = 0; c.relu && n < std::max(x.f.size(), x.i.size()); ++n) {
    if (x.real())
      x.f[n] = std::max(x.f[n], 0.0f);
    else
      x.i[n] = std::max<int64_t>(x.i[n], 0);
  }
  if (to == x.dtype) return x;
  TileData out = CastTile(x, to);
  ir::Value cast;
  cast.op = ir::Op::k_cast;
  if (bounds_) AddBounds(cast, {&x}, out);
  return out;
}

}  // namespace akgen::craft
