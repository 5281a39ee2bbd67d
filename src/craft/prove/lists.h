// Lists of integers that kernels see, by the host's names of them.
#pragma once
#include <string>
#include <vector>

#include "craft/prove/terms.h"

namespace akgen::craft::prove {

Poly LengthOf(Terms& terms, const std::string& list);
// Of a list that was given to a kernel: no number is negative.
Poly ElementOf(Terms& terms, const std::string& list, const Poly& index);
// before(pieces, lists) on the host, where numbers may be negative.
Poly BeforeOf(Terms& terms, const std::vector<std::string>& lists, const Poly& pieces);
// before(piece, lists) in a kernel: starts rise by the sizes of the pieces. Of one piece and the
// end that is its definition, of two it is a lemma (lemmas.h).
Poly StartOf(Terms& terms, const std::vector<std::string>& lists, const Poly& piece);

}  // namespace akgen::craft::prove
