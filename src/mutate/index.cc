#include "mutate/index.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/channel.h"
#include "base/files.h"
#include "base/text.h"
#include "mutate/source_messages.h"
#include "toolchain/device.h"
#include "toolchain/rewrite.h"
#include "toolchain/system.h"

namespace akgen::mutate {
namespace fs = std::filesystem;
using base::Json;
namespace {
using base::IsWord;
constexpr int kParseMs = 60000;
constexpr const char* kPrelude = "/akgen-source-prelude.h";

bool IsText(const fs::path& p) {
  auto e = p.extension();
  return e == ".cpp" || e == ".h" || e == ".hpp" || e == ".cc" || e == ".inc" || e == ".asc";
}

// Files of the kernel half: those below the kernel's folder, or the one file of a standalone
// kernel.
std::vector<fs::path> FilesOf(const toolchain::Project& project) {
  std::vector<fs::path> out;
  std::error_code ec;
  if (project.host_sources.empty()) return {project.kernel};
  for (fs::recursive_directory_iterator it(project.kernel.parent_path(), ec), end; !ec && it != end;
       it.increment(ec))
    if (it->is_regular_file(ec) && IsText(it->path())) out.push_back(it->path());
  std::sort(out.begin(), out.end());
  return out;
}

// Files of the host half; of a standalone kernel none.
base::Status AddHostFiles(const toolchain::Project& project, SourceIndex* index) {
  std::vector<fs::path> found;
  std::error_code ec;
  for (fs::recursive_directory_iterator it(project.dir / "op_host", ec), end; !ec && it != end;
       it.increment(ec))
    if (it->is_regular_file(ec) && IsText(it->path())) found.push_back(it->path());
  std::sort(found.begin(), found.end());
  for (const fs::path& path : found) {
    auto text = base::ReadFile(path);
    if (!text.ok()) return text.error();
    index->files.push_back(
        {fs::relative(path, project.dir).string(), path.string(), std::move(*text), true});
  }
  return {};
}

std::string Trim(const std::string& s) {
  size_t a = s.find_first_not_of(" \t\n"), b = s.find_last_not_of(" \t\n");
  return a == std::string::npos ? "" : s.substr(a, b - a + 1);
}

// Splits `object.name<templ>` at its end; false when it names nothing.
bool SplitCallee(std::string callee, SourceCall* call) {
  callee = Trim(callee);
  if (callee.empty()) return false;
  if (callee.back() == '>') {
    int depth = 0;
    size_t at = callee.size();
    while (at > 0) {
      --at;
      if (callee[at] == '>') ++depth;
      if (callee[at] == '<' && --depth == 0) break;
    }
    call->templ = callee.substr(at + 1, callee.size() - at - 2);
    callee = Trim(callee.substr(0, at));
  }
  size_t start = callee.size();
  while (start > 0 && IsWord(callee[start - 1])) --start;
  call->name = callee.substr(start);
  std::string before = Trim(callee.substr(0, start));
  if (before.ends_with("template")) before = Trim(before.substr(0, before.size() - 8));
  if (before.ends_with("->"))
    call->object = Trim(before.substr(0, before.size() - 2));
  else if (before.ends_with("."))
    call->object = Trim(before.substr(0, before.size() - 1));
  if (call->object.starts_with("this->")) call->object = call->object.substr(6);
  return !call->name.empty() && !std::isdigit(static_cast<unsigned char>(call->name[0]));
}

Span SpanOf(const ParsedSpan& s) { return {s.begin, s.end}; }

class Filler {
 public:
  explicit Filler(SourceIndex* index) : index_(*index) {
    for (size_t i = 0; i < index_.files.size(); ++i) {
      number_[index_.files[i].path] = i;
      blank_.push_back(toolchain::BlankCommentsAndStrings(index_.files[i].text));
    }
  }
  void Fill(const ParsedSource& parsed) {
    size_t f = 0;
    for (const ParsedCall& c : parsed.calls)
      if (Knows(c.file, &f)) AddCall(c, f);
    for (const ParsedVariable& v : parsed.variables)
      if (Knows(v.file, &f))
        index_.variables.push_back(
            {f, SpanOf(v.whole), v.init ? SpanOf(*v.init) : Span{}, v.name, v.type});
    for (const ParsedLoop& l : parsed.loops)
      if (Knows(l.file, &f)) AddLoop(SpanOf(l.whole), f);
    for (const ParsedFunction& one : parsed.functions)
      if (Knows(one.file, &f)) index_.functions.push_back({f, one.name, SpanOf(one.body)});
    std::sort(index_.calls.begin(), index_.calls.end(), [](auto& a, auto& b) {
      return std::tuple(a.file, a.whole.begin, a.whole.end) <
             std::tuple(b.file, b.whole.begin, b.whole.end);
    });
    auto same = [](auto& a, auto& b) {
      return a.file == b.file && a.whole.begin == b.whole.begin && a.whole.end == b.whole.end;
    };
    index_.calls.erase(std::unique(index_.calls.begin(), index_.calls.end(), same),
                       index_.calls.end());
  }

 private:
  bool Knows(const std::string& file, size_t* f) const {
    auto at = number_.find(file);
    if (at == number_.end()) return false;
    *f = at->second;
    return true;
  }
  void AddCall(const ParsedCall& parsed, size_t f) {
    SourceCall call;
    call.file = f;
    call.whole = SpanOf(parsed.whole);
    for (const ParsedSpan& a : parsed.args) call.args.push_back(SpanOf(a));
    const std::string& text = blank_[f];
    if (call.whole.end > text.size() || text[call.whole.end - 1] != ')') return;
    size_t open = call.whole.end - 1;
    for (int depth = 0; open > call.whole.begin; --open) {
      if (text[open] == ')') ++depth;
      if (text[open] == '(' && --depth == 0) break;
    }
    if (text[open] == '(' &&
        SplitCallee(text.substr(call.whole.begin, open - call.whole.begin), &call))
      index_.calls.push_back(std::move(call));
  }
  // The middle part of for (…; …; …).
  void AddLoop(Span whole, size_t f) {
    const std::string& text = blank_[f];
    size_t first = 0;
    int depth = 0;
    for (size_t i = text.find('(', whole.begin); i < whole.end; ++i) {
      if (text[i] == '(' || text[i] == '{') ++depth;
      if ((text[i] == ')' || text[i] == '}') && --depth == 0) return;
      if (text[i] != ';' || depth != 1) continue;
      if (first) return index_.loops.push_back({f, {first, i}});
      first = i + 1;
    }
  }

  SourceIndex& index_;
  std::map<std::string, size_t> number_;
  std::vector<std::string> blank_;
};
}  // namespace

int SourceIndex::LineAt(size_t file, size_t offset) const {
  const std::string& t = files[file].text;
  return 1 + int(std::count(t.begin(), t.begin() + long(std::min(offset, t.size())), '\n'));
}

const SourceFunction* SourceIndex::FunctionAt(size_t file, size_t offset) const {
  const SourceFunction* best = nullptr;
  for (const auto& f : functions)
    if (f.file == file && f.body.begin <= offset && offset < f.body.end &&
        (!best || best->body.Holds(f.body)))
      best = &f;
  return best;
}

base::Result<SourceIndex> IndexSource(const toolchain::Project& project,
                                      const toolchain::Device& device, const std::string& prelude,
                                      const std::vector<std::string>& include_dirs) {
  auto of_device = toolchain::DeviceFlags(device);
  if (!of_device.ok()) return of_device.error();
  SourceIndex index;
  std::vector<toolchain::Rewrite> unused;
  Json files = Json::object();
  for (const auto& path : FilesOf(project)) {
    auto text = base::ReadFile(path);
    if (!text.ok()) return text.error();
    std::string seen = toolchain::RewriteKernelSource(path.string(), *text, &unused);
    if (seen.size() == text->size()) files[path.string()] = seen;
    index.files.push_back(
        {fs::relative(path, project.dir).string(), path.string(), std::move(*text)});
  }
  files[kPrelude] = "#include \"kernel_operator.h\"\n" + prelude;
  std::vector<std::string> args{"-x", "c++", "-std=c++17"};
  args.insert(args.end(), of_device->begin(), of_device->end());
  const std::vector<std::string> system = toolchain::SystemFlags();
  args.insert(args.end(), system.begin(), system.end());
  args.insert(args.end(),
              {"-w", "-ferror-limit=0", "-isystem", (base::HomeDir() / "include/ascendc").string(),
               "-include", kPrelude, "-I" + project.dir.string()});
  for (const auto& d : include_dirs) args.push_back("-I" + d);
  auto helper = base::HelperProcess::Start("akgen-source");
  if (!helper.ok()) return helper.error();
  const ParseRequest request{project.kernel.string(), project.kernel.parent_path().string(), args,
                             files};
  if (auto sent = helper->channel().Send(ToJson(request)); !sent.ok()) return sent.error();
  auto reply = helper->channel().Receive(kParseMs);
  if (!reply.ok()) return reply.error();
  const ParsedSource parsed = ParsedSourceFromJson(reply->body);
  if (!parsed.error.empty())
    return base::Error{"AK0012", parsed.error, project.kernel.string(),
                       "see that it compiles: akgen run or akgen judge"};
  Filler(&index).Fill(parsed);
  if (auto s = project.host_sources.empty() ? base::Status() : AddHostFiles(project, &index);
      !s.ok())
    return s.error();
  return index;
}

}  // namespace akgen::mutate
