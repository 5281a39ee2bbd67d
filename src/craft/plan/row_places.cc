// The places of elements of a row, as text.
#include "craft/plan/row_kernel.h"

namespace akgen::craft {

size_t RowPlaces::Of(const RowDims& from, size_t dim, const std::string& first, int64_t step,
                     const RowDims& to, bool inside) {
  std::string key =
      fmt::format("{}|{}|{}|{}|{}|{}|{}", Product(from, 0, dim), from[dim].text,
                  Product(from, dim + 1, from.size()), first, step, to[dim].text, inside);
  for (size_t k = 0; k < places_.size(); ++k)
    if (places_[k].key == key) return k;
  const size_t k = places_.size();
  places_.push_back({key, Product(to), "", ""});
  Write(k, from, dim, first, step, to, inside);
  return k;
}

void RowPlaces::Write(size_t k, const RowDims& from, size_t dim, const std::string& first,
                      int64_t step, const RowDims& to, bool inside) {
  std::string& text = places_[k].text;
  std::string inner = Product(from, dim + 1, from.size()), id = std::to_string(k), c = "j" + id;
  bool outer = Product(from, 0, dim) != "1", wraps = inner != "1";
  text += fmt::format("        j{} = cast(iota(0, {}), f32)\n", k, Product(to));
  if (wraps)
    text += fmt::format("        t{0} = floor((j{0} + 0.5) / float({1}))\n", k, inner),
        c = "t" + id;
  if (outer)
    text += fmt::format(
        "        a{0} = floor(({1} + 0.5) / float({2}))\n        c{0} = {1} - a{0} * float({2})\n",
        k, c, to[dim].text);
  std::string along = outer ? "c" + id : c;
  std::string f = step == 0    ? fmt::format("{} * 0.0", along)
                  : step == 1  ? along
                  : step == -1 ? "-" + along
                               : fmt::format("{} * {}.0", along, step);
  if (first != "0") f += fmt::format(" + float({})", first);
  text += fmt::format("        f{} = {}\n", k, f);
  if (!inside)
    places_[k].mask =
        fmt::format("        m{0}[:] = where((f{0} >= 0.0) & (f{0} < float({1})), 1.0, 0.0)\n", k,
                    from[dim].text);
  std::string place =
      inside ? "f" + id
             : fmt::format("minimum(maximum(f{}, 0.0), float({} - 1))", k, from[dim].text);
  if (outer) place = fmt::format("a{} * float({}) + {}", k, from[dim].text, place);
  if (wraps) place = fmt::format("({0}) * float({1}) + j{2} - t{2} * float({1})", place, inner, k);
  text += fmt::format("        k{}[:] = cast({}, i32)\n", k, place);
}

std::string RowPlaces::Buffers() const {
  std::string out;
  for (size_t k = 0; k < places_.size(); ++k) {
    out += fmt::format("    k{} = ub({}, dtype=i32)\n", k, places_[k].width);
    if (masks_.count(k)) out += fmt::format("    m{} = ub({}, dtype=f32)\n", k, places_[k].width);
  }
  return out;
}

std::string RowPlaces::Text() const {
  std::string out;
  for (size_t k = 0; k < places_.size(); ++k)
    out += places_[k].text + (masks_.count(k) ? places_[k].mask : "");
  return out;
}

}  // namespace akgen::craft
