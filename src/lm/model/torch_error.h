// Exceptions of libtorch as errors with a code: AK1923 when memory ran out, AK1925 otherwise.
#pragma once
#include <c10/util/Exception.h>

#include <new>
#include <string>

#include "base/status.h"

namespace akgen::lm {

inline base::Error TorchError(const std::exception& e, const std::string& where) {
  const auto* c10_error = dynamic_cast<const c10::Error*>(&e);
  std::string text = c10_error ? c10_error->what_without_backtrace() : e.what();
  bool memory = dynamic_cast<const std::bad_alloc*>(&e) ||
                text.find("out of memory") != std::string::npos ||
                text.find("allocate memory") != std::string::npos ||
                text.find("not enough memory") != std::string::npos;
  if (memory)
    return {"AK1923", "out of memory", where,
            "lower micro_tokens, workers, n, max_tokens, or the model's size"};
  return {"AK1925", "libtorch refuses: " + text.substr(0, text.find('\n')), where,
          "choose another device, or report it"};
}

}  // namespace akgen::lm
