// Completions of a prompt by a local model. Sample i of a seed draws the same random numbers
// whatever the batch size.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "lm/sample/token_mask.h"
#include "lm/tokenizer/chat.h"

namespace akgen::lm {

// The prefix of a completion: the tokens of `text` that lie wholly in its first `bytes` bytes. (Cut
// anywhere else, the continuation would begin with other tokens than in training.)
struct Prefix {
  std::string text;
  int64_t bytes = 0;
};

struct SampleOptions {
  int64_t n = 1, max_tokens = 1024;
  double temperature = 0.7, top_p = 1.0;  // temperature 0: always the likeliest token
  uint64_t seed = 0;
  std::vector<uint64_t> seeds;  // one for each of n, which then draws what it would draw alone with
                                // it; empty: `seed` for all
  std::vector<Prefix> prefixes;   // one for each of n; empty: no prefixes
  std::string grammar;            // GBNF text; empty: none
  std::vector<std::string> stop;  // a completion ends before the first of these
};

struct Completion {
  std::string text;      // its prefix included
  std::vector<int> ids;  // all tokens that were drawn, the end's too
  std::string
      finish;  // stop: end token, stop text or the grammar's end; length: max_tokens or the context
  int64_t tokens = 0;
  double log_p =
      0;  // of the tokens that were drawn, under the model without temperature and grammar
};

struct SampleTimes {
  double read_s = 0, write_s = 0;
  int64_t prompt_tokens = 0, tokens = 0;
};

class LocalModel {
 public:
  // A checkpoint with its tokenizer. AK1911 when they do not fit, and the codes of loading.
  static base::Result<std::unique_ptr<LocalModel>> Load(const std::filesystem::path& folder,
                                                        const std::string& device = "cpu",
                                                        const std::string& compute = "float32");
  virtual ~LocalModel() = default;

  // AK1930 the prompt leaves no room in the context, AK1931 the grammar, AK1932 a prefix is not of
  // the grammar, AK1923 memory.
  virtual base::Result<std::vector<Completion>> Complete(const std::vector<int>& prompt,
                                                         const SampleOptions& options,
                                                         SampleTimes* times = nullptr) = 0;
  virtual const Tokenizer& tokenizer() const = 0;

  // One request of the line protocol, see docs/lm.md. Errors are in the answer.
  base::Json Answer(const base::Json& request);
};

base::Json ErrorJson(const base::Error& e);

}  // namespace akgen::lm
