// What clients read besides verdicts: resources, the description of all routes, feedback.
#include "../golden.h"
#include "made_up.h"
#include "serve/adapters.h"

namespace akgen::serve {
namespace {
// What there is to read, each by its kind and first line; and addresses where nothing is.
TEST_F(Handlers, ResourcesOfAgents) {
  std::string text;
  const auto ask = [&](const std::string& method, const Json& params) {
    const std::string said =
        Post("/mcp", {{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}});
    return base::Parse(said.substr(said.rfind("\n{") + 1));
  };
  std::vector<std::string> uris;
  const Json list = ask("resources/list", Json::object());
  for (const Json& r : list["result"]["resources"]) {
    text += r.dump() + "\n";
    uris.push_back(r["uri"]);
  }
  for (const char* uri :
       {"functions/Sqrt", "functions/Nope", "findings/AK1201", "findings/AK9999", "findings/ak1201",
        "findings/AK120", "findings/AK12011", "findings/AK12x1", "examples/none", "examples/",
        "guide/", "guides", "tasks/", "tasks", ""})
    uris.push_back(std::string("akgen://") + uri);
  uris.insert(uris.end(), {"akgen:/guide", "guide", "akgen://" + std::string(192, 'x'),
                           "akgen://" + std::string(193, 'x')});
  for (const std::string& uri : uris) {
    const Json reply = ask("resources/read", {{"uri", uri}});
    text += uri + ": ";
    if (reply.contains("error")) {
      text += reply["error"].dump() + "\n";
      continue;
    }
    const Json& read = reply["result"]["contents"][0];
    const std::string of = read["text"];
    EXPECT_GT(of.size(), 100u) << uri;
    text += read["mimeType"].get<std::string>() + " " + of.substr(0, of.find('\n')) + "\n";
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "handlers_resources.txt", Tidy(text));
}

// The description of all routes: each operation, and what schemas there are.
TEST_F(Handlers, TheDocumentOfAllRoutes) {
  const std::string said = Ask("GET", "/openapi.json", "");
  const Json all = base::Parse(said.substr(said.find("\n{") + 1));
  std::string text;
  for (const auto& [path, methods] : all["paths"].items())
    for (const auto& [method, operation] : methods.items())
      text += method + " " + path + " " + operation.dump() + "\n";
  for (const auto& [name, schema] : all["components"]["schemas"].items()) {
    text += "schema " + name + " " + schema.value("type", "?") + "\n";
    const std::string whole = schema.dump();
    for (size_t at = whole.find("\"$ref\":\""); at != std::string::npos;
         at = whole.find("\"$ref\":\"", at + 1))
      EXPECT_EQ(whole.compare(at + 8, 21, "#/components/schemas/"), 0) << whole.substr(at, 80);
  }
  for (const char* of : {"Submission", "Answer", "Error"})
    text += all["components"]["schemas"][of].dump(1) + "\n";
  text += all["info"].dump() + all["openapi"].dump() + all["components"]["securitySchemes"].dump() +
          "\n";
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "handlers_openapi.txt", text);
}

// What comes back of a name that is not known: its first hundred characters.
TEST_F(Handlers, UnknownNamesAreClipped) {
  for (size_t size : {1, 99, 100, 101, 400}) {
    const std::string name(size, 'z'), clipped = name.substr(0, 100);
    std::vector<std::string> replies = {
        Ask("GET", "/v1/jobs/" + name, ""), Ask("DELETE", "/v1/jobs/" + name, ""),
        Post("/mcp", {{"jsonrpc", "2.0"}, {"id", 1}, {"method", name}})};
    for (const std::string& said : replies) {
      const std::string reply = said.substr(said.find('\n', 1));
      EXPECT_NE(reply.find(clipped), std::string::npos) << reply;
      EXPECT_EQ(reply.find(clipped + "z"), std::string::npos) << reply;
    }
  }
}

Json FindingOf(int n, bool warning) {
  return {{"code", "AK120" + std::to_string(n)},
          {"message", "m" + std::to_string(n)},
          {"check", "racecheck"},
          {"warning", warning},
          {"fix", n % 2 ? "wait" : ""},
          {"place", {{"file", n % 3 ? "k.cpp" : ""}, {"line", n}}}};
}

// Of the first case that has findings, five of them; warnings are none.
TEST(Feedback, IsOfTheFirstCaseWithFindings) {
  Answer a;
  a.ending = Ending::kDone, a.outcome = "finding", a.reason = "because";
  const auto said = [&](const std::vector<std::pair<std::string, std::vector<Json>>>& cases) {
    Json all = Json::array();
    for (const auto& [id, findings] : cases)
      all.push_back(
          {{"id", id}, {"verdict", findings.empty() ? "pass" : "finding"}, {"findings", findings}});
    a.record = {{"verdict", "finding"}, {"task", "T"}, {"sealed", true}, {"cases", all}};
    return FeedbackOf(a);
  };
  const std::string head = "The verdict is finding: because\n";
  EXPECT_EQ(said({{"0", {}}, {"1", {FindingOf(1, false)}}, {"2", {FindingOf(2, false)}}}),
            head + "1 of 3 cases pass\ncase 1: AK1201: m1 at k.cpp:1\n  fix: wait\n");
  EXPECT_EQ(said({{"0", {FindingOf(1, true)}}, {"hidden0", {FindingOf(3, false)}}}),
            head +
                "0 of 1 cases pass\n0 of 1 hidden cases pass\n"
                "case hidden0: AK1203: m3\n  fix: wait\n");
  std::vector<Json> six;
  for (int n = 1; n <= 6; ++n) six.push_back(FindingOf(n, false));
  const std::string five = said({{"0", six}});
  EXPECT_NE(five.find("AK1205"), std::string::npos) << five;
  EXPECT_EQ(five.find("AK1206"), std::string::npos) << five;
}

TEST(Feedback, IsCutAtEightThousandCharacters) {
  Answer a;
  a.ending = Ending::kDone, a.outcome = "finding";
  a.record = {{"verdict", "finding"}, {"sealed", true}, {"cases", Json::array()}};
  const size_t around = FeedbackOf(a).size() + 2;  // with ": "
  for (const size_t size : {7999, 8000, 8001, 20000}) {
    a.reason = std::string(size - around, 'r');
    const std::string said = FeedbackOf(a);
    EXPECT_EQ(said.ends_with("\n(cut)\n"), size > 8000) << size;
    EXPECT_EQ(said.size(), size > 8000 ? 8007 : size);
  }
}
}  // namespace
}  // namespace akgen::serve
