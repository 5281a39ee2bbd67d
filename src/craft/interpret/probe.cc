#include "craft/interpret/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "craft/interpret/arguments.h"

namespace akgen::craft {
namespace {
// Every tensor has this shape; those that a rule of the program wants smaller are tried with its
// last extent alone.
const char* const kShapes[] = {"1",     "7",     "64",    "100",     "1, 1",     "3, 5",
                               "8, 16", "33, 7", "1, 40", "2, 3, 5", "4, 8, 16", "2, 3, 5, 7"};

std::string CaseText(const ir::Program& p, const std::string& shape, bool small) {
  std::string text;
  bool first = true;
  for (const ir::HostParam& param : p.params) {
    if (param.is_int_list && param.is_attr) text += fmt::format("{}=0 ", param.name);
    if (param.is_attr) {
      if (!param.fallback && !param.is_int_list)
        text += fmt::format("{}={} ", param.name, param.type == ir::Ty::kBool ? "True" : "1");
      continue;
    }
    std::string own =
        small && !first && !param.is_list
            ? shape.substr(shape.rfind(',') == std::string::npos ? 0 : shape.rfind(',') + 2)
            : shape;
    bool whole = !base::IsFloating(param.dtype);
    // Whole numbers may be indices: 0 is one of every tensor that has elements.
    text += fmt::format("{}={}[{}]{} ", param.name, ir::ShortName(param.dtype), own,
                        whole && param.dtype != base::Dtype::kBool ? "{0, 0}" : "");
    first = false;
  }
  for (const ir::HostTensor& t : p.tensors)
    if (t.given) text += fmt::format("{}={}[{}] ", t.name, ir::ShortName(t.dtype), shape);
  return text;
}

Place PlaceOf(const base::Error& e, const std::string& source) {
  Place p{1, 1, 1};
  if (e.where.rfind("line ", 0) != 0) return p;
  p.line = std::atoi(e.where.c_str() + 5);
  size_t at = 0;
  for (int line = 1; line < p.line && at != std::string::npos; ++line)
    at = source.find('\n', at) == std::string::npos ? std::string::npos : source.find('\n', at) + 1;
  if (at == std::string::npos) return p;
  size_t end = std::min(source.find('\n', at), source.size()),
         from = std::min(source.find_first_not_of(' ', at), end);
  p.column = static_cast<int>(from - at) + 1;
  p.length = static_cast<int>(std::max<size_t>(1, end - from));
  return p;
}
}  // namespace

namespace {
// The least an integer expression over parameters can be: each of them is 1.
int64_t AtOne(const ir::S& s) {
  auto arg = [&](size_t i) { return AtOne(s->args[i]); };
  const std::string& t = s->text;
  switch (s->kind) {
    case ir::SKind::kConst: return s->i;
    case ir::SKind::kVar: return 1;
    case ir::SKind::kUnary: return -arg(0);
    case ir::SKind::kSelect: return std::min(arg(0), arg(2));
    case ir::SKind::kBinary: {
      int64_t a = arg(0), b = arg(1);
      const int64_t value = ir::Computed(t, a, b).value_or(INT64_MAX);
      if (t == "-") return std::max<int64_t>(0, value);
      return t == "+" || t == "*" || (t == "//" && b > 0) ? value : 0;
    }
    case ir::SKind::kCall: {
      if (t == "ceil_div")
        return (arg(0) + std::max<int64_t>(1, arg(1)) - 1) / std::max<int64_t>(1, arg(1));
      return t == "min"        ? std::min(arg(0), arg(1))
             : t == "max"      ? std::max(arg(0), arg(1))
             : s->args.empty() ? 0
                               : arg(0);
    }
  }
  return 0;
}

// A kernel that fits for no shape at all, with the buffer that takes most.
void FitsSomewhere(const LoweredKernel& k, Diagnostics& d) {
  int64_t least = AtOne(k.ub_bytes), there = k.target.ub_bytes, most = -1;
  if (least <= there || k.kernel.buffers.empty()) return;
  const ir::Buffer* largest = nullptr;
  for (const ir::Buffer& b : k.kernel.buffers)
    if (int64_t bytes = AtOne(TileBytes(k, b.rows, b.cols, b.dtype)); bytes > most)
      most = bytes, largest = &b;
  d.Add("AK1533", largest->place,
        fmt::format("kernel {} takes {} bytes of UB whatever the shapes are, there are {}: {} "
                    "alone takes {}, twice "
                    "where a loop loads or stores it",
                    k.kernel.name, least, there, largest->name, most),
        "make buffers of tile by something elements, and let the host choose tile = fit(most)");
}
}  // namespace

void Probe(const Compiled& c, const std::string& source, Diagnostics& diagnostics) {
  if (c.programs.empty()) return;
  for (const LoweredKernel& k : c.lowered[0].kernels) FitsSomewhere(k, diagnostics);
  if (!diagnostics.empty()) return;
  std::vector<std::string> texts = TryLines(source);
  for (bool small : {false, true})
    for (const char* shape : kShapes) texts.push_back(CaseText(c.programs[0], shape, small));
  std::set<std::string> said;
  for (const std::string& text : texts) {
    auto one = ParseCase(c.programs, text, 1);
    if (!one.ok()) continue;
    const LoweredProgram& lowered = c.lowered[one->column];
    for (int64_t cores : {lowered.target.cores, int64_t{2}}) {
      Limits limits(lowered.target);
      limits.cores = cores;
      auto done = Interpret(c.programs[one->column], lowered, one->args, limits);
      if (done.ok() || (done.error().code != "AK1530" && done.error().code != "AK1531")) continue;
      const base::Error& e = done.error();
      if (said.insert(e.code + e.where).second)
        diagnostics.Add(e.code, PlaceOf(e, source),
                        fmt::format("{} (with {}{}{} cores)", e.message, text,
                                    text.ends_with(' ') ? "and " : " and ", cores),
                        e.fix);
    }
  }
}

}  // namespace akgen::craft
