// Answers that the kernel language refuses, written anew from the line they are refused for. The compiler of the
// language guides the model here as the grammar does while it writes; no case is run, nothing is compared.
#pragma once
#include <functional>

#include "generate/generator.h"
#include "generate/model.h"

namespace akgen::generate {

struct Drawn {
  Answer answer;  // the last one, whole; tokens are those of all
  Made made;
  int redraws = 0;
};

// Asks, and while `make` names a line (Made::line), up to `most` times again for an answer that begins with the lines
// in front of it. Where the line uses a name that was not assigned (Made::missing), the model is first made to assign
// it there, once for each line and name. Where that comes no further than before, twice as many lines are given up each
// time, for what is wrong often lies further up, and the model is asked at a higher temperature. Errors are the
// model's.
base::Result<Drawn> Draw(Model& model, Request request, const std::function<Made(const Answer&)>& make, int most);

}  // namespace akgen::generate
