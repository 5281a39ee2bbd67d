// A file of answers behind the interface of a model: JSON lines {"when": {tag: value, …}, "text":
// …, "reasoning": …}. The first line whose tags all equal the request's is the answer; "file" in
// place of "text" names a text file beside the script.
#pragma once
#include "generate/transcript.h"

namespace akgen::generate {

class ScriptModel : public Model {
 public:
  static base::Result<std::unique_ptr<Model>> Load(const std::filesystem::path& file,
                                                   const std::filesystem::path& transcript);
  base::Result<std::vector<Answer>> Ask(const Request& request) override;

 private:
  const Answer* Find(const base::Json& tags) const;
  explicit ScriptModel(const std::filesystem::path& transcript) : transcript_(transcript) {}
  struct Line {
    base::Json when;
    Answer answer;
  };
  std::string file_;
  std::vector<Line> lines_;
  Transcript transcript_;
};

}  // namespace akgen::generate
