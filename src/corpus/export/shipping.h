// A built corpus in the formats of trainers.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "chip/chip.h"

namespace akgen::corpus {

struct ShippingOptions {
  std::vector<std::string> formats;  // empty: all (formats.h)
  std::vector<std::string> answers = {
      "craft",
      "direct"};  // of a composed record: its program, its Ascend C project; "operations": the
                  // bare program for the reference as operations (generate::OperationsPrompt)
  std::string
      general;  // a chat set of the user's, {"messages"} or {"conversations"} a line, mixed in
  double general_share = 0.2;  // of all samples
  bool keep_others = false;    // for the user's own use: records of third-party kernels as well
  std::string chip{chip::kDefaultChip};
  std::function<void(uint64_t done)> progress;
};

struct Shipped {
  uint64_t samples = 0, preferences = 0;
  uint64_t general = 0, general_skipped = 0;  // of the chat set: conversations; lines that are none
  std::map<std::string, uint64_t> by_split;
};
base::Json ToJson(const Shipped& shipped);  // members by name

// Writes OUT/<format>/…; composed records are samples, records of mistakes are repairs and
// preferences (the right kernel over the failing one). Parts keep the records' split. AK0804: a
// record comes from a third-party kernel; AK0801 no corpus, or no such chat set; AK0002 files;
// AK1001 no such chip.
base::Result<Shipped> Ship(const std::filesystem::path& dir, const std::filesystem::path& out,
                           const ShippingOptions& options);

}  // namespace akgen::corpus
