#include "mutate/kernel_view.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace akgen::mutate {
namespace {
using base::IsWord;

bool IsCopy(const std::string& n) { return n == "DataCopy" || n == "DataCopyPad"; }

// Calls on tensors that access nothing by themselves.
bool IsBookkeeping(const std::string& n) {
  static const std::set<std::string> kNames{
      "EnQue",           "DeQue",         "AllocTensor",     "FreeTensor",   "InitBuffer",
      "SetGlobalBuffer", "Get",           "ReinterpretCast", "SetSize",      "GetSize",
      "GetPhyAddr",      "SetFlag",       "WaitFlag",        "PipeBarrier",  "SyncAll",
      "SetAtomicAdd",    "SetAtomicNone", "SetMaskNorm",     "SetMaskCount", "SetVectorMask"};
  return kNames.contains(n);
}
}  // namespace

std::string KernelView::FirstName(const std::string& text) {
  size_t i = text.starts_with("this->") ? 6 : 0;
  while (i < text.size() && !IsWord(text[i])) ++i;
  size_t from = i;
  while (i < text.size() && IsWord(text[i])) ++i;
  if (text.compare(i, 2, "::") == 0) return FirstName(text.substr(i + 2));  // Base::queue
  return text.substr(from, i - from);
}

std::set<std::string> KernelView::Names(const std::string& text) {
  std::set<std::string> out;
  for (size_t i = 0; i < text.size();) {
    size_t from = i;
    while (i < text.size() && IsWord(text[i])) ++i;
    if (i > from && !std::isdigit(static_cast<unsigned char>(text[from])))
      out.insert(text.substr(from, i - from));
    if (i == from) ++i;
  }
  return out;
}

// Functions of one name count as one scope; members live in the scope "".
std::string KernelView::ScopeOf(const SourceCall& c) const {
  const SourceFunction* f = index_.FunctionAt(c.file, c.whole.begin);
  return f ? f->name : "";
}

KernelView::KernelView(const SourceIndex& index) : index_(index) {
  for (const auto& v : index_.variables) {
    const SourceFunction* f = index_.FunctionAt(v.file, v.whole.begin);
    std::string scope = f ? f->name : "", init = index_.Text(v.file, v.init);
    // A parameter lies before its function's body.
    for (const auto& g : index_.functions)
      if (!f && g.file == v.file && v.whole.end < g.body.begin &&
          g.body.begin - v.whole.end < 600 &&
          index_.Text(v.file, {v.whole.end, g.body.begin}).find_first_of(";{}") ==
              std::string::npos)
        scope = g.name;
    bool made = init.find("AllocTensor") != std::string::npos ||
                init.find("DeQue") != std::string::npos || init.find("Get<") != std::string::npos;
    type_[scope][v.name] = v.type.find("LocalTensor") != std::string::npos ||
                                   (made && v.type.find("uto") != std::string::npos)
                               ? 'l'
                           : v.type.find("GlobalTensor") != std::string::npos ? 'g'
                                                                              : 'o';
    std::string first = FirstName(init);
    if (!first.empty() && init.size() > first.size() &&
        (init[first.size()] == '[' || init.find("ReinterpretCast") != std::string::npos))
      alias_[scope][v.name] = first;
  }
  for (const auto& c : index_.calls) {
    if (c.name != "AllocTensor" && c.name != "DeQue" && c.name != "Get" &&
        c.name != "GetWithOffset")
      continue;
    // `name = ` before the call, on the same statement.
    const std::string& text = index_.files[c.file].text;
    size_t i = c.whole.begin;
    while (i > 0 && std::isspace(static_cast<unsigned char>(text[i - 1]))) --i;
    if (i == 0 || text[i - 1] != '=') continue;
    for (--i; i > 0 && std::isspace(static_cast<unsigned char>(text[i - 1]));) --i;
    size_t end = i;
    while (i > 0 && IsWord(text[i - 1])) --i;
    source_[ScopeOf(c)].try_emplace(text.substr(i, end - i), FirstName(c.object));
  }
  for (const auto& c : index_.calls) pipes_.push_back(PipeOf(c));
  FollowQueues();
}

// Parameters lie between the function's name and its body; those that are queues or buffers take
// the names of the arguments at their places.
void KernelView::FollowQueues() {
  for (const SourceFunction& f : index_.functions) {
    const std::string& text = index_.files[f.file].text;
    size_t head = text.rfind(f.name + "(", f.body.begin);
    if (f.name.empty() || head == std::string::npos ||
        text.substr(head, f.body.begin - head).find_first_of(";{}") != std::string::npos)
      continue;
    std::vector<const SourceVariable*> params;
    for (const auto& v : index_.variables)
      if (v.file == f.file && head < v.whole.begin && v.whole.end < f.body.begin)
        params.push_back(&v);
    std::sort(params.begin(), params.end(),
              [](auto* a, auto* b) { return a->whole.begin < b->whole.begin; });
    for (const auto& c : index_.calls)
      for (size_t i = 0; c.name == f.name && i < std::min(params.size(), c.args.size()); ++i) {
        const std::string& type = params[i]->type;
        if (type.find("TQue") == std::string::npos && type.find("TBuf") == std::string::npos)
          continue;
        std::string given = FirstName(index_.Arg(c, i));
        passed_[given].insert(params[i]->name);
        passed_[params[i]->name].insert(given);
      }
  }
}

std::set<std::string> KernelView::NamesOfQueue(const std::string& queue) const {
  std::set<std::string> out{queue};
  for (std::vector<std::string> open{queue}; !open.empty();) {
    auto more = passed_.find(open.back());
    open.pop_back();
    if (more == passed_.end()) continue;
    for (const std::string& n : more->second)
      if (out.insert(n).second) open.push_back(n);
  }
  return out;
}

char KernelView::TypeOf(const SourceCall& near, const std::string& name) const {
  for (const std::string& scope : {ScopeOf(near), std::string()})
    if (auto s = type_.find(scope); s != type_.end())
      if (auto t = s->second.find(name); t != s->second.end()) return t->second;
  return 'o';
}

std::string KernelView::Root(const std::string& scope, std::string name) const {
  auto s = alias_.find(scope);
  for (int hop = 0; s != alias_.end() && hop < 8; ++hop) {
    auto a = s->second.find(name);
    if (a == s->second.end() || a->second == name) break;
    name = a->second;
  }
  return name;
}

namespace {
// The Cube core's instructions and their pipes, but for copies.
std::string PipeOfCube(const std::string& name) {
  if (name.starts_with("LoadData")) return "MTE1";
  if (name == "Mmad" || name == "MmadWithSparse") return "M";
  return name == "Fixpipe" ? "FIX" : "";
}
}  // namespace

std::string KernelView::PipeOf(const SourceCall& c) const {
  if (c.name == "GetValue" || c.name == "SetValue") return "S";
  if (std::string cube = PipeOfCube(c.name); !cube.empty() && c.object.empty() && !c.args.empty())
    return cube;
  if (c.args.empty() || !c.object.empty() || IsBookkeeping(c.name)) return "";
  std::string first = FirstName(index_.Arg(c, 0));
  if (IsCopy(c.name)) {
    // With padding it is a copy in, whatever a template calls the types.
    const bool pads = c.name == "DataCopyPad" && c.args.size() > 3;
    if (pads) return IsGlobal(c, FirstName(index_.Arg(c, 1))) || !IsLocal(c, first) ? "MTE2" : "V";
    if (IsGlobal(c, first)) return "MTE3";
    return IsGlobal(c, FirstName(index_.Arg(c, 1))) ? "MTE2" : "V";
  }
  return IsLocal(c, first) ? "V" : "";
}

std::set<std::string> KernelView::TensorsOf(const SourceCall& c) const {
  std::set<std::string> out;
  std::string scope = ScopeOf(c);
  for (size_t i = 0; i < c.args.size(); ++i)
    for (const std::string& n : Names(index_.Arg(c, i)))
      if (TypeOf(c, n) != 'o') out.insert(Root(scope, n));
  if (!c.object.empty())
    if (std::string n = FirstName(c.object); TypeOf(c, n) != 'o') out.insert(Root(scope, n));
  return out;
}

std::string KernelView::SourceOf(const SourceCall& near, const std::string& tensor) const {
  std::string scope = ScopeOf(near);
  auto s = source_.find(scope);
  if (s == source_.end()) return "";
  auto t = s->second.find(Root(scope, tensor));
  return t == s->second.end() ? "" : t->second;
}

std::vector<LineRange> KernelView::UsesOfQueue(const std::string& queue) const {
  std::vector<LineRange> out;
  const std::set<std::string> names = NamesOfQueue(queue);
  for (size_t i = 0; i < index_.calls.size(); ++i) {
    const SourceCall& c = index_.calls[i];
    if (pipes_[i].empty()) continue;
    for (const std::string& t : TensorsOf(c))
      if (names.contains(SourceOf(c, t))) out.push_back(LinesOf(c));
  }
  return out;
}

std::vector<LineRange> KernelView::UsesOf(const std::string& name) const {
  std::vector<LineRange> out;
  for (const auto& c : index_.calls)
    for (size_t i = 0; i < c.args.size(); ++i)
      if (Names(index_.Arg(c, i)).contains(name)) {
        out.push_back(LinesOf(c));
        break;
      }
  return out;
}

std::vector<LineRange> KernelView::Ordered(const std::string& from, const std::string& to) const {
  std::set<std::string> one, other;
  for (size_t i = 0; i < index_.calls.size(); ++i) {
    if (pipes_[i] == from) one.merge(TensorsOf(index_.calls[i]));
    if (pipes_[i] == to) other.merge(TensorsOf(index_.calls[i]));
  }
  std::set<std::string> both;
  std::set_intersection(one.begin(), one.end(), other.begin(), other.end(),
                        std::inserter(both, both.end()));
  std::vector<LineRange> shared, all;
  for (size_t i = 0; i < index_.calls.size(); ++i) {
    if (pipes_[i] != from && pipes_[i] != to) continue;
    all.push_back(LinesOf(index_.calls[i]));
    for (const std::string& t : TensorsOf(index_.calls[i]))
      if (both.contains(t)) {
        shared.push_back(all.back());
        break;
      }
  }
  return shared.empty() ? all : shared;
}

std::vector<LineRange> KernelView::Accesses(const std::string& pipe) const {
  std::vector<LineRange> out;
  for (size_t i = 0; i < index_.calls.size(); ++i)
    if (!pipes_[i].empty() && (pipe == "ALL" || pipes_[i] == pipe))
      out.push_back(LinesOf(index_.calls[i]));
  return out;
}

std::vector<const SourceCall*> CallsNamed(const SourceIndex& index,
                                          std::initializer_list<const char*> names) {
  std::vector<const SourceCall*> out;
  for (const auto& c : index.calls)
    if (std::any_of(names.begin(), names.end(), [&](const char* n) { return c.name == n; }))
      out.push_back(&c);
  return out;
}

std::vector<LineRange> CallsOfQueue(const KernelView& view, const std::string& queue) {
  std::vector<LineRange> out;
  const std::set<std::string> names = view.NamesOfQueue(queue);
  for (const SourceCall* c :
       CallsNamed(view.index(), {"AllocTensor", "DeQue", "EnQue", "FreeTensor"}))
    if (names.contains(KernelView::FirstName(c->object))) out.push_back(view.LinesOf(*c));
  return out;
}

Edit Remove(const SourceCall& c) { return {c.whole, "(void)0"}; }
Edit Replace(Span span, std::string text) { return {span, std::move(text)}; }
bool StartsStatement(const SourceIndex& index, const SourceCall& c) {
  const std::string& text = index.files[c.file].text;
  const size_t before =
      c.whole.begin ? text.find_last_not_of(" \t\n", c.whole.begin - 1) : std::string::npos;
  return before != std::string::npos &&
         (text[before] == ';' || text[before] == '{' || text[before] == '}');
}
Edit Append(const SourceIndex& index, size_t file, Span e, const std::string& tail) {
  return {e, "(" + index.Text(file, e) + ")" + tail};
}

}  // namespace akgen::mutate
