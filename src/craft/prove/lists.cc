#include "craft/prove/lists.h"

#include <fmt/format.h>

namespace akgen::craft::prove {

Poly LengthOf(Terms& terms, const std::string& list) {
  const size_t before = terms.Size();
  const int atom = terms.Named("length " + list, {fmt::format("len({})", list), false, true});
  if (terms.Size() != before) terms.Define(atom, Le(0, Poly::Atom(atom)));
  return Poly::Atom(atom);
}

Poly ElementOf(Terms& terms, const std::string& list, const Poly& index) {
  const size_t before = terms.Size();
  const int atom = terms.Named("element " + list + index.Key(),
                               {fmt::format("{}[{}]", list, terms.Text(index)), false, true});
  if (terms.Size() == before) return Poly::Atom(atom);
  terms.FunctionOf(atom, "element " + list, index);
  terms.MeasuredBy(atom, {list});
  terms.Define(atom, Le(0, Poly::Atom(atom)));
  return Poly::Atom(atom);
}

Poly BeforeOf(Terms& terms, const std::vector<std::string>& lists, const Poly& pieces) {
  const std::string of = fmt::format("{}", fmt::join(lists, ", "));
  const size_t before = terms.Size();
  const int atom = terms.Named("before " + of + ":" + pieces.Key(),
                               {fmt::format("before({}, {})", terms.Text(pieces), of)});
  if (terms.Size() != before) terms.FunctionOf(atom, "before " + of, pieces);
  return Poly::Atom(atom);
}

Poly StartOf(Terms& terms, const std::vector<std::string>& lists, const Poly& piece) {
  const std::string of = fmt::format("{}", fmt::join(lists, ", "));
  const Poly all = LengthOf(terms, lists[0]);
  const size_t before = terms.Size();
  const int atom = terms.Named("start " + of + ":" + piece.Key(),
                               {fmt::format("before({}, {})", terms.Text(piece), of), false, true});
  const Poly start = Poly::Atom(atom);
  if (terms.Size() == before) return start;
  terms.FunctionOf(atom, "start " + of, piece);
  terms.Define(atom, Le(0, start));
  terms.Define(atom, Implies(Eq(piece, 0), Eq(start, 0)));
  if (piece == all) return start;
  Poly size = 1;
  for (const std::string& list : lists) size = size * ElementOf(terms, list, piece);
  terms.MadeOf(atom, 's', piece, size);
  terms.MeasuredBy(atom, lists);
  terms.Define(atom, Implies(Lt(piece, all), Le(start + size, StartOf(terms, lists, all))));
  return start;
}

}  // namespace akgen::craft::prove
