// The examples, lowered: projects of the constructs to the letter (golden/*.txt), and of every
// program a line with its modelled cycles and what its project's text is, shortened to a digest
// (golden/programs.txt). A change of the planner's, the passes' or the emitter's rules shows here
// as a difference that somebody reads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "../golden.h"
#include "base/files.h"
#include "base/hash.h"
#include "craft/emit/emit.h"
#include "craft/fuzz/generate.h"
#include "craft/interpret/arguments.h"
#include "craft/interpret/interpret.h"
#include "on_default_chip.h"

namespace akgen::craft {
namespace {
namespace fs = std::filesystem;
const fs::path kSource = AKGEN_SOURCE_DIR, kGolden = kSource / "tests/craft/golden";

std::vector<fs::path> ProgramsIn(const char* folder) {
  std::vector<fs::path> out;
  for (const auto& e : fs::directory_iterator(kSource / folder))
    if (e.path().extension() == ".py") out.push_back(e.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::string ProjectText(const Compiled& c) {
  std::string out;
  for (const auto& [path, text] : EmitProject(c.lowered)) out += "==== " + path + "\n" + text;
  return out;
}

std::string CostText(const Compiled& c) {
  std::string out;
  for (const LoweredProgram& p : c.lowered)
    for (const LoweredKernel& k : p.kernels) {
      out += k.kernel.name + " ub " + ir::ToText(k.ub_bytes) + " cycles " + ir::ToText(k.cycles);
      for (const auto& [name, cycles] : k.parts) out += " " + name + " " + ir::ToText(cycles);
      out += "\n";
    }
  return out;
}

TEST(CraftGolden, ConstructsToTheLetter) {
  for (const fs::path& file : ProgramsIn("examples/craft/constructs")) {
    const Compiled c = Compile(*base::ReadFile(file));
    ASSERT_TRUE(c.diagnostics.empty()) << file;
    if (file.stem().string() > "lists") continue;  // EveryProgram has a digest of each
    ExpectGolden(kGolden, file.stem().string() + ".txt", ProjectText(c));
  }
}

TEST(CraftGolden, EveryProgram) {
  std::string text;
  for (const char* folder : {"examples/craft", "examples/craft/constructs", "examples/craft/level3",
                             "tests/craft/programs"})
    for (const fs::path& file : ProgramsIn(folder)) {
      const Compiled c = Compile(*base::ReadFile(file));
      ASSERT_TRUE(c.diagnostics.empty()) << file;
      std::string programs;
      for (const ir::Program& p : c.programs) programs += ir::Dump(p);
      text += fs::relative(file, kSource).string() + ": program " +
              base::Sha256(programs).substr(0, 12) + ", project " +
              base::Sha256(ProjectText(c)).substr(0, 12) + ", cost " +
              base::Sha256(CostText(c)).substr(0, 12) + "\n";
    }
  ExpectGolden(kGolden, "programs.txt", text);
}

std::string Outcome(const std::string& program) {
  const Compiled c = Compile(program);
  return c.diagnostics.empty() ? "project " + base::Sha256(ProjectText(c)).substr(0, 12) + "\n"
                               : c.diagnostics.Render("p", program);
}

// Each line left out, each line twice, and each number one more: what is refused, where and why, or
// what becomes of it. In full for one program, a digest for the others.
TEST(CraftGolden, EveryLineChanged) {
  std::string text;
  for (const char* folder : {"examples/craft", "examples/craft/constructs"})
    for (const fs::path& file : ProgramsIn(folder)) {
      const std::string program = *base::ReadFile(file);
      std::string all;
      for (size_t begin = 0, end = 0; begin < program.size(); begin = end) {
        end = std::min(program.find('\n', begin), program.size() - 1) + 1;
        const std::string line = program.substr(begin, end - begin);
        if (line == "\n" || line[0] == '#') continue;
        const std::string front = program.substr(0, begin), back = program.substr(end);
        all += "without " + line + Outcome(front + back) + "twice\n" +
               Outcome(front + line + line + back);
        const size_t digit = line.find_first_of("0123456789");
        if (digit == std::string::npos) continue;
        std::string other = line;
        other[digit] = line[digit] == '9' ? '3' : char(line[digit] + 1);
        all += "with " + other + Outcome(front + other + back);
      }
      text += "==== " + file.stem().string() + ": " + base::Sha256(all).substr(0, 12) + "\n";
      if (file.stem() == "masks" || file.stem() == "softmax") text += all;
    }
  ExpectGolden(kGolden, "changed.txt", text);
}

double NumberAt(const Tensor& x, int64_t i) {
  const uint8_t* at = x.bytes.data() + size_t(i * SizeOf(x.Seen()));
  switch (x.Seen()) {
    case base::Dtype::kFloat32: {
      float v;
      std::memcpy(&v, at, 4);
      return double(v);
    }
    case base::Dtype::kFloat16: {
      uint16_t v;
      std::memcpy(&v, at, 2);
      return double(base::HalfToFloat(v));
    }
    case base::Dtype::kBfloat16: {
      uint16_t v;
      std::memcpy(&v, at, 2);
      return double(base::Bf16ToFloat(v));
    }
    case base::Dtype::kInt32: {
      int32_t v;
      std::memcpy(&v, at, 4);
      return double(v);
    }
    case base::Dtype::kInt64: {
      int64_t v;
      std::memcpy(&v, at, 8);
      return double(v);
    }
    case base::Dtype::kInt16: {
      int16_t v;
      std::memcpy(&v, at, 2);
      return double(v);
    }
    case base::Dtype::kInt8: return double(int8_t(*at));
    default: return double(*at);
  }
}

// Sums of an output and of its bounds, weighted by place; a last digit of the C library's does not
// show.
std::string Summary(const Tensor& x) {
  double sum = 0, weighted = 0, error = 0;
  int64_t odd = 0;
  for (int64_t i = 0; i < x.Elements(); ++i) {
    const double v = NumberAt(x, i);
    if (!std::isfinite(v)) {
      odd += i + 1;
      continue;
    }
    sum += v, weighted += v * double(i % 7 + 1);
    if (!x.err.empty() && std::isfinite(x.err[size_t(i)]))
      error += double(x.err[size_t(i)]);
    else
      odd += 1000 * int64_t(!x.err.empty());
  }
  std::string shape;
  for (int64_t d : x.shape) shape += std::to_string(d) + " ";
  return fmt::format("[{}] {:.4g} {:.4g} within {:.3g}, not finite {}", shape, sum, weighted, error,
                     odd);
}

TEST(CraftGolden, WhatEveryProgramComputes) {
  std::string text;
  for (const char* folder : {"examples/craft", "examples/craft/constructs", "examples/craft/level3",
                             "tests/craft/programs"})
    for (const fs::path& file : ProgramsIn(folder)) {
      const std::string program = *base::ReadFile(file);
      const Compiled c = Compile(program);
      ASSERT_TRUE(c.diagnostics.empty()) << file;
      for (const std::string& line : TryLines(program)) {
        const auto one = ParseCase(c.programs, line, 3);
        ASSERT_TRUE(one.ok()) << file << one.error().message;
        Limits limits(DefaultTarget());
        limits.bounds = true;
        const size_t column = one->column;
        const auto out = Interpret(c.programs[column], c.lowered[column], one->args, limits);
        text += file.stem().string() + " " + line + ":";
        if (!out.ok()) text += " " + out.error().code + " " + out.error().message + "\n";
        if (!out.ok()) continue;
        for (const auto& list : out->tensors)
          for (const Tensor& x : list) text += " " + Summary(x);
        text += fmt::format("; {} never written\n", out->never_written);
      }
    }
  ExpectGolden(kGolden, "computed.txt", text);
}

// Random programs of a seed are always the same, and so is what becomes of them.
TEST(CraftGolden, RandomPrograms) {
  std::string text;
  for (uint64_t index = 0; index < 300; ++index) {
    const RandomProgram p = Generate(1, index);
    std::string smaller;
    if (index < 40)
      for (const RandomProgram& s : Smaller(p)) smaller += s.source;
    const Compiled c = Compile(p.source);
    text += std::to_string(index) + " " + base::Sha256(p.source).substr(0, 12) + " " +
            base::Sha256(smaller).substr(0, 12) + " " +
            (c.diagnostics.empty() ? base::Sha256(ProjectText(c) + CostText(c)).substr(0, 12)
                                   : "refused") +
            "\n";
    if (index < 3) text += p.source;
  }
  ExpectGolden(kGolden, "random.txt", text);
}
}  // namespace
}  // namespace akgen::craft
