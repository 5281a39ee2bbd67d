// Text that a test makes, beside the file that says what it should be. AKGEN_GOLDEN=write in the
// environment of the test renews the files after a change that is meant; `git diff` then shows what
// changed.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

// `folder`: golden/ beside the test's sources, which CMakeLists.txt names.
inline void ExpectGolden(const std::filesystem::path& folder, const std::string& name,
                         const std::string& text) {
  const std::filesystem::path file = folder / name;
  if (std::getenv("AKGEN_GOLDEN")) {
    std::filesystem::create_directories(folder);
    std::ofstream(file) << text;
  }
  std::ostringstream expected;
  expected << std::ifstream(file).rdbuf();
  std::istringstream want(expected.str()), have(text);
  std::string a, b;
  for (int line = 1; std::getline(want, a); ++line)
    if (!std::getline(have, b) || a != b) {
      ADD_FAILURE() << file << ":" << line << "\n  expected " << a.substr(0, 2000)
                    << "\n  is       " << b.substr(0, 2000);
      return;
    }
  EXPECT_EQ(expected.str().size(), text.size()) << file << ": more than there";
}
