#include "craft/plan/kernel_text.h"

#include <algorithm>

#include "base/text.h"

namespace akgen::craft {

bool MentionsWord(const std::string& text, const std::string& word) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !base::IsWord(text[at - 1])) &&
        (at + word.size() == text.size() || !base::IsWord(text[at + word.size()])))
      return true;
  }
  return false;
}

std::string Narrowed(const KernelLines& k, const KernelOutput& o, const std::string& text) {
  bool whole = false, real = false, is_bool = true;
  for (base::Dtype d : k.task.outputs[o.index].dtypes) {
    is_bool &= d == base::Dtype::kBool;
    (base::IsFloating(d) ? real : whole) = true;
  }
  for (const PlanParam& p : k.task.params)
    for (base::Dtype d : p.dtypes) real |= base::IsFloating(d);
  return whole && real && !is_bool ? fmt::format("cast({}, y{}.dtype)", text, o.index) : text;
}

std::string Shaped(const KernelOutput& o, const std::string& rows, const std::string& cols) {
  bool number =
      o.text.find_first_not_of("0123456789.") == std::string::npos || o.text.rfind("item(", 0) == 0;
  return number ? fmt::format("full({}, {}, {})", rows, cols, o.text) : o.text;
}

std::string Deeper(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    out += "    " + text.substr(at, end - at + 1);
    at = end + 1;
  }
  return out;
}

std::vector<KernelLine> ConstantLines(const KernelLines& k, const std::vector<KernelLine>& late) {
  std::vector<KernelLine> out;
  for (const KernelLine& line : k.lines) {
    bool used = false;
    for (const KernelLine& l : late) used |= MentionsWord(l.value, line.name);
    if (used && line.value.find("_ub") == std::string::npos &&
        !std::count(late.begin(), late.end(), line))
      out.push_back(line);
  }
  return out;
}

bool SharesColumns(const KernelLines& k, const std::vector<KernelLine>& late) {
  bool rows = !k.parts.empty() && !k.layout.flat;
  for (const KernelPart& p : k.parts) rows &= p.cols == "cols";
  for (const KernelOutput& o : k.outs)
    rows &= !o.late || (o.span == Span::kRow && o.text.find("_ub") == std::string::npos);
  for (const KernelLine& line : late) rows &= line.value.find("_ub") == std::string::npos;
  for (const KernelLine& line : ConstantLines(k, late))
    rows &= line.value.find("full(") == std::string::npos;
  return rows && k.list.empty();
}

std::string StorePartsText(const KernelLines& k) {
  std::string out;
  for (size_t i = 0; i < k.parts.size(); ++i)
    out += fmt::format(
        "    with compute:\n        {0}[:] = acc{1}\n    with copyout:\n        "
        "store(w{1}[core(), :], {0})\n",
        PartBuffer(k, i), i);
  return out;
}

std::string PartBuffer(const KernelLines& k, size_t part) {
  size_t first = 0;
  while (k.parts[first].cols != k.parts[part].cols) ++first;
  return fmt::format("part{}", first);
}

std::string JoinText(const KernelLines& k, const std::vector<KernelLine>& late) {
  const bool shared = SharesColumns(k, late);
  std::string loads, compute, stores;
  for (size_t i = 0; i < k.parts.size(); ++i) {
    loads +=
        fmt::format("            load(all{0}, w{0}{1})\n", i, shared ? "[:, c : c + m]" : "[:, :]");
    compute += fmt::format("            sum{0} = col_{1}(all{0})\n", i, k.parts[i].how);
  }
  for (const auto& lines : {ConstantLines(k, late), late})
    for (const KernelLine& line : lines) compute += "            " + line.Text() + "\n";
  for (const KernelOutput& o : k.outs) {
    if (!o.late) continue;
    compute += fmt::format("            y{}_ub[:] = {}\n", o.index, Narrowed(k, o, o.text));
    stores += fmt::format("            store(y{0}{1}, y{0}_ub)\n", o.index,
                          shared ? "[c : c + m]" : "[:]");
  }
  const std::string where =
      shared ? fmt::format(
                   "    share = {}\n    for c, m in tiles(core() * share, min(core() * share + "
                   "share, cols), share):\n",
                   kColumnShare)
             : "    if core() == 0:\n";
  return where + "        with copyin:\n" + loads + "        with compute:\n" + compute +
         "        with copyout:\n" + stores;
}

}  // namespace akgen::craft
