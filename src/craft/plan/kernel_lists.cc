// A number for each tensor of a list.
#include "craft/plan/kernel_text.h"

namespace akgen::craft {
namespace {
// The number of tensor `t`; `of`: what its reductions are, by {how} and {i}.
std::string FinishTensor(const KernelLines& k, const std::vector<KernelLine>& late,
                         const std::string& of) {
  std::string last, stores;
  for (size_t i = 0; i < k.parts.size(); ++i)
    last += fmt::format(
        "            sum{0} = {1}\n", i,
        fmt::format(fmt::runtime(of), fmt::arg("how", k.parts[i].how), fmt::arg("i", i)));
  for (const auto& lines : {ConstantLines(k, late), late})
    for (const KernelLine& line : lines) last += "            " + line.Text() + "\n";
  for (const KernelOutput& o : k.outs) {
    if (!o.late) throw Unplanned{"a list beside numbers of its tensors"};
    last += fmt::format("            y{}_ub[:] = {}\n", o.index, Narrowed(k, o, o.text));
    stores += fmt::format("            store(y{0}[t][0 : 1], y{0}_ub)\n", o.index);
  }
  return "        with compute:\n" + last + "        with copyout:\n" + stores;
}

// The accumulators of one tensor over its elements from `first` to `last`.
std::string AccumulateTensor(const KernelLines& k, const std::string& first,
                             const std::string& last, const std::string& loads,
                             const std::vector<KernelLine>& early) {
  std::string out = "        with compute:\n", compute;
  for (size_t i = 0; i < k.parts.size(); ++i)
    out += fmt::format("            acc{}[:] = {}\n", i, Neutral(k.parts[i].how));
  for (const KernelLine& line : early) compute += "                " + line.Text() + "\n";
  return out +
         fmt::format("        for i, n in tiles({}, {}, tile):\n            with copyin:\n", first,
                     last) +
         Deeper(loads) + "            with compute:\n" + compute;
}
}  // namespace

std::string WholeTensorsText(const KernelLines& k, const KernelPhases& phases,
                             const std::string& loads) {
  return fmt::format("    for t in range(core(), len({}), cores()):\n", k.list) +
         AccumulateTensor(k, "0", fmt::format("numel({}[t])", k.list), loads, phases.early) +
         FinishTensor(k, phases.late, "acc{i}");
}

std::string SpreadTensorsText(const KernelLines& k, const KernelPhases& phases,
                              const std::string& loads) {
  std::string kept, slots, joined;
  for (size_t i = 0; i < k.parts.size(); ++i) {
    kept += fmt::format("            part{0}[:] = acc{0}\n", i);
    slots += fmt::format("            store(w{0}[t * parts + core(), :], part{0})\n", i);
    joined += fmt::format("            load(all{0}, w{0}[t * parts : t * parts + parts, :])\n", i);
  }
  return fmt::format(
             "    for t in range(len({0})):\n        per_core = align(ceil_div(numel({0}[t]), "
             "cores()), 64)\n"
             "        first = core() * per_core\n        last = min(first + per_core, "
             "numel({0}[t]))\n",
             k.list) +
         AccumulateTensor(k, "first", "last", loads, phases.early) + "        with compute:\n" +
         kept + "        with copyout:\n" + slots +
         fmt::format("    sync_all()\n    for t in range(core(), len({}), cores()):\n", k.list) +
         "        with copyin:\n" + joined + FinishTensor(k, phases.late, "col_{how}(all{i})");
}

}  // namespace akgen::craft
