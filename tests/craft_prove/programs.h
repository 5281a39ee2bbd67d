// Programs of the examples, compiled for the default chip, and proofs of them.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "craft/craft.h"
#include "craft/prove/prove.h"
#include "craft/prove/replay.h"
#include "prover/z3_solver.h"

namespace akgen::craft::prove {

inline std::string Example(const std::string& name) {
  auto text = base::ReadFile(std::string(AKGEN_SOURCE_DIR) + "/examples/craft/" + name);
  EXPECT_TRUE(text.ok()) << name;
  return text.ok() ? *text : "";
}
inline std::vector<std::string> ExampleNames() {
  std::vector<std::string> out;
  const std::string root = std::string(AKGEN_SOURCE_DIR) + "/examples/craft/";
  for (const char* folder : {"", "constructs/", "level3/"})
    for (const auto& e : std::filesystem::directory_iterator(root + folder))
      if (e.path().extension() == ".py") out.push_back(folder + e.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}
inline Compiled Built(const std::string& program) {
  static const Target target = *LoadTarget();
  Compiled c = Compile(program, target);
  EXPECT_EQ(c.diagnostics.Render("p", program), "");
  return c;
}
inline Report Proof(const Compiled& c) {
  constexpr unsigned kSteps = 2'000'000;
  return Prove(c, *prover::MakeSolver(kSteps));
}
inline std::string Text(const Report& r) {
  std::string out;
  for (const Answer& a : r.answers)
    if (a.status != Status::kProven)
      out += std::string(NameOf(a.status)) + " line " + std::to_string(a.place.line) + ": " +
             a.what + ": " + a.why + " " + a.text + "\n";
  return out;
}
inline std::string Replace(std::string s, const std::string& from, const std::string& to) {
  const size_t at = s.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? s : s.replace(at, from.size(), to);
}

}  // namespace akgen::craft::prove
