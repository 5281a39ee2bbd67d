// akgen-source: started by akgen with a socket on descriptor 3; indexes one source per message with libclang.
// Request {"main", "args", "files": {path: text}, "dir"}; reply {"calls", "variables", "loops", "functions"} of files
// in `dir`, or {"error"}.
#include <clang-c/Index.h>

#include <csignal>
#include <map>
#include <string>
#include <vector>

#include "base/channel.h"

namespace {
using akgen::base::Json;

std::string Take(CXString s) {
  const char* c = clang_getCString(s);
  std::string out = c ? c : "";
  clang_disposeString(s);
  return out;
}

struct Place {
  std::string file;
  unsigned begin = 0, end = 0;
  bool ok = false;
};

// Where a range was written; not ok inside macros or across files.
Place PlaceOf(CXSourceRange range) {
  Place p;
  CXFile from = nullptr, to = nullptr, written = nullptr;
  unsigned offset = 0;
  clang_getExpansionLocation(clang_getRangeStart(range), &from, nullptr, nullptr, &p.begin);
  clang_getSpellingLocation(clang_getRangeStart(range), &written, nullptr, nullptr, &offset);
  clang_getExpansionLocation(clang_getRangeEnd(range), &to, nullptr, nullptr, &p.end);
  if (!from || !to || !clang_File_isEqual(from, to) || !written || !clang_File_isEqual(from, written) ||
      offset != p.begin || p.end <= p.begin)
    return p;
  p.file = Take(clang_getFileName(from));
  p.ok = true;
  return p;
}

Json SpanOf(const Place& p) { return {p.begin, p.end}; }

struct Reader {
  std::string dir;
  Json out{
      {"calls", Json::array()}, {"variables", Json::array()}, {"loops", Json::array()}, {"functions", Json::array()}};

  void Call(CXCursor c, const Place& p) {
    Json args = Json::array();
    for (int i = 0, n = clang_Cursor_getNumArguments(c); i < n; ++i) {
      Place a = PlaceOf(clang_getCursorExtent(clang_Cursor_getArgument(c, unsigned(i))));
      if (a.ok && a.file == p.file && a.begin > p.begin && a.end < p.end) args.push_back(SpanOf(a));
    }
    out["calls"].push_back({{"file", p.file}, {"whole", SpanOf(p)}, {"args", args}});
  }
  void Variable(CXCursor c, const Place& p) {
    Json init;
    clang_visitChildren(
        c,
        [](CXCursor child, CXCursor, CXClientData data) {
          if (clang_isExpression(clang_getCursorKind(child)))
            if (Place i = PlaceOf(clang_getCursorExtent(child)); i.ok) *static_cast<Json*>(data) = SpanOf(i);
          return CXChildVisit_Continue;
        },
        &init);
    out["variables"].push_back({{"file", p.file},
                                {"whole", SpanOf(p)},
                                {"init", init},
                                {"name", Take(clang_getCursorSpelling(c))},
                                {"type", Take(clang_getTypeSpelling(clang_getCursorType(c)))}});
  }
  void Function(CXCursor c) {
    Json body;
    clang_visitChildren(
        c,
        [](CXCursor child, CXCursor, CXClientData data) {
          if (clang_getCursorKind(child) == CXCursor_CompoundStmt)
            if (Place b = PlaceOf(clang_getCursorExtent(child)); b.ok)
              *static_cast<Json*>(data) = {{"span", SpanOf(b)}, {"file", b.file}};
          return CXChildVisit_Continue;
        },
        &body);
    if (body.is_null()) return;
    if (std::string file = body["file"]; file.starts_with(dir))
      out["functions"].push_back({{"file", file}, {"body", body["span"]}, {"name", Take(clang_getCursorSpelling(c))}});
  }

  CXChildVisitResult Visit(CXCursor c) {
    if (clang_getCursorKind(c) != CXCursor_TranslationUnit &&
        clang_Location_isInSystemHeader(clang_getCursorLocation(c)))
      return CXChildVisit_Continue;
    CXCursorKind kind = clang_getCursorKind(c);
    if (kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod || kind == CXCursor_FunctionTemplate) {
      Function(c);  // may begin with a macro, unlike its body
      return CXChildVisit_Recurse;
    }
    Place p = PlaceOf(clang_getCursorExtent(c));
    if (p.ok && !p.file.starts_with(dir)) return CXChildVisit_Continue;
    if (!p.ok) return CXChildVisit_Recurse;
    switch (kind) {
      case CXCursor_CallExpr: Call(c, p); break;
      case CXCursor_VarDecl:
      case CXCursor_FieldDecl:
      case CXCursor_ParmDecl: Variable(c, p); break;
      case CXCursor_ForStmt: out["loops"].push_back({{"file", p.file}, {"whole", SpanOf(p)}}); break;
      default: break;
    }
    return CXChildVisit_Recurse;
  }
};

Json IndexFromMessage(const Json& request) {
  std::vector<std::string> args = request.value("args", std::vector<std::string>{});
  std::vector<const char*> argv;
  for (auto& a : args) argv.push_back(a.c_str());
  std::map<std::string, std::string> files = request.value("files", std::map<std::string, std::string>{});
  std::vector<CXUnsavedFile> unsaved;
  for (auto& [path, text] : files) unsaved.push_back({path.c_str(), text.data(), text.size()});
  CXIndex index = clang_createIndex(0, 0);
  CXTranslationUnit unit = nullptr;
  CXErrorCode rc =
      clang_parseTranslationUnit2(index, request.value("main", "").c_str(), argv.data(), int(argv.size()),
                                  unsaved.data(), unsigned(unsaved.size()), CXTranslationUnit_KeepGoing, &unit);
  if (rc != CXError_Success || !unit) {
    clang_disposeIndex(index);
    return {{"error", "libclang cannot parse " + request.value("main", "")}};
  }
  Reader reader;
  reader.dir = request.value("dir", "");
  clang_visitChildren(
      clang_getTranslationUnitCursor(unit),
      [](CXCursor c, CXCursor, CXClientData data) { return static_cast<Reader*>(data)->Visit(c); }, &reader);
  clang_disposeTranslationUnit(unit);
  clang_disposeIndex(index);
  return reader.out;
}
}  // namespace

int main() {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGINT, SIG_IGN);
  akgen::base::Channel channel = akgen::base::ParentChannel();
  for (;;) {
    auto message = channel.Receive();
    if (!message.ok()) break;
    Json answer;
    try {
      answer = IndexFromMessage(message->body);
    } catch (const std::exception& e) { answer = {{"error", std::string("malformed request: ") + e.what()}}; }
    if (!channel.Send(answer).ok()) break;
  }
  return 0;
}
