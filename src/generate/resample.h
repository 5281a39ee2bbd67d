// Compiler-guided resampling: an answer that the compiler of the kernel language refuses is sampled
// again from the line it is refused for. This is decoding, like the grammar; no case is run,
// nothing is compared.
#pragma once
#include <functional>

#include "generate/generator.h"
#include "generate/model.h"

namespace akgen::generate {

struct Resampled {
  Answer answer;  // the last one, whole; tokens are those of all
  Made made;
  int attempts = 0;  // completions after the first
};

// Asks the model. While `make` names a line (Made::line), asks again, up to `most` times, with the
// lines in front of it as the prefix of the answer. Where the line uses a name that was not
// assigned (Made::missing), the prefix also holds the beginning of its assignment, once for each
// line and name. Without progress the prefix ends twice as many lines further up each time, because
// the cause often lies further up, and the temperature is raised. Errors are the model's.
base::Result<Resampled> Resample(Model& model, Request request,
                                 const std::function<Made(const Answer&)>& make, int most);

}  // namespace akgen::generate
