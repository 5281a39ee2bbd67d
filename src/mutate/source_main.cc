// akgen-source: started by akgen with a socket on descriptor 3; indexes one source per message with
// libclang. Requests and replies: mutate/source_messages.h.
#include <clang-c/Index.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "base/channel.h"
#include "mutate/source_messages.h"

namespace {
using akgen::base::Json;
using akgen::mutate::ParsedSource;
using akgen::mutate::ParsedSpan;
using akgen::mutate::ParseRequest;

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
  if (!from || !to || !clang_File_isEqual(from, to) || !written ||
      !clang_File_isEqual(from, written) || offset != p.begin || p.end <= p.begin)
    return p;
  p.file = Take(clang_getFileName(from));
  p.ok = true;
  return p;
}

ParsedSpan SpanOf(const Place& p) { return {p.begin, p.end}; }

struct Reader {
  std::string dir;
  ParsedSource out;

  void Call(CXCursor c, const Place& p) {
    std::vector<ParsedSpan> args;
    for (int i = 0, n = clang_Cursor_getNumArguments(c); i < n; ++i) {
      Place a = PlaceOf(clang_getCursorExtent(clang_Cursor_getArgument(c, unsigned(i))));
      if (a.ok && a.file == p.file && a.begin > p.begin && a.end < p.end) args.push_back(SpanOf(a));
    }
    out.calls.push_back({p.file, SpanOf(p), std::move(args)});
  }
  void Variable(CXCursor c, const Place& p) {
    std::optional<ParsedSpan> init;
    clang_visitChildren(
        c,
        [](CXCursor child, CXCursor, CXClientData data) {
          if (clang_isExpression(clang_getCursorKind(child)))
            if (Place i = PlaceOf(clang_getCursorExtent(child)); i.ok)
              *static_cast<std::optional<ParsedSpan>*>(data) = SpanOf(i);
          return CXChildVisit_Continue;
        },
        &init);
    out.variables.push_back({p.file, SpanOf(p), init, Take(clang_getCursorSpelling(c)),
                             Take(clang_getTypeSpelling(clang_getCursorType(c)))});
  }
  void Function(CXCursor c) {
    Place body;
    clang_visitChildren(
        c,
        [](CXCursor child, CXCursor, CXClientData data) {
          if (clang_getCursorKind(child) == CXCursor_CompoundStmt)
            if (Place b = PlaceOf(clang_getCursorExtent(child)); b.ok)
              *static_cast<Place*>(data) = b;
          return CXChildVisit_Continue;
        },
        &body);
    if (body.ok && body.file.starts_with(dir))
      out.functions.push_back({body.file, SpanOf(body), Take(clang_getCursorSpelling(c))});
  }

  CXChildVisitResult Visit(CXCursor c) {
    if (clang_getCursorKind(c) != CXCursor_TranslationUnit &&
        clang_Location_isInSystemHeader(clang_getCursorLocation(c)))
      return CXChildVisit_Continue;
    CXCursorKind kind = clang_getCursorKind(c);
    if (kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod ||
        kind == CXCursor_FunctionTemplate) {
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
      case CXCursor_ForStmt: out.loops.push_back({p.file, SpanOf(p)}); break;
      default: break;
    }
    return CXChildVisit_Recurse;
  }
};

ParsedSource IndexOf(const ParseRequest& request) {
  std::vector<const char*> argv;
  for (const std::string& a : request.args) argv.push_back(a.c_str());
  std::vector<CXUnsavedFile> unsaved;
  for (const auto& [path, text] : request.files)
    unsaved.push_back({path.c_str(), text.data(), text.size()});
  CXIndex index = clang_createIndex(0, 0);
  CXTranslationUnit unit = nullptr;
  CXErrorCode rc = clang_parseTranslationUnit2(
      index, request.main.c_str(), argv.data(), int(argv.size()), unsaved.data(),
      unsigned(unsaved.size()), CXTranslationUnit_KeepGoing, &unit);
  if (rc != CXError_Success || !unit) {
    clang_disposeIndex(index);
    ParsedSource failed;
    failed.error = "libclang cannot parse " + request.main;
    return failed;
  }
  Reader reader;
  reader.dir = request.dir;
  clang_visitChildren(
      clang_getTranslationUnitCursor(unit),
      [](CXCursor c, CXCursor, CXClientData data) { return static_cast<Reader*>(data)->Visit(c); },
      &reader);
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
      answer = akgen::mutate::ToJson(IndexOf(akgen::mutate::ParseRequestFromJson(message->body)));
    } catch (const std::exception& e) {
      answer = {{"error", std::string("malformed request: ") + e.what()}};
    }
    if (!channel.Send(answer).ok()) break;
  }
  return 0;
}
