// Records of a built corpus, schema 1, one line each; docs/corpus.md lists the fields.
#pragma once
#include "corpus/records/reasoning.h"

namespace akgen::corpus {

inline constexpr const char* kLicense = "Apache-2.0";  // of what akgen's own programs make

// A verified candidate as a record.
base::Json RecordOf(const Candidate& c, const std::string& canonical, const craft::Limits& limits,
                    const base::Json& provenance);
// The train, validation or test part: records with the same kinds of building blocks never stand in
// two parts.
std::string SplitOf(const std::string& family);
std::string FamilyOf(const Composition& c);

}  // namespace akgen::corpus
