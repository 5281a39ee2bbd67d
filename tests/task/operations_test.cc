// Every operation that references are evaluated with, without libtorch: what it gives for
// arguments on both sides of what it distinguishes. A line of golden/operations.txt is a call and
// its results; values.json holds what the names in it stand for. That the results are libtorch's is
// held by reference_test.cc.
#include "task/evaluate/operations.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../golden.h"
#include "base/files.h"
#include "base/json.h"

namespace akgen::task::evaluate {
namespace {
using base::Json;

double NumberOf(const Json& v) {
  return v.is_string() ? std::stod(v.get<std::string>()) : v.get<double>();
}

Value TensorOf(const Json& j) {
  auto t =
      Zeros(*base::DtypeFromName(j.at("dtype").get<std::string>()), j.at("shape").get<Shape>());
  const Json& values = j.at("values");
  EXPECT_EQ(int64_t(values.size()), t->numel()) << j;
  for (size_t i = 0; i < values.size(); ++i) {
    if (t->IsReal())
      t->real[i] = NumberOf(values[i]);
    else
      t->whole[i] = values[i].get<int64_t>();
  }
  return TensorPtr(t);
}

// A string is the name of a tensor, or with a ' before it a text.
Value ArgumentOf(const Json& j, const Json& named) {
  if (j.is_null()) return {};
  if (j.is_boolean()) return j.get<bool>();
  if (j.is_number_integer()) return j.get<int64_t>();
  if (j.is_number()) return j.get<double>();
  if (j.is_string()) {
    const auto text = j.get<std::string>();
    return text[0] == '\'' ? Value(text.substr(1)) : TensorOf(named.at(text));
  }
  std::vector<Value> list;
  for (const Json& v : j) list.push_back(ArgumentOf(v, named));
  return ListOf(std::move(list));
}

std::string Text(const Value& v) {
  if (v.IsNone()) return "none";
  if (const auto* b = std::get_if<bool>(&v)) return *b ? "true" : "false";
  if (const auto* i = std::get_if<int64_t>(&v)) return std::to_string(*i);
  if (const auto* d = std::get_if<double>(&v)) return fmt::format("{:.6g}f", *d);
  if (const auto* s = std::get_if<std::string>(&v)) return "'" + *s;
  std::string out = "[";
  if (v.IsList()) {
    for (const Value& e : v.AsList()) out += (out.size() > 1 ? " " : "") + Text(e);
    return out + "]";
  }
  const TensorPtr& t = v.AsTensor();
  for (int64_t n : t->shape) out += (out.size() > 1 ? "," : "") + std::to_string(n);
  out = std::string(base::NameOf(t->dtype)) + out + "]";
  for (double d : t->real) out += fmt::format(" {:.6g}", std::isnan(d) ? NAN : d);
  for (int64_t i : t->whole) out += " " + std::to_string(i);
  return out;
}

std::string Called(const std::string& call, const Json& named) {
  const Json row = Json::parse(call);
  std::vector<Value> args;
  for (size_t i = 1; i < row.size(); ++i) args.push_back(ArgumentOf(row[i], named));
  std::string out = call + " ->";
  try {
    for (const Value& v : Apply(row[0].get<std::string>(), args)) out += " " + Text(v) + ";";
    if (!args.empty() && args[0].IsList()) out += " of " + Text(args[0]);
  } catch (const Unsupported& e) {
    out += std::string(" refused: ") + e.what();
  }
  return out + "\n";
}

TEST(Operations, OfTheTable) {
  const Json named = Json::parse(*base::ReadFile(AKGEN_GOLDEN_FOLDER "/values.json"));
  std::istringstream golden(*base::ReadFile(AKGEN_GOLDEN_FOLDER "/operations.txt"));
  std::string text;
  for (std::string line; std::getline(golden, line);)
    text += Called(line.substr(0, line.rfind(" ->")), named);
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "operations.txt", text);
}
}  // namespace
}  // namespace akgen::task::evaluate
