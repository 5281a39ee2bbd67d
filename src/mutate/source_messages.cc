#include "mutate/source_messages.h"

namespace akgen::mutate {
using base::Json;

namespace {
Json ToJson(const ParsedSpan& s) { return {s.begin, s.end}; }
ParsedSpan SpanFromJson(const Json& j) { return {j.at(0).get<size_t>(), j.at(1).get<size_t>()}; }
}  // namespace

Json ToJson(const ParseRequest& r) {
  return {{"main", r.main}, {"dir", r.dir}, {"args", r.args}, {"files", r.files}};
}

ParseRequest ParseRequestFromJson(const Json& j) {
  ParseRequest r;
  j.at("main").get_to(r.main), j.at("dir").get_to(r.dir), j.at("args").get_to(r.args),
      j.at("files").get_to(r.files);
  return r;
}

Json ToJson(const ParsedSource& s) {
  if (!s.error.empty()) return {{"error", s.error}};
  Json calls = Json::array(), variables = Json::array(), loops = Json::array(),
       functions = Json::array();
  for (const ParsedCall& c : s.calls) {
    Json args = Json::array();
    for (const ParsedSpan& a : c.args) args.push_back(ToJson(a));
    calls.push_back({{"file", c.file}, {"whole", ToJson(c.whole)}, {"args", args}});
  }
  for (const ParsedVariable& v : s.variables)
    variables.push_back({{"file", v.file},
                         {"whole", ToJson(v.whole)},
                         {"init", v.init ? ToJson(*v.init) : Json()},
                         {"name", v.name},
                         {"type", v.type}});
  for (const ParsedLoop& l : s.loops)
    loops.push_back({{"file", l.file}, {"whole", ToJson(l.whole)}});
  for (const ParsedFunction& f : s.functions)
    functions.push_back({{"file", f.file}, {"body", ToJson(f.body)}, {"name", f.name}});
  return {{"calls", calls}, {"variables", variables}, {"loops", loops}, {"functions", functions}};
}

ParsedSource ParsedSourceFromJson(const Json& j) {
  ParsedSource s;
  if (s.error = j.value("error", ""); !s.error.empty()) return s;
  for (const Json& c : j.at("calls")) {
    ParsedCall& call =
        s.calls.emplace_back(ParsedCall{c.at("file"), SpanFromJson(c.at("whole")), {}});
    for (const Json& a : c.at("args")) call.args.push_back(SpanFromJson(a));
  }
  for (const Json& v : j.at("variables")) {
    s.variables.push_back(
        {v.at("file"), SpanFromJson(v.at("whole")), std::nullopt, v.at("name"), v.at("type")});
    if (const Json& init = v.at("init"); !init.is_null())
      s.variables.back().init = SpanFromJson(init);
  }
  for (const Json& l : j.at("loops"))
    s.loops.push_back({l.at("file"), SpanFromJson(l.at("whole"))});
  for (const Json& f : j.at("functions"))
    s.functions.push_back({f.at("file"), SpanFromJson(f.at("body")), f.at("name")});
  return s;
}

}  // namespace akgen::mutate
