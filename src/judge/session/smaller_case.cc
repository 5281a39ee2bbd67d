#include "judge/session/smaller_case.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/machine/mapping.h"
#include "task/dist_spec.h"

namespace akgen::judge {
namespace {
constexpr int64_t kFewBytes = 8 << 20;              // of inputs, where rows are no larger
constexpr uint64_t kMaxMemory = uint64_t{2} << 30;  // of the reference on `few`
constexpr int64_t kMaxRepeats = 2048;               // mappings of a tensor

std::optional<int64_t> Leading(const task::CaseRow& row) {
  const base::Json shape = task::UsualColumnsOf(row.columns).shape;
  if (!shape.is_array() || shape.empty() || !shape[0].is_number_integer()) return std::nullopt;
  return shape[0].get<int64_t>();
}

base::Error No(std::string why) { return {"AK0104", std::move(why), "", ""}; }

bool IsPrime(int64_t n) {
  for (int64_t d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return n > 1;
}

// Which tensors have rows. Nothing: one of them becomes smaller in another way.
std::optional<std::vector<bool>> RowsOf(const std::vector<task::ParamDesc>& few, int64_t rows,
                                        const std::vector<task::ParamDesc>& full,
                                        int64_t all_rows) {
  const auto a = task::Flatten(few), b = task::Flatten(full);
  if (a.size() != b.size()) return std::nullopt;
  std::vector<bool> out;
  for (size_t i = 0; i < a.size(); ++i) {
    const auto &small = a[i].shape, &large = b[i].shape;
    if (a[i].dtype != b[i].dtype || small.size() != large.size()) return std::nullopt;
    out.push_back(small != large);
    if (small == large) continue;
    if (!std::equal(small.begin() + 1, small.end(), large.begin() + 1) ||
        small[0] * all_rows != large[0] * rows || small[0] % rows != 0)
      return std::nullopt;
  }
  return out;
}

// Why the parameters are of a kind that rows cannot be repeated of; "" where they are not.
std::string Unfit(const task::CaseDesc& c) {
  for (const auto* params : {&c.inputs, &c.outputs})
    for (const task::ParamDesc& p : *params) {
      if (p.kind == task::ParamKind::kList) return "'" + p.name + "' is a list of tensors";
      if (p.is_shape) return "the kernel writes the shape of an output";
      if (p.zeroed) return "blocks may add to '" + p.name + "', which starts as zeros";
      if (p.index && p.index->axis <= 0) return "'" + p.name + "' counts along the rows";
    }
  return "";
}

struct RowBytes {
  int64_t unit = 1,
          input = 0;  // rows that fill whole pages of every input; bytes of all inputs for one row
};
RowBytes RowBytesOf(const std::vector<task::ParamDesc>& inputs, const std::vector<bool>& has_rows,
                    int64_t rows) {
  RowBytes out;
  const auto flat = task::Flatten(inputs);
  const auto page = int64_t(sim::PageBytes());
  for (size_t i = 0; i < flat.size(); ++i) {
    if (!has_rows[i]) continue;
    const int64_t bytes = int64_t(flat[i].Bytes()) / rows;
    out.unit = std::lcm(out.unit, page / std::gcd(page, bytes));
    out.input += bytes;
  }
  return out;
}
}  // namespace

std::optional<task::CaseDesc> WithRows(const task::TaskSpec& task, task::CaseRow row,
                                       int64_t rows) {
  if (!Leading(row)) return std::nullopt;
  base::Json shape = task::UsualColumnsOf(row.columns).shape;
  shape[0] = rows;
  row.columns["shape"] = std::move(shape);
  auto c = task::ResolveCase(task, row);
  return c.ok() ? std::optional(std::move(*c)) : std::nullopt;
}

std::optional<task::CaseDesc> SmallerCase(const task::TaskSpec& task, task::CaseRow row,
                                          const task::CaseDesc& c, int64_t factor) {
  const auto leading = Leading(row);
  if (!leading || *leading % factor != 0) return std::nullopt;
  auto small = WithRows(task, std::move(row), *leading / factor);
  if (!small ||
      std::fabs(double(small->memory_estimate) * double(factor) / double(c.memory_estimate) - 1) >
          0.02)
    return std::nullopt;
  return small;
}

base::Result<RepeatedCase> RepeatCase(const task::TaskSpec& task, const task::CaseRow& row,
                                      const task::CaseDesc& full) {
  const auto leading = Leading(row);
  const auto one = leading ? WithRows(task, row, 1) : std::nullopt;
  if (!one || *leading < 1) return No("its shapes do not follow from a column 'shape'");
  if (std::string why = Unfit(full); !why.empty()) return No(why);
  const auto inputs = RowsOf(one->inputs, 1, full.inputs, *leading);
  const auto outputs = RowsOf(one->outputs, 1, full.outputs, *leading);
  if (!inputs || !outputs)
    return No("its tensors do not consist of rows along the first dimension of 'shape'");
  size_t flat = 0;
  for (const task::ParamDesc& p : full.outputs)
    for (size_t t = 0; t < p.tensors.size(); ++t)
      if (!(*outputs)[flat++] && p.compared)
        return No("output '" + p.name + "' is made of all rows");
  const RowBytes bytes = RowBytesOf(full.inputs, *inputs, *leading);
  if (!bytes.input) return No("no input consists of rows");
  const int64_t least = std::max<int64_t>(3, (*leading / kMaxRepeats + bytes.unit) / bytes.unit);
  int64_t times = std::max(least, kFewBytes / (bytes.unit * bytes.input));
  times = std::min(times, *leading / bytes.unit);
  while (times > 2 && !IsPrime(times)) --times;
  auto few = times > 2 ? WithRows(task, row, times * bytes.unit) : std::nullopt;
  if (!few || few->memory_estimate > kMaxMemory)
    return No("its rows are too large, or too few, to be repeated");
  for (size_t i = 0; i < full.attrs.size(); ++i)
    if (few->attrs[i].value != full.attrs[i].value)
      return No("attribute '" + full.attrs[i].name + "' follows the shape");
  return RepeatedCase{std::move(*few), times * bytes.unit, *leading, *inputs, *outputs};
}

}  // namespace akgen::judge
