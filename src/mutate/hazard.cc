// Faults of what is seldom looked at: the scalar unit's data cache, operands by their roles, the
// events of queues, temporaries of library functions.
#include <algorithm>
#include <map>
#include <set>

#include "mutate/kernel_view.h"
#include "mutate/operators.h"

namespace akgen::mutate {
namespace {
using Lines = std::vector<LineRange>;

// A tensor of bytes over the place that a copy writes.
std::string Planted(const std::string& place) {
  return "{ AscendC::GlobalTensor<uint8_t> planted; planted.SetGlobalBuffer((__gm__ uint8_t*)(" +
         place + ").GetPhyAddr(), 64); ";
}
constexpr const char* kClean =
    "AscendC::DataCacheCleanAndInvalid<uint8_t, AscendC::CacheLine::SINGLE_CACHE_LINE, "
    "AscendC::DcciDst::CACHELINE_OUT>(";
constexpr const char* kMeet = "AscendC::PipeBarrier<PIPE_ALL>(); ";

// Which operand of an instruction says where or whether, and what it is called.
struct Role {
  const char* name;
  size_t operand;
  const char* role;
};
constexpr Role kRoles[] = {{"Select", 1, "mask"},       {"Gather", 2, "offset"},
                           {"Gatherb", 2, "offset"},    {"Scatter", 2, "offset"},
                           {"GatherMask", 2, "mask"},   {"Sort32", 2, "index"},
                           {"Sort", 2, "index"},        {"DropOut", 2, "mask"},
                           {"SetCmpMask", 0, "mask"},   {"SelectWithBytesMask", 3, "mask"},
                           {"Compare", 1, "condition"}, {"CompareScalar", 1, "condition"},
                           {"TopK", 3, "index"},        {"Compares", 1, "condition"}};

// Is this tensor made in this function out of a buffer that nothing else defines: no queue hands it
// over, no other function works in it?
bool MadeHere(const SourceIndex& index, const KernelView& view, const SourceCall& c,
              const std::string& tensor) {
  const std::string source = view.SourceOf(c, tensor), scope = view.ScopeOf(c);
  if (source.empty()) return false;
  for (const auto& d : index.calls) {
    if (d.name == "DeQue" && KernelView::FirstName(d.object) == source) return false;
    if (view.ScopeOf(d) == scope) continue;
    for (const std::string& t : view.TensorsOf(d))
      if (view.SourceOf(d, t) == source) return false;
  }
  return true;
}

// The call in the same function, in front of `c`, that makes this tensor out of others; null where
// there is none or more than one, so that without it the tensor would still hold something.
const SourceCall* MakerOf(const SourceIndex& index, const KernelView& view, const SourceCall& c,
                          const std::string& tensor) {
  const SourceCall* maker = nullptr;
  const SourceFunction* f = index.FunctionAt(c.file, c.whole.begin);
  for (const auto& d : index.calls) {
    if (!f || d.file != c.file || !f->body.Holds(d.whole) || d.whole.end > c.whole.begin ||
        d.args.empty())
      continue;
    if (view.PipeOf(d) != "V" || !d.object.empty() ||
        KernelView::FirstName(index.Arg(d, 0)) != tensor)
      continue;
    bool reads = false;  // in place: it changes what is there
    for (size_t i = 1; i < d.args.size(); ++i)
      reads |= KernelView::Names(index.Arg(d, i)).contains(tensor);
    if (reads) continue;
    if (maker) return nullptr;
    maker = &d;
  }
  return maker;
}

// Names of the library functions that take a temporary.
bool TakesTemporary(const std::string& name) {
  static const std::vector<std::string> kNames = {
#define AKGEN_TMP_SIZE(name, ...) #name,
#define AKGEN_TMP_BYTES(name, ...) #name,
#define AKGEN_TMP_FACTOR(name, ...) #name,
#include "akgen/vec_ops.inc"
      "SoftMax", "SimpleSoftMax", "LayerNorm", "RmsNorm", "GeGLU", "SwiGLU"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}
}  // namespace

// The scalar unit touches the line that a copy writes: it stores to it and does not clean it,
// cleans it behind what it stored, or reads it again as it was before the copy.
void FindUncleanLine(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  for (const auto& c : index.calls) {
    if (view.PipeOf(c) != "MTE3" || !StartsStatement(index, c)) continue;
    const std::string planted = Planted(index.Arg(c, 0));
    const std::string& text = index.files[c.file].text;
    const size_t end = text.find(';', c.whole.end);
    if (end == std::string::npos || text.find_first_not_of(" \t\n", c.whole.end) != end) continue;
    const Span before{c.whole.begin, c.whole.begin}, after{end + 1, end + 1};
    auto add = [&](std::vector<Edit> edits, const std::string& what) {
      out->push_back({.what = what,
                      .file = c.file,
                      .edits = std::move(edits),
                      .detectors = {"racecheck"},
                      .lines = {view.LinesOf(c), view.LinesOf(c.file, {c.whole.begin, end + 1})},
                      .rule = "what SetValue or GetValue left in the data cache is cleaned before "
                              "a copy of the line"});
    };
    const std::string clean = kClean, meet = kMeet;
    add({Replace(before, planted + "planted.SetValue(0, 0); " + meet + "} ")},
        "SetValue before the copy, and its line is not cleaned");
    add({Replace(before,
                 planted + "planted.SetValue(0, 0); " + clean + "planted[1]); " + meet + "} ")},
        "SetValue before the copy, and the line is cleaned behind it");
    add({Replace(before, planted + "planted.SetValue(0, 0); " + clean +
                             "planted); planted.GetValue(0); " + meet + "} "),
         Replace(after, " " + planted + meet + "planted.GetValue(0); }")},
        "GetValue before and after the copy, and the line is not cleaned");
  }
}

// What writes a mask, an index, an offset or a number that the scalar unit reads is gone.
void FindUndefinedRole(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  std::set<const SourceCall*> dropped;
  auto add = [&](const SourceCall& c, const std::string& tensor, const std::string& role) {
    const SourceCall* w =
        MadeHere(index, view, c, tensor) ? MakerOf(index, view, c, tensor) : nullptr;
    if (!w || !StartsStatement(index, *w) || !dropped.insert(w).second) return;
    Lines lines{view.LinesOf(*w), view.LinesOf(c)};
    for (const LineRange& l : view.Accesses("ALL"))
      lines.push_back(l);  // undefined data shows where it is used
    out->push_back(
        {.what = w->name + ", which writes the " + role + " of " + c.name + ", removed",
         .file = w->file,
         .edits = {Remove(*w)},
         .detectors = {"initcheck", "memcheck", "racecheck", "synccheck", "wrong_answer"},
         .lines = lines});
  };
  for (const auto& c : index.calls) {
    for (const Role& r : kRoles)
      if (c.name == r.name && c.object.empty() && r.operand < c.args.size())
        if (const std::string t = KernelView::FirstName(index.Arg(c, r.operand));
            view.IsLocal(c, t))
          add(c, t, r.role);
    if (c.name == "GetValue")
      if (const std::string t = KernelView::FirstName(c.object); view.IsLocal(c, t))
        add(c, t, "number");
  }
}

// Queues take the lowest event id of their pair of pipes from EnQue to DeQue: right behind EnQue,
// id 0 is taken.
void FindQueueEvent(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  std::map<std::string, std::string> events;  // by name of the queue
  std::set<std::string>
      other;  // names that queues without such an event have too, in other classes
  for (const auto& v : index.variables) {
    if (v.type.find("TQue") == std::string::npos) continue;
    const bool bind = v.type.find("TQueBind") != std::string::npos;
    const bool in = v.type.find("VECIN") != std::string::npos,
               to = v.type.find("VECOUT") != std::string::npos;
    const std::string event = bind || in == to ? "" : in ? "MTE2_V" : "V_MTE3";
    if (event.empty() || events.try_emplace(v.name, event).first->second != event)
      other.insert(v.name);
  }
  for (const std::string& name : other) events.erase(name);
  for (const SourceCall* c : CallsNamed(index, {"EnQue"})) {
    const std::string queue = KernelView::FirstName(c->object);
    const std::string& text = index.files[c->file].text;
    const size_t end = text.find(';', c->whole.end);
    if (!events.contains(queue) || !StartsStatement(index, *c) || end == std::string::npos)
      continue;
    if (text.find_first_not_of(" \t\n", c->whole.end) != end) continue;
    Lines lines = view.UsesOfQueue(queue);
    lines.push_back(view.LinesOf(*c));
    for (const LineRange& l : CallsOfQueue(view, queue)) lines.push_back(l);
    for (const LineRange& l : view.Accesses("ALL")) lines.push_back(l);
    const std::string event = "<AscendC::HardEvent::" + events[queue] + ">(EVENT_ID0); ";
    for (const auto& [text_of, what] :
         {std::pair{" AscendC::SetFlag" + event + "AscendC::WaitFlag" + event,
                    "set and waited for"},
          {" AscendC::WaitFlag" + event, "waited for"}})
      out->push_back({.what = "event 0 of " + events[queue] + ", which " + queue + " has set, is " +
                              what + " by hand",
                      .file = c->file,
                      .edits = {Replace({end + 1, end + 1}, text_of)},
                      .detectors = {"synccheck", "racecheck"},
                      .lines = lines,
                      .rule = "an event is set once before it is waited for, by one side"});
  }
}

// A temporary of 32 bytes: the tensor that is passed, or the buffer it is all of.
void FindSmallTemporary(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  for (const auto& c : index.calls) {
    if (!TakesTemporary(c.name) || !c.object.empty() || !StartsStatement(index, c)) continue;
    for (size_t i = 2; i < c.args.size(); ++i) {
      const std::string name = KernelView::FirstName(index.Arg(c, i));
      const bool bytes =
          std::any_of(index.variables.begin(), index.variables.end(), [&](const SourceVariable& v) {
            return v.name == name && v.type.find("LocalTensor<uint8_t>") != std::string::npos;
          });
      if (!bytes || index.Arg(c, i) != name) continue;
      out->push_back({.what = c.name + " gets 32 bytes of temporary",
                      .file = c.file,
                      .edits = {Replace({c.whole.begin, c.whole.begin}, name + ".SetSize(32); ")},
                      .detectors = {"memcheck"},
                      .lines = {view.LinesOf(c)},
                      .rule = "a temporary has the documented minimum"});
    }
  }
  for (const SourceCall* c : CallsNamed(index, {"InitBuffer"})) {
    if (c->args.size() != 2) continue;
    const std::string buffer = KernelView::FirstName(index.Arg(*c, 0));
    Lines lines;
    for (const auto& d : index.calls)
      for (const std::string& t : view.TensorsOf(d))
        if (TakesTemporary(d.name) && view.SourceOf(d, t) == buffer)
          lines.push_back(view.LinesOf(d));
    if (lines.empty()) continue;
    for (const LineRange& l : view.UsesOfQueue(buffer)) lines.push_back(l);
    out->push_back(
        {.what = "InitBuffer gives " + buffer + ", which a library function works in, 32 bytes",
         .file = c->file,
         .edits = {Replace(c->args[1], "32")},
         .detectors = {"memcheck", "initcheck", "racecheck", "wrong_answer"},
         .lines = lines});
  }
}

}  // namespace akgen::mutate
