// Faults of order: flags, barriers, queues.
#include <algorithm>

#include "mutate/kernel_view.h"
#include "mutate/operators.h"

namespace akgen::mutate {
namespace {
using Detectors = std::vector<std::string>;
using Lines = std::vector<LineRange>;
// A wrong order is a race, a deadlock, or a flag out of step.
const Detectors kOrder{"racecheck", "synccheck"};

void Add(Lines* to, const Lines& more) { to->insert(to->end(), more.begin(), more.end()); }

// Both ways to name an event: SetFlag<HardEvent::MTE2_V>(id) and set_flag(PIPE_MTE2, PIPE_V, id).
struct FlagCall {
  const SourceCall* call;
  bool set = false;
  std::string from, to;  // pipes without PIPE_
  Span event, id;        // event: of the text that names the pipes
};

std::string WithoutPipe(const std::string& s) {
  size_t at = s.rfind("PIPE_");
  return at == std::string::npos ? s : s.substr(at + 5);
}

std::vector<FlagCall> Flags(const SourceIndex& index) {
  std::vector<FlagCall> out;
  for (const SourceCall* c : CallsNamed(index, {"SetFlag", "WaitFlag", "set_flag", "wait_flag"})) {
    FlagCall f{c, c->name == "SetFlag" || c->name == "set_flag", "", "", {}, {}};
    if (c->args.size() == 3) {
      f.from = WithoutPipe(index.Arg(*c, 0));
      f.to = WithoutPipe(index.Arg(*c, 1));
      f.event = {c->args[0].begin, c->args[1].end};
      f.id = c->args[2];
    } else if (c->args.size() == 1 && !c->templ.empty()) {
      std::string event =
          c->templ.substr(c->templ.rfind(':') == std::string::npos ? 0 : c->templ.rfind(':') + 1);
      size_t bar = event.find('_');
      if (bar == std::string::npos) continue;
      f.from = event.substr(0, bar);
      f.to = event.substr(bar + 1);
      size_t at = index.files[c->file].text.find(event, c->whole.begin);
      f.event = {at, at + event.size()};
      f.id = c->args[0];
    } else {
      continue;
    }
    out.push_back(f);
  }
  return out;
}

// The flag's own line, those of all calls on the same pair of pipes, and the accesses that it
// orders.
Lines LinesOfFlag(const KernelView& view, const std::vector<FlagCall>& flags, const FlagCall& f) {
  Lines lines;
  for (const FlagCall& g : flags)
    if (g.from == f.from && g.to == f.to) lines.push_back(view.LinesOf(*g.call));
  Add(&lines, view.Ordered(f.from, f.to));
  return lines;
}
}  // namespace

void FindDropFlag(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  auto flags = Flags(index);
  for (size_t i = 0; i < flags.size(); ++i) {
    const FlagCall& f = flags[i];
    Lines lines = LinesOfFlag(view, flags, f);
    out->push_back({"",
                    (f.set ? "SetFlag " : "WaitFlag ") + f.from + "->" + f.to + " removed",
                    f.call->file,
                    {Remove(*f.call)},
                    kOrder,
                    lines,
                    ""});
    if (i + 1 == flags.size()) break;
    const FlagCall& g = flags[i + 1];
    bool pair = f.set && !g.set && f.from == g.from && f.to == g.to &&
                f.call->file == g.call->file &&
                index.Text(f.call->file, f.id) == index.Text(g.call->file, g.id) &&
                view.ScopeOf(*f.call) == view.ScopeOf(*g.call);
    if (pair)
      out->push_back({"",
                      "SetFlag and WaitFlag " + f.from + "->" + f.to + " removed",
                      f.call->file,
                      {Remove(*f.call), Remove(*g.call)},
                      kOrder,
                      lines,
                      ""});
  }
}

void FindSwapFlag(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  auto flags = Flags(index);
  for (const FlagCall& f : flags) {
    if (f.from == f.to) continue;
    FlagCall reversed = f;
    std::swap(reversed.from, reversed.to);
    Lines lines = LinesOfFlag(view, flags, f);
    Add(&lines, LinesOfFlag(view, flags, reversed));
    std::string text =
        f.call->args.size() == 3 ? "PIPE_" + f.to + ", PIPE_" + f.from : f.to + "_" + f.from;
    out->push_back(
        {"",
         f.call->name + " names " + f.to + "->" + f.from + " instead of " + f.from + "->" + f.to,
         f.call->file,
         {Replace(f.event, text)},
         kOrder,
         lines,
         ""});
  }
}

void FindWrongEventId(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  auto flags = Flags(index);
  for (const FlagCall& f : flags) {
    Lines lines = LinesOfFlag(view, flags, f);
    std::string id = index.Text(f.call->file, f.id);
    // Another id, or the same number of a chip with more events.
    out->push_back({"",
                    f.call->name + " takes event id " + id + " + 1 instead of " + id,
                    f.call->file,
                    {Replace(f.id, "static_cast<event_t>(((" + id + ") + 1) % 8)")},
                    kOrder,
                    lines,
                    ""});
    out->push_back({"",
                    f.call->name + " takes event id " + id + " + 8, which the chip does not have",
                    f.call->file,
                    {Replace(f.id, "static_cast<event_t>((" + id + ") + 8)")},
                    kOrder,
                    lines,
                    "event ids are 0 to 7"});
  }
}

void FindDropBarrier(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  for (const SourceCall* c :
       CallsNamed(index, {"PipeBarrier", "pipe_barrier", "SyncAll", "CrossCoreSetFlag",
                          "CrossCoreWaitFlag", "IBSet", "IBWait"})) {
    std::string pipe = WithoutPipe(c->templ.empty() ? index.Arg(*c, 0) : c->templ);
    bool one_pipe = c->name == "PipeBarrier" || c->name == "pipe_barrier";
    Lines lines = view.Accesses(one_pipe ? pipe : "ALL");
    lines.push_back(view.LinesOf(*c));
    if (!one_pipe)  // who waits now for ever
      for (const SourceCall* d : CallsNamed(
               index, {"SyncAll", "CrossCoreSetFlag", "CrossCoreWaitFlag", "IBSet", "IBWait"}))
        lines.push_back(view.LinesOf(*d));
    out->push_back({"", c->name + " removed", c->file, {Remove(*c)}, kOrder, lines, ""});
  }
}

void FindDropQueueCall(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  for (const SourceCall* c : CallsNamed(index, {"EnQue", "FreeTensor"})) {
    if (c->args.empty()) continue;
    std::string queue = KernelView::FirstName(c->object);
    Lines lines = view.UsesOfQueue(queue);
    lines.push_back(view.LinesOf(*c));
    Add(&lines, CallsOfQueue(view, queue));
    out->push_back({"",
                    c->name + " of " + queue + " removed",
                    c->file,
                    {Remove(*c)},
                    {"racecheck", "synccheck", "memcheck"},
                    lines,
                    ""});
  }
}

// FreeTensor moves before the last statement that uses the tensor.
void FindFreeEarly(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  for (const SourceCall* c : CallsNamed(index, {"FreeTensor"})) {
    if (c->args.empty()) continue;
    std::string tensor = KernelView::FirstName(index.Arg(*c, 0)),
                queue = KernelView::FirstName(c->object);
    const SourceFunction* f = index.FunctionAt(c->file, c->whole.begin);
    const SourceCall* last = nullptr;
    for (const auto& d : index.calls)
      if (f && d.file == c->file && f->body.Holds(d.whole) && d.whole.end <= c->whole.begin &&
          !view.PipeOf(d).empty() && d.object.empty() && view.TensorsOf(d).contains(tensor))
        last = &d;
    if (!last) continue;
    if (!StartsStatement(index, *last)) continue;
    Lines lines = view.UsesOfQueue(queue);
    lines.push_back(view.LinesOf(*c));
    Add(&lines, view.UsesOf(tensor));
    Add(&lines, CallsOfQueue(view, queue));
    out->push_back(
        {"",
         "FreeTensor of " + tensor + " moved before its last use in " + last->name,
         c->file,
         {Replace({last->whole.begin, last->whole.begin}, index.Text(c->file, c->whole) + "; "),
          Remove(*c)},
         {"racecheck", "synccheck", "memcheck"},
         lines,
         ""});
  }
}

// A signal to other blocks moves in front of the statement before it: the work it stands for is
// issued afterwards.
void FindEarlySignal(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  const auto signals =
      CallsNamed(index, {"SyncAll", "CrossCoreSetFlag", "IBSet", "NotifyNextBlock"});
  for (const SourceCall* c : signals) {
    const SourceFunction* f = index.FunctionAt(c->file, c->whole.begin);
    const SourceCall* before = nullptr;  // a copy, or a call of one of the kernel's own functions
    for (const auto& d : index.calls) {
      const bool own = std::any_of(index.functions.begin(), index.functions.end(),
                                   [&](const SourceFunction& g) { return g.name == d.name; });
      if (f && d.file == c->file && f->body.Holds(d.whole) && d.whole.end <= c->whole.begin &&
          (own || view.PipeOf(d) == "MTE3" || view.PipeOf(d) == "FIX") && StartsStatement(index, d))
        before = &d;
    }
    if (!before || !StartsStatement(index, *c)) continue;
    Lines lines = view.Accesses("ALL");
    for (const SourceCall* d : signals) lines.push_back(view.LinesOf(*d));
    for (const SourceCall* d : CallsNamed(index, {"CrossCoreWaitFlag", "IBWait", "WaitPreBlock"}))
      lines.push_back(view.LinesOf(*d));
    out->push_back({.what = c->name + " moved before " + before->name,
                    .file = c->file,
                    .edits = {Replace({before->whole.begin, before->whole.begin},
                                      index.Text(c->file, c->whole) + "; "),
                              Remove(*c)},
                    .detectors = {"racecheck", "synccheck", "initcheck", "wrong_answer"},
                    .lines = lines});
  }
}

}  // namespace akgen::mutate
