// What a model says comes next: logits behind a text, for comparisons with other programs.
//   lm_logits MODEL          reads a line with a text in JSON, writes the vocabulary's float32
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cstdio>
#include <iostream>

#include "base/json.h"
#include "base/math_libraries.h"
#include "lm/model/checkpoint.h"

int main(int argc, char** argv) {
  akgen::base::RestartWithMathLibrarySettings(argv);
  auto c = akgen::lm::LoadCheckpoint(argc > 1 ? argv[1] : "");
  auto t = akgen::lm::LoadTokenizer(argc > 1 ? argv[1] : "");
  if (!c.ok() || !t.ok())
    return std::fprintf(stderr, "%s\n", (c.ok() ? t.error() : c.error()).ToString().c_str()), 2;
  const c10::NoGradGuard no_grad;
  const auto& model = *c->model;
  const akgen::lm::Weights w = model.View(c->flat);
  for (std::string line; std::getline(std::cin, line);) {
    const auto tokens = t->Encode(akgen::base::Parse(line).get<std::string>(), false);
    const std::vector<int64_t> ids(tokens.begin(), tokens.end());
    const at::Tensor hidden =
        model.Hidden(w, at::tensor(ids, at::kLong), model.Pack({int64_t(ids.size())}));
    const at::Tensor logits = at::linear(hidden.narrow(0, hidden.size(0) - 1, 1), w.head);
    std::fwrite(logits.data_ptr<float>(), sizeof(float), size_t(logits.numel()), stdout);
    std::fflush(stdout);
  }
  return 0;
}
