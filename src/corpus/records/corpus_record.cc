#include "corpus/records/corpus_record.h"

#include "base/fields.h"

namespace akgen::corpus {
using base::Json;

namespace {
template <typename T>
std::optional<T> Maybe(const Json& j, const char* key) {
  const auto at = j.find(key);
  return at == j.end() ? std::nullopt : std::optional<T>(at->get<T>());
}

CorpusRecord::Failure FailureFromJson(const Json& r) {
  CorpusRecord::Failure f;
  f.kernel = r.value("kernel", ""), f.failing = r.value("failing", ""),
  f.diagnosis = r.value("diagnosis", "");
  const Json said = r.value("failed_verification", Json::object());
  f.verdict = said.value("verdict", ""), f.reason = said.value("reason", "");
  for (const Json& one : said.value("findings", Json::array()))
    f.findings.push_back({one.value("code", ""), one.value("message", ""),
                          one.contains("place") ? one["place"].value("line", 0) : 0});
  return f;
}
}  // namespace

std::string CorpusRecord::Reasoning(const char* part) const {
  if (!reasoning) return "";
  const auto at = reasoning->find(part);
  return at == reasoning->end() ? "" : at->second;
}

namespace {
struct RecordVersion {
  int schema = 0;
  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Field("schema", m.schema);
  }
};
}  // namespace

bool IsCorpusRecord(const Json& line) {
  return line.is_object() && base::MessageFromJson<RecordVersion>(line).schema == 1;
}

CorpusRecord CorpusRecordFromJson(const Json& r) {
  using Texts = std::map<std::string, std::string>;
  CorpusRecord out;
  out.id = r.value("id", ""), out.kind = r.value("kind", ""), out.name = r.value("name", "");
  out.source = r.value("source", ""), out.split = r.value("split", ""),
  out.family = r.value("family", "");
  out.license = r.value("license", ""), out.task = r.value("task", ""),
  out.reference = r.value("reference", "");
  out.others_kernel = r.value("others_kernel", false);
  if (r.contains("verification")) out.verdict = r["verification"].value("verdict", "");
  out.program = Maybe<std::string>(r, "program"),
  out.operations = Maybe<std::string>(r, "operations");
  out.graph = Maybe<std::string>(r, "graph"), out.klass = Maybe<std::string>(r, "class");
  out.dtype = Maybe<std::string>(r, "dtype"), out.depth = Maybe<int>(r, "depth");
  out.operators = r.value("operators", std::vector<std::string>{});
  out.files = Maybe<Texts>(r, "files"), out.reasoning = Maybe<Texts>(r, "reasoning");
  out.answer = r.value("answer", "");
  if (out.kind == "repair") out.failure = FailureFromJson(r);
  return out;
}

}  // namespace akgen::corpus
