// The text of one kernel from what it computes.
#include <algorithm>

#include "craft/plan/kernel_text.h"

namespace akgen::craft {
namespace {
bool MentionsSum(const KernelLines& k, const std::string& text) {
  for (size_t i = 0; i < k.parts.size(); ++i)
    if (MentionsWord(text, fmt::format("sum{}", i))) return true;
  return false;
}

// Tiles are there in the loop only; a row that all tiles share stays.
bool MentionsTile(const KernelLines& k, const std::string& text) {
  return std::any_of(k.span_of.begin(), k.span_of.end(), [&](const auto& s) {
    return (k.layout.flat || s.second != Span::kRow) && MentionsWord(text, s.first + "_ub");
  });
}

KernelPhases PhasesOf(const KernelLines& k) {
  KernelPhases out;
  for (const KernelLine& line : k.lines) {
    bool is_late = MentionsSum(k, line.value);
    for (const KernelLine& l : out.late) is_late |= MentionsWord(line.value, l.name);
    if (is_late && (line.name.starts_with("acc") || MentionsTile(k, line.value)))
      throw Unplanned{"a reduction over all cores that another one waits for"};
    (is_late ? out.late : out.early).push_back(line);
  }
  return out;
}

class KernelWriter {
 public:
  explicit KernelWriter(const KernelLines& k) : k_(k), phases_(PhasesOf(k)) {}

  KernelText Run();

 private:
  // ---- arguments and buffers ----
  static std::string Head(const std::string& name, const std::string& args,
                          const std::vector<std::string>& scalars);
  std::string Dims(Span s) const;
  std::string Buffer(Span s) const;
  void Inputs();
  void Outputs();
  void Parts();
  std::string ItemExtent(const std::string& id) const;
  std::string Window() const;
  std::vector<std::string> Scalars() const;

  // ---- text ----
  std::string Body(const std::string& head) const;
  // The elements that a core walks.
  std::string Share() const;
  std::string Tile() const;
  std::string InList(const std::string& text) const {
    return k_.list.empty() ? text : Deeper(text);
  }

  // Whether what joins the cores is a kernel of its own.
  bool JoinsApart() const { return SharesColumns(k_, phases_.late); }

  const KernelLines& k_;
  const KernelPhases phases_;
  KernelText out_;
  std::string args_, buffers_;
  std::string join_args_, join_buffers_;  // of what joins the cores
  std::string resident_, loads_;          // once, and of a tile
};

KernelText KernelWriter::Run() {
  out_.flat = k_.layout.flat;
  Inputs();
  Outputs();
  Parts();
  out_.workspaces = static_cast<int>(k_.parts.size());
  out_.scalars = Scalars();
  out_.host = k_.host;
  const std::string head = Head("main_kernel", args_, out_.scalars) + buffers_;
  if (k_.OfEach() && !k_.parts.empty()) {
    out_.body = head + SpreadTensorsText(k_, phases_, loads_);
    out_.each_body = head + WholeTensorsText(k_, phases_, loads_);
    return out_;
  }
  out_.body = Body(head);
  if (JoinsApart()) {
    out_.join_scalars = {"cols", "parts"};
    out_.join_scalars.insert(out_.join_scalars.end(), k_.attrs.begin(), k_.attrs.end());
    for (const auto& [name, text] : k_.host) out_.join_scalars.push_back(name);
    out_.join_body = Head("main_kernel_join", join_args_, out_.join_scalars) + join_buffers_ +
                     JoinText(k_, phases_.late);
  }
  if (!k_.layout.flat && k_.parts.empty()) out_.long_body = LongRowsText(k_, args_, out_.scalars);
  return out_;
}

std::string KernelWriter::Head(const std::string& name, const std::string& args,
                               const std::vector<std::string>& scalars) {
  return fmt::format("@kernel\ndef {}({}{}):\n", name, args, fmt::join(scalars, ", "));
}

std::string KernelWriter::Dims(Span s) const {
  if (k_.OfEach() || (!k_.list.empty() && s == Span::kFull)) return "gms";
  if (s == Span::kOne) return "gm[1]";
  if (k_.layout.flat) return "gm[total]";
  return s == Span::kFull ? "gm[rows, cols]" : s == Span::kRow ? "gm[cols]" : "gm[rows, 1]";
}

std::string KernelWriter::Buffer(Span s) const {
  if (k_.layout.flat) return "ub(tile";
  return s == Span::kFull ? "ub(tile, cols" : s == Span::kRow ? "ub(cols" : "ub(tile, 1";
}

void KernelWriter::Inputs() {
  std::vector<PlanParam> ordered = k_.task.params;  // lists first: others say how long they are
  std::stable_partition(ordered.begin(), ordered.end(),
                        [](const PlanParam& p) { return p.is_list; });
  for (const PlanParam& p : ordered) {
    if (p.is_attr || (!k_.loads.count(p.id) && !k_.items.count(p.id))) continue;
    out_.tensors.push_back(p.id);
    if (!k_.loads.count(p.id)) {
      args_ += fmt::format("{}: gm[{}], ", p.id, ItemExtent(p.id));
      continue;
    }
    Span s = k_.span_of.at(p.id);
    args_ += fmt::format("{}: {}, ", p.id, Dims(s));
    buffers_ += fmt::format("    {0}_ub = {1}, dtype={0}.dtype)\n", p.id, Buffer(s));
    if (s == Span::kRow)
      resident_ += fmt::format("        load({0}_ub, {0}[:])\n", p.id);
    else
      loads_ += fmt::format("            load({0}_ub, {0}{1})\n", p.id, Window());
  }
}

void KernelWriter::Outputs() {
  for (const KernelOutput& o : k_.outs) {
    const std::string y = fmt::format("y{}", o.index);
    const bool apart = o.late && JoinsApart();
    (apart ? out_.join_tensors : out_.tensors).push_back(y);
    (apart ? join_args_ : args_) += fmt::format("{}: {}, ", y, Dims(o.span));
    (apart ? join_buffers_ : buffers_) += fmt::format("    {0}_ub = {1}, dtype={0}.dtype)\n", y,
                                                      o.span == Span::kOne ? "ub(1"
                                                      : apart ? fmt::format("ub({}", kColumnShare)
                                                              : Buffer(o.span));
  }
}

void KernelWriter::Parts() {
  const bool apart = JoinsApart();
  for (size_t i = 0; i < k_.parts.size(); ++i) {
    const std::string &cols = k_.parts[i].cols, w = fmt::format("w{}", i),
                      arg =
                          fmt::format("{}: gm[{}, {}], ", w, k_.OfEach() ? "slots" : "parts", cols);
    args_ += arg, out_.tensors.push_back(w);
    if (apart) join_args_ += arg, out_.join_tensors.push_back(w);
    buffers_ += fmt::format("    acc{} = ub({}, dtype=f32)\n", i, cols);
    if (const std::string part = PartBuffer(k_, i); part == fmt::format("part{}", i))
      buffers_ += fmt::format("    {} = ub({}, dtype=f32)\n", part, cols);
    (apart ? join_buffers_ : buffers_) +=
        fmt::format("    all{0} = ub(parts, {1}, dtype=f32)\n", i, apart ? kColumnShare : cols);
  }
}

std::string KernelWriter::ItemExtent(const std::string& id) const {
  int64_t n = 1;
  auto it = k_.given.shapes.find(id);
  if (it != k_.given.shapes.end())
    for (int64_t d : it->second) n *= d;
  // One for each tensor of the list, or one for all of them.
  return k_.list.empty() || !k_.by_turn.count(id) ? fmt::format("{}", n)
                                                  : fmt::format("len({})", k_.list);
}

std::string KernelWriter::Window() const {
  return !k_.list.empty() ? "[t][i : i + n]" : k_.layout.flat ? "[i : i + n]" : "[i : i + n, :]";
}

std::vector<std::string> KernelWriter::Scalars() const {
  std::vector<std::string> out =
      k_.layout.flat && !k_.list.empty() ? std::vector<std::string>{"tile"}
      : k_.layout.flat                   ? std::vector<std::string>{"total", "per_core", "tile"}
                       : std::vector<std::string>{"rows", "cols", "per_core", "tile"};
  if (!k_.parts.empty()) out.push_back("parts");
  if (!k_.parts.empty() && k_.OfEach()) out.push_back("slots");
  for (const std::string& a : k_.attrs) out.push_back(a);
  for (const auto& [name, text] : k_.host) out.push_back(name);
  return out;
}

std::string KernelWriter::Body(const std::string& head) const {
  std::string start = k_.parts.empty() ? "" : "    with compute:\n";
  for (size_t i = 0; i < k_.parts.size(); ++i)
    start += fmt::format("        acc{}[:] = {}\n", i, Neutral(k_.parts[i].how));
  std::string text = k_.list.empty() ? "" : start;
  text += Share();
  if (!resident_.empty()) text += "    with copyin:\n" + resident_;
  if (k_.list.empty()) text += start;
  text += Tile();
  if (!k_.parts.empty()) text += StorePartsText(k_);
  if (!k_.parts.empty() && !JoinsApart()) text += "    sync_all()\n" + JoinText(k_, phases_.late);
  return head + (k_.guard.empty() ? text : fmt::format("    if {}:\n", k_.guard) + Deeper(text));
}

std::string KernelWriter::Share() const {
  if (k_.list.empty())
    return fmt::format("    first = core() * per_core\n    last = min(first + per_core, {})\n",
                       k_.layout.flat ? "total" : "rows");
  return fmt::format(
      "    for t in range(len({0})):\n        per_core = align(ceil_div(numel({0}[t]), cores()), "
      "64)\n        first = core() * per_core\n        last = min(first + per_core, "
      "numel({0}[t]))\n",
      k_.list);
}

std::string KernelWriter::Tile() const {
  std::string compute, stores;
  for (const KernelLine& line : phases_.early) compute += "            " + line.Text() + "\n";
  for (const KernelOutput& o : k_.outs) {
    if (o.late) continue;
    if (o.span != Span::kFull && o.span != Span::kColumn)
      throw Unplanned{"an output that no tile covers"};
    const std::string shaped = Shaped(o, k_.layout.flat ? "1" : "n",
                                      k_.layout.flat            ? "n"
                                      : o.span == Span::kColumn ? "1"
                                                                : "cols");
    compute += fmt::format("            y{}_ub[:] = {}\n", o.index, Narrowed(k_, o, shaped));
    stores += fmt::format("            store(y{0}{1}, y{0}_ub)\n", o.index, Window());
  }
  return (k_.list.empty() ? "    " : "        ") +
         std::string("for i, n in tiles(first, last, tile):\n") +
         (loads_.empty() ? "" : InList("        with copyin:\n" + loads_)) +
         InList("        with compute:\n" + compute) +
         (stores.empty() ? "" : InList("        with copyout:\n" + stores));
}
}  // namespace

PlanResult<KernelText> WriteKernel(const PlanTask& task, const PlanCase& c, const Layout& layout,
                                   bool guarded) {
  return Tried([&] { return KernelWriter(ReadLines(task, c, layout, guarded)).Run(); });
}

}  // namespace akgen::craft
