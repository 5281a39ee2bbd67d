// A built corpus in the formats of trainers.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "chip/chip.h"

namespace akgen::corpus {

struct ShippingOptions {
  std::vector<std::string> formats;  // empty: all (formats.h)
  std::vector<std::string> answers = {
      "craft", "direct"};      // of a composed record: its program, its Ascend C project; "operations": the
                               // bare program for the reference as operations (generate::OperationsPrompt)
  std::string general;         // a chat set of the user's, {"messages"} or {"conversations"} a line, mixed in
  double general_share = 0.2;  // of all samples
  bool keep_others = false;    // for the user's own use: records of third-party kernels as well
  std::string chip{chip::kDefaultChip};
  std::function<void(uint64_t done)> progress;
};

// Writes OUT/<format>/…; composed records are samples, records of mistakes are repairs and preferences (the right
// kernel over the failing one). Parts keep the records' split. Returns {"samples", "preferences", "general",
// "general_skipped", "by_split"}. AK0804: a record comes from a third-party kernel; AK0801 no corpus, or no such chat
// set; AK0002 files; AK1001 no such chip.
base::Result<base::Json> Ship(const std::filesystem::path& dir, const std::filesystem::path& out,
                              const ShippingOptions& options);

}  // namespace akgen::corpus
