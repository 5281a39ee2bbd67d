// What a solver of linear arithmetic has to be told besides facts and a goal: the definitions of
// the atoms in them, and what is known of the products, without a quantifier, for the products that
// occur.
#pragma once
#include <set>
#include <vector>

#include "craft/prove/terms.h"

namespace akgen::craft::prove {

std::set<int> AtomsOf(const F& f);

// `roots` with all definitions of their atoms, and of the atoms of these.
std::vector<F> WithDefinitions(const Terms& terms, std::vector<F> roots);

// Of functions of numbers in `all`: equal arguments give equal values. Of starts, a later piece
// begins behind an earlier one.
std::vector<F> FunctionLemmas(const Terms& terms, const std::vector<F>& all);

// `all`, with atoms that are equal to an expression replaced by it: products that are equal become
// the same.
std::vector<F> WithEqualities(std::vector<F> all);

// For each product x * c of `all`: its sign by those of x and c, and its value where one is 0 or 1.
// For each pair x * c, y * c with c >= 0: x < y gives x * c + c <= y * c, and equal factors give
// equal products. `more`: where x <= y + n is spoken of, of y * c, too.
std::vector<F> ProductLemmas(const Terms& terms, const std::vector<F>& all, bool more = false);

}  // namespace akgen::craft::prove
