// Text of a kernel: tiles, windows and phases.
#include "craft/plan/kernel_writer.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>

namespace akgen::craft {

std::string KernelWriter::ItemExtent(const std::string& id) {
  int64_t n = 1;
  auto it = case_.shapes.find(id);
  if (it != case_.shapes.end())
    for (int64_t d : it->second) n *= d;
  // One for each tensor of the list, or one for all of them.
  return list_.empty() || !by_turn_.count(id) ? fmt::format("{}", n)
                                              : fmt::format("len({})", list_);
}

std::string KernelWriter::Narrow(const Out& o, const std::string& text) const {
  bool whole = false, real = false, is_bool = true;
  for (base::Dtype d : task_.outputs[o.index].dtypes) {
    is_bool &= d == base::Dtype::kBool;
    (base::IsFloating(d) ? real : whole) = true;
  }
  for (const PlanParam& p : task_.params)
    for (base::Dtype d : p.dtypes) real |= base::IsFloating(d);
  return whole && real && !is_bool ? fmt::format("cast({}, y{}.dtype)", text, o.index) : text;
}

std::string KernelWriter::LongRows(const std::string& args,
                                   const std::vector<std::string>& scalars) {
  std::string out = "@kernel\ndef main_kernel(" + args;
  for (size_t i = 0; i < scalars.size(); ++i) out += (i ? ", " : "") + scalars[i];
  out += "):\n";
  for (const auto& [id, span] : span_of_)
    if (span != Span::kColumn)
      out += fmt::format("    {0}_ub = ub(tile, dtype={0}.dtype)\n", id);
    else
      out += fmt::format("    {0}_ub = ub(1, dtype={0}.dtype)\n", id);
  for (const Out& o : outs_)
    out += fmt::format("    y{0}_ub = ub({1}, dtype=y{0}.dtype)\n", o.index,
                       o.span == Span::kFull ? "tile" : "1");
  for (int r = 0; r < reductions_; ++r) out += fmt::format("    r{}_ub = ub(1, dtype=f32)\n", r);
  out +=
      "    first = core() * per_core\n    last = min(first + per_core, rows)\n    for i in "
      "range(first, last):\n";
  std::string columns;
  for (const auto& [id, span] : span_of_)
    if (span == Span::kColumn) columns += fmt::format("            load({0}_ub, {0}[i, :])\n", id);
  if (!columns.empty()) out += "        with copyin:\n" + columns;
  std::set<std::string> done;
  while (static_cast<int>(done.size()) < reductions_) out += Phase(done);
  std::vector<std::string> full, single;
  for (const Out& o : outs_) (o.span == Span::kFull ? full : single).push_back(o.text);
  std::string stores, columns_out;
  std::string compute = Lines(Needed(full, done), "                ");
  for (const Out& o : outs_) {
    if (o.span != Span::kFull) continue;
    std::string text = Persisted(Shaped(o, "1", "m"));
    compute += fmt::format("                y{}_ub[:] = {}\n", o.index, Narrow(o, text));
    stores += fmt::format("                store(y{0}[i, c : c + m], y{0}_ub)\n", o.index);
  }
  out += Tiles(compute, compute) + "            with copyout:\n" + stores;
  if (single.empty()) return out;
  std::string last = Lines(Needed(single, done), "            ");
  for (const Out& o : outs_) {
    if (o.span == Span::kFull) continue;
    last += fmt::format("            y{}_ub[:] = {}\n", o.index, Narrow(o, Persisted(o.text)));
    columns_out += fmt::format("            store(y{0}[i, :], y{0}_ub)\n", o.index);
  }
  return out + "        with compute:\n" + last + "        with copyout:\n" + columns_out;
}

std::string KernelWriter::Phase(std::set<std::string>& done) {
  std::vector<std::string> now, operands;
  for (const std::string& line : lines_) {
    std::string name = NameOf(line);
    if (!IsReductionLine(line) || done.count(name)) continue;
    bool ready = true;
    for (const std::string& l : Needed({ValueOf(line)}, done)) ready &= !IsReductionLine(l);
    if (!ready) continue;
    now.push_back(line);
    operands.push_back(ValueOf(line));
  }
  if (now.empty()) throw Unplanned{"reductions that wait for each other"};
  std::string start = "        with compute:\n", join;
  for (const std::string& line : now) {
    std::string name = NameOf(line), value = ValueOf(line);
    std::string how = value.substr(4, 3);  // row_sum(…
    start += fmt::format("            {}_ub[:] = {}\n", name, how == "max" ? "-inf" : Neutral(how));
    join += fmt::format("                {}_ub[:] = {}\n", name,
                        Joined(how, name + "_ub", Persisted(value)));
  }
  std::string compute = Lines(Needed(operands, done), "                ") + join;
  for (const std::string& line : now) done.insert(NameOf(line));
  return start + Tiles(compute, compute);
}

std::string KernelWriter::Tiles(const std::string& text, const std::string& compute) {
  std::string loads;
  for (const auto& [id, span] : span_of_)
    if (span != Span::kColumn && Mentions(text, id + "_ub"))
      loads += fmt::format("                load({0}_ub, {0}[{1}c : c + m])\n", id,
                           span == Span::kFull ? "i, " : "");
  return "        for c, m in tiles(0, cols, tile):\n" +
         (loads.empty() ? "" : "            with copyin:\n" + loads) +
         "            with compute:\n" + compute;
}

std::vector<std::string> KernelWriter::Needed(const std::vector<std::string>& texts,
                                              const std::set<std::string>& done) const {
  std::vector<std::string> wanted = texts, out;
  std::vector<bool> take(lines_.size());
  for (size_t i = lines_.size(); i-- > 0;) {
    std::string name = NameOf(lines_[i]);
    if (done.count(name)) continue;
    for (const std::string& t : wanted) take[i] = take[i] || Mentions(t, name);
    if (take[i]) wanted.push_back(ValueOf(lines_[i]));
  }
  for (size_t i = 0; i < lines_.size(); ++i)
    if (take[i]) out.push_back(lines_[i]);
  return out;
}

std::string KernelWriter::Lines(const std::vector<std::string>& lines,
                                const std::string& in) const {
  std::string out;
  for (const std::string& line : lines)
    out += in + NameOf(line) + " = " + Persisted(ValueOf(line)) + "\n";
  return out;
}

std::string KernelWriter::Persisted(std::string text) const {
  for (int r = reductions_; r-- > 0;) {
    std::string name = fmt::format("r{}", r), to;
    for (size_t at = 0; at < text.size();) {
      bool here = text.compare(at, name.size(), name) == 0 &&
                  Mentions(text.substr(at ? at - 1 : 0, name.size() + (at ? 2 : 1)), name);
      to += here ? name + "_ub" : std::string(1, text[at]);
      at += here ? name.size() : 1;
    }
    text = to;
  }
  return text;
}

std::string KernelWriter::Shaped(const Out& o, const std::string& rows, const std::string& cols) {
  bool number =
      o.text.find_first_not_of("0123456789.") == std::string::npos || o.text.rfind("item(", 0) == 0;
  return number ? fmt::format("full({}, {}, {})", rows, cols, o.text) : o.text;
}

std::string KernelWriter::Indent(const std::string& text, const std::string& in) const {
  if (in.size() == 4) return text;
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    out += "    " + text.substr(at, end - at + 1);
    at = end + 1;
  }
  return out;
}

std::vector<std::string> KernelWriter::Constants(const std::vector<std::string>& late) const {
  std::vector<std::string> out;
  for (const std::string& line : lines_) {
    bool used = false;
    for (const std::string& l : late) used |= Mentions(ValueOf(l), NameOf(line));
    if (used && line.find("_ub") == std::string::npos &&
        !std::count(late.begin(), late.end(), line))
      out.push_back(line);
  }
  return out;
}

bool KernelWriter::Shared(const std::vector<std::string>& late) const {
  bool rows = !parts_.empty() && !l_.flat;
  for (const Part& p : parts_) rows &= p.cols == "cols";
  for (const Out& o : outs_)
    rows &= !o.late || (o.span == Span::kRow && o.text.find("_ub") == std::string::npos);
  for (const std::string& line : late) rows &= line.find("_ub") == std::string::npos;
  for (const std::string& line : Constants(late)) rows &= line.find("full(") == std::string::npos;
  return rows && list_.empty();
}

std::string KernelWriter::Join(const std::vector<std::string>& late) {
  bool shared = Shared(late);
  std::string window = shared ? "[:, c : c + m]" : "[:, :]";
  std::string out = "    with compute:\n", stores, loads, last, final_stores;
  for (size_t i = 0; i < parts_.size(); ++i) {
    out += fmt::format("        part{0}[:] = acc{0}\n", i);
    stores += fmt::format("        store(w{0}[core(), :], part{0})\n", i);
    loads += fmt::format("            load(all{0}, w{0}{1})\n", i, window);
    last += fmt::format("            sum{0} = col_{1}(all{0})\n", i, parts_[i].how);
  }
  out += "    with copyout:\n" + stores + "    sync_all()\n";
  if (shared)
    out += fmt::format(
        "    share = {}\n    for c, m in tiles(core() * share, min(core() * share + share, cols), "
        "share):\n",
        kShare);
  else
    out += "    if core() == 0:\n";
  out += "        with copyin:\n" + loads;
  for (const auto& lines : {Constants(late), late})
    for (const std::string& line : lines) last += "            " + line + "\n";
  for (const Out& o : outs_) {
    if (!o.late) continue;
    last += fmt::format("            y{}_ub[:] = {}\n", o.index, Narrow(o, o.text));
    final_stores += fmt::format("            store(y{0}{1}, y{0}_ub)\n", o.index,
                                shared ? "[c : c + m]" : "[:]");
  }
  return out + "        with compute:\n" + last + "        with copyout:\n" + final_stores;
}

}  // namespace akgen::craft
