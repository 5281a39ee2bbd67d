// Rows that go through UB in parts.
#include "craft/plan/kernel_text.h"

namespace akgen::craft {
namespace {
class LongRows {
 public:
  explicit LongRows(const KernelLines& k) : k_(k) {}

  std::string Text(const std::string& args, const std::vector<std::string>& scalars);

 private:
  // Reductions whose operands need no reduction that is still to come.
  std::string Phase(std::set<std::string>& done);
  std::string Tiles(const std::string& compute) const;
  // The lines that lead to these texts, in order; reductions that are done are read from their
  // buffers.
  std::vector<KernelLine> Needed(const std::vector<std::string>& texts,
                                 const std::set<std::string>& done) const;
  std::string Lines(const std::vector<KernelLine>& lines, const std::string& in) const;
  std::string Persisted(std::string text) const;

  const KernelLines& k_;
};

std::string LongRows::Text(const std::string& args, const std::vector<std::string>& scalars) {
  std::string out = "@kernel\ndef main_kernel(" + args;
  for (size_t i = 0; i < scalars.size(); ++i) out += (i ? ", " : "") + scalars[i];
  out += "):\n";
  for (const auto& [id, span] : k_.span_of)
    if (span != Span::kColumn)
      out += fmt::format("    {0}_ub = ub(tile, dtype={0}.dtype)\n", id);
    else
      out += fmt::format("    {0}_ub = ub(1, dtype={0}.dtype)\n", id);
  for (const KernelOutput& o : k_.outs)
    out += fmt::format("    y{0}_ub = ub({1}, dtype=y{0}.dtype)\n", o.index,
                       o.span == Span::kFull ? "tile" : "1");
  for (int r = 0; r < k_.reductions; ++r) out += fmt::format("    r{}_ub = ub(1, dtype=f32)\n", r);
  out +=
      "    first = core() * per_core\n    last = min(first + per_core, rows)\n    for i in "
      "range(first, last):\n";
  std::string columns;
  for (const auto& [id, span] : k_.span_of)
    if (span == Span::kColumn) columns += fmt::format("            load({0}_ub, {0}[i, :])\n", id);
  if (!columns.empty()) out += "        with copyin:\n" + columns;
  std::set<std::string> done;
  while (static_cast<int>(done.size()) < k_.reductions) out += Phase(done);
  std::vector<std::string> full, single;
  for (const KernelOutput& o : k_.outs) (o.span == Span::kFull ? full : single).push_back(o.text);
  std::string stores, columns_out;
  std::string compute = Lines(Needed(full, done), "                ");
  for (const KernelOutput& o : k_.outs) {
    if (o.span != Span::kFull) continue;
    std::string text = Persisted(Shaped(o, "1", "m"));
    compute += fmt::format("                y{}_ub[:] = {}\n", o.index, Narrowed(k_, o, text));
    stores += fmt::format("                store(y{0}[i, c : c + m], y{0}_ub)\n", o.index);
  }
  out += Tiles(compute) + "            with copyout:\n" + stores;
  if (single.empty()) return out;
  std::string last = Lines(Needed(single, done), "            ");
  for (const KernelOutput& o : k_.outs) {
    if (o.span == Span::kFull) continue;
    last +=
        fmt::format("            y{}_ub[:] = {}\n", o.index, Narrowed(k_, o, Persisted(o.text)));
    columns_out += fmt::format("            store(y{0}[i, :], y{0}_ub)\n", o.index);
  }
  return out + "        with compute:\n" + last + "        with copyout:\n" + columns_out;
}

std::string LongRows::Phase(std::set<std::string>& done) {
  std::vector<KernelLine> now;
  std::vector<std::string> operands;
  for (const KernelLine& line : k_.lines) {
    if (!line.IsReduction() || done.count(line.name)) continue;
    bool ready = true;
    for (const KernelLine& l : Needed({line.value}, done)) ready &= !l.IsReduction();
    if (!ready) continue;
    now.push_back(line);
    operands.push_back(line.value);
  }
  if (now.empty()) throw Unplanned{"reductions that wait for each other"};
  std::string start = "        with compute:\n", join;
  for (const auto& [name, value] : now) {
    std::string how = value.substr(4, 3);  // row_sum(…
    start += fmt::format("            {}_ub[:] = {}\n", name, how == "max" ? "-inf" : Neutral(how));
    join += fmt::format("                {}_ub[:] = {}\n", name,
                        Joined(how, name + "_ub", Persisted(value)));
  }
  std::string compute = Lines(Needed(operands, done), "                ") + join;
  for (const KernelLine& line : now) done.insert(line.name);
  return start + Tiles(compute);
}

std::string LongRows::Tiles(const std::string& compute) const {
  std::string loads;
  for (const auto& [id, span] : k_.span_of)
    if (span != Span::kColumn && MentionsWord(compute, id + "_ub"))
      loads += fmt::format("                load({0}_ub, {0}[{1}c : c + m])\n", id,
                           span == Span::kFull ? "i, " : "");
  return "        for c, m in tiles(0, cols, tile):\n" +
         (loads.empty() ? "" : "            with copyin:\n" + loads) +
         "            with compute:\n" + compute;
}

std::vector<KernelLine> LongRows::Needed(const std::vector<std::string>& texts,
                                         const std::set<std::string>& done) const {
  std::vector<std::string> wanted = texts;
  std::vector<KernelLine> out;
  std::vector<bool> take(k_.lines.size());
  for (size_t i = k_.lines.size(); i-- > 0;) {
    const auto& [name, value] = k_.lines[i];
    if (done.count(name)) continue;
    for (const std::string& t : wanted) take[i] = take[i] || MentionsWord(t, name);
    if (take[i]) wanted.push_back(value);
  }
  for (size_t i = 0; i < k_.lines.size(); ++i)
    if (take[i]) out.push_back(k_.lines[i]);
  return out;
}

std::string LongRows::Lines(const std::vector<KernelLine>& lines, const std::string& in) const {
  std::string out;
  for (const auto& [name, value] : lines) out += in + name + " = " + Persisted(value) + "\n";
  return out;
}

std::string LongRows::Persisted(std::string text) const {
  for (int r = k_.reductions; r-- > 0;) {
    std::string name = fmt::format("r{}", r), to;
    for (size_t at = 0; at < text.size();) {
      bool here = text.compare(at, name.size(), name) == 0 &&
                  MentionsWord(text.substr(at ? at - 1 : 0, name.size() + (at ? 2 : 1)), name);
      to += here ? name + "_ub" : std::string(1, text[at]);
      at += here ? name.size() : 1;
    }
    text = to;
  }
  return text;
}

}  // namespace

std::string LongRowsText(const KernelLines& k, const std::string& args,
                         const std::vector<std::string>& scalars) {
  return LongRows(k).Text(args, scalars);
}

}  // namespace akgen::craft
