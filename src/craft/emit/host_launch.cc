// A launch in the tiling function.
#include "craft/emit/host_launch.h"

#include <algorithm>
#include <set>

namespace akgen::craft {

std::string RefusedLine(const std::string& in, const std::string& when, const std::string& why) {
  return fmt::format("{}if ({}) return Refused(why, {:?});\n", in, when, why);
}

void LaunchWriter::Write(const HostStmt& s, const std::string& outer, std::string& out) {
  const LoweredKernel& k = p_.kernels[s.kernel];
  const bool scope =
      program_.sequence &&
      (!ListsOf(k.kernel).empty() || !k.kernel.lists.empty());  // names of what its lists have
  const std::string in = outer + (scope ? "  " : "");
  if (scope) out += outer + "{\n";
  if (!ir::IsConst(k.ub_bytes, 0))
    out += RefusedLine(in, costs_.UbBytesCall(s) + " > ub",
                       fmt::format("the tiles of {} do not fit in UB", k.kernel.name));
  CubeLimits(s, in, out);
  for (size_t i = 0; i < s.scalars.size(); ++i) {
    const auto& param = k.kernel.params[i];
    out += fmt::format("{}plan.set_{}(static_cast<{}>({}));\n", in, FieldOf(p_, s.kernel, param),
                       param.type == Ty::kFloat ? "float" : "int64_t", text_.Scalar(s.scalars[i]));
  }
  for (const auto& list : ListsOf(k.kernel))
    for (size_t g = 0; g < k.kernel.gms.size(); ++g)
      if (k.kernel.gms[g].name == list)
        Sizes(s.tensors[g], list, ListFieldOf(p_, static_cast<size_t>(s.kernel), list), in, out);
  Items(s, in, out);
  if (program_.sequence) {
    if (sites_[static_cast<size_t>(s.kernel)].conditional)
      out += fmt::format("{}plan.set_{}(1);\n", in, RunsField(static_cast<size_t>(s.kernel)));
  } else if (p_.kernels.size() > 1) {
    out += fmt::format("{}context->SetTilingKey({});\n", in, s.kernel);
  }
  if (program_.sequence)
    SequenceCores(s, in, out);
  else
    out += fmt::format("{}blocks = std::max<int64_t>(1, {});\n", in, UsefulCores(s));
  out += in + "context->SetBlockDim(static_cast<uint32_t>(blocks));\n";
  for (const Ring& r : k.rings)
    out += fmt::format(
        "{0}plan.set_{1}(workspace);\n{0}workspace += CeilDiv({2} * {3} * {4} * {5}, 512) * 512;\n",
        in, OffsetOf(p_, static_cast<size_t>(s.kernel), r),
        program_.sequence ? "launch_cores" : "blocks",
        text_.Scalar(Given(s, ir::Mul(r.rows, r.cols)), 6), kRingSlots, base::SizeOf(r.dtype));
  if (!searches_)
    out += in + "cycles = 0;\n";
  else if (program_.sequence)
    out += fmt::format(
        "{}cycles = std::max<int64_t>(cycles, 0) + {}kBlockCycles * launch_cores + {};\n", in,
        sites_[static_cast<size_t>(s.kernel)].first ? "" : "(blocks > 1 ? kMeetingCycles : 0) + ",
        costs_.CyclesCall(s));
  else
    out += fmt::format("{}cycles = kBlockCycles * blocks + {};\n", in, costs_.CyclesCall(s));
  if (scope) out += outer + "}\n";
}

// All kernels of a sequence run in one launch, on as many blocks as one of them asks for: each is
// told its own cores. Two Vector cores are a block of an operator that has products.
void LaunchWriter::SequenceCores(const HostStmt& s, const std::string& in, std::string& out) {
  const bool pairs = program_.HasCube() && !p_.kernels[s.kernel].cube;
  out += fmt::format(
      "{0}launch_cores = std::max<int64_t>(1, {1});\n{0}if (launch_cores > {2}) {{\n{0}  return "
      "-1;\n{0}}}\n"
      "{0}plan.set_{3}(launch_cores);\n{0}blocks = std::max(blocks, {4});\n",
      in, UsefulCores(s), pairs || !program_.HasCube() ? "all_cores" : "cube_cores",
      CoresField(static_cast<size_t>(s.kernel)),
      pairs ? "CeilDiv(launch_cores, 2)" : "launch_cores");
}

// An expression over the kernel's parameters, over what the launch gives for them.
S LaunchWriter::Given(const HostStmt& launch, const S& over_params) const {
  const auto& params = p_.kernels[launch.kernel].kernel.params;
  return ir::Substitute(over_params, [&](const std::string& name) -> S {
    for (size_t i = 0; i < params.size(); ++i)
      if (params[i].name == name) return launch.scalars[i];
    return nullptr;
  });
}

// Products without a depth are refused, and sums that do not fit in L0C.
void LaunchWriter::CubeLimits(const HostStmt& s, const std::string& in, std::string& out) {
  const LoweredKernel& k = p_.kernels[s.kernel];
  if (!k.cube) return;
  std::string refused;
  for (const auto& [bytes, most] : k.cube->limits)
    refused += fmt::format("{}{} > {}", refused.empty() ? "" : " || ",
                           text_.Scalar(Given(s, bytes), 5), most);
  for (const S& depth : k.cube->depths)
    refused += fmt::format(" || {} < 1", text_.Scalar(Given(s, depth), 5));
  out += RefusedLine(in, refused,
                     fmt::format("the tiles of {} do not fit in L1 or L0C", k.kernel.name));
}

// No more cores than there are blocks.
std::string LaunchWriter::UsefulCores(const HostStmt& s) {
  const LoweredKernel& k = p_.kernels[s.kernel];
  if (!k.cube || !k.blocks) return text_.Scalar(s.value);
  std::set<std::string> used;
  ir::Variables(k.blocks, used);
  for (const std::string& v : used)
    if (std::none_of(k.kernel.params.begin(), k.kernel.params.end(),
                     [&](const auto& p) { return p.name == v; }))
      return text_.Scalar(s.value);
  return fmt::format("std::min<int64_t>({}, {})", text_.Scalar(s.value),
                     text_.Scalar(Given(s, k.blocks)));
}

// Its lists of integers.
void LaunchWriter::Items(const HostStmt& s, const std::string& in, std::string& out) {
  const ir::Kernel& k = p_.kernels[s.kernel].kernel;
  for (size_t n = 0; n < k.lists.size(); ++n) {
    const std::string l = SafeName(k.lists[n]);
    const std::string field = ListFieldOf(p_, static_cast<size_t>(s.kernel), k.lists[n]);
    out += fmt::format(
        "{0}int64_t {1}_items[{2}] = {{}};\n{0}const int64_t {1}_count = Items({3}, {1}_items, "
        "{2});\n",
        in, l, ir::kMaxItems, text_.List(s.lists[n]));
    out += RefusedLine(
        in, l + "_count < 0",
        fmt::format("{} has more than {} elements or one below 0", k.lists[n], ir::kMaxItems));
    if (searches_)
      out += fmt::format(
          "{0}[[maybe_unused]] const int64_t {1}_mean = CeilDiv(Before({1}_count, {2}), "
          "{1}_count);\n",
          in, l, text_.List(s.lists[n]));
    out += fmt::format("{0}plan.set_{2}_count({1}_count);\n{0}plan.set_{2}_items({1}_items);\n", in,
                       l, field);
  }
}

void LaunchWriter::Sizes(const std::string& host_name, const std::string& list,
                         const std::string& field, const std::string& in, std::string& out) {
  const HostTensor* t = program_.Tensor(host_name);
  std::string input = t ? t->of : host_name;
  size_t i = text_.InputIndex(input);
  const std::string l = SafeName(list);
  out += fmt::format(
      "{0}int64_t {1}_sizes[{2}] = {{}};\n{0}const int64_t {1}_count = "
      "static_cast<int64_t>(context->GetIrInputInstanceInfo({3})->GetInstanceNum());\n",
      in, l, kMaxTensors, i);
  out += RefusedLine(in, fmt::format("{}_count > {}", l, kMaxTensors),
                     fmt::format("{} has more than {} tensors", input, kMaxTensors));
  out += fmt::format("{0}int64_t {1}_mean = 0;\n", in, l);
  out += fmt::format(
      "{0}for (int64_t i = 0; i < {1}_count; ++i) {{\n{0}  {1}_sizes[i] = "
      "context->GetDynamicInputShape({2}, "
      "i)->GetStorageShape().GetShapeSize();\n{0}  {1}_mean += {1}_sizes[i];\n{0}}}\n",
      in, l, i);
  out += fmt::format("{0}{1}_mean = CeilDiv({1}_mean, {1}_count);\n", in, l);
  out += fmt::format("{0}plan.set_{2}_count({1}_count);\n{0}plan.set_{2}_sizes({1}_sizes);\n", in,
                     l, field);
}

}  // namespace akgen::craft
