// Parts of pages: what is shown where it is there, and escaped.
#include "serve/page_parts.h"

#include <gtest/gtest.h>

namespace akgen::serve {
namespace {
TEST(PageParts, FindingsWithWhatTheyHave) {
  record::MergedFinding merged;
  record::Finding& f = merged.finding;
  f.code = "AK1", f.message = "a<b";
  EXPECT_EQ(FindingCard(merged),
            "<div class=\"finding-card\"><p><strong>AK1</strong> a&lt;b</p></div>\n");
  f.warning = true, f.fix = "wait", f.place.line = 3, f.place.pipe = "PIPE_V", f.place.block = 0;
  EXPECT_EQ(FindingCard(merged),
            "<div class=\"finding-card warning\"><p><strong>AK1</strong> a&lt;b</p><p>Fix: "
            "wait</p></div>\n")
      << "a place without a file is none";
  const std::pair<int, const char*> blocks[] = {{-1, ""}, {0, " block 0"}, {3, " block 3"}};
  for (const auto& [block, text] : blocks) {
    f.place.file = "k.cpp", f.place.block = block;
    EXPECT_NE(FindingCard(merged).find("<p class=\"where\">at k.cpp:3 [PIPE_V]" +
                                       std::string(text) + "</p><p>Fix"),
              std::string::npos)
        << block;
  }
  f.other = f.place, f.other->pipe = "", f.edits = {{"k.cpp", 4, 1, 4, 1, "x<y;"}},
  merged.cases = {"0", "7"};
  f.fix = "", f.warning = false;
  EXPECT_EQ(FindingCard(merged),
            "<div class=\"finding-card\"><p><strong>AK1</strong> a&lt;b</p><p class=\"where\">at "
            "k.cpp:3 [PIPE_V] block 3</p><p class=\"where\">other side k.cpp:3</p><p "
            "class=\"where\">edit k.cpp:4: <code>x&lt;y;</code></p><p class=\"sub\">cases 0, "
            "7</p></div>\n");
}

TEST(PageParts, SourcesWithTheirLines) {
  Candidate candidate;
  Shown shown;
  EXPECT_EQ(SourceView(candidate, shown), "");
  candidate.text = "a\n<\n";
  EXPECT_EQ(
      SourceView(candidate, shown),
      "<details open><summary>answer</summary>\n<pre tabindex=\"0\"><span "
      "class=\"l\"><i>1</i>a</span><span class=\"l\"><i>2</i>&lt;</span></pre>\n</details>\n");
  candidate.files = {{"b.cpp", "1\n2\n3"}, {"a.h", ""}};
  const std::string closed = SourceView(candidate, shown);
  EXPECT_EQ(closed.find("open"), std::string::npos);
  EXPECT_EQ(closed.find("answer"), std::string::npos) << "files come in place of the text";
  record::MergedFinding merged;
  merged.finding.place.file = "b.cpp", merged.finding.place.line = 1;
  merged.finding.other = merged.finding.place, merged.finding.other->line = 3;
  shown.findings = {merged};
  EXPECT_NE(SourceView(candidate, shown)
                .find("<details open><summary>b.cpp</summary>\n<pre tabindex=\"0\"><span class=\"l "
                      "hit\"><i>1</i>1</span><span class=\"l\"><i>2</i>2</span><span class=\"l "
                      "hit\"><i>3</i>3</span>"),
            std::string::npos);
  shown.findings.clear(), shown.diagnostics = {{"error", "b.cpp", 2, 1, "m", {}}};
  EXPECT_NE(SourceView(candidate, shown).find("<span class=\"l hit\"><i>2</i>"), std::string::npos);
  candidate.files = {{"long", std::string(256u << 10, 'x')}};
  EXPECT_EQ(SourceView(candidate, shown).find("The rest"), std::string::npos);
  candidate.files["long"] += "Z";
  const std::string cut = SourceView(candidate, shown);
  EXPECT_NE(cut.find("The rest is not shown."), std::string::npos);
  EXPECT_EQ(cut.find('Z'), std::string::npos);
}

TEST(PageParts, RowsAndBadges) {
  EXPECT_EQ(FactRow("a<", "b<"), "<dt>a&lt;</dt><dd>b&lt;</dd>\n");
  EXPECT_EQ(FactRow("a", ""), "");
  Answer a;
  a.ending = Ending::kExpired, a.outcome = "pass";
  EXPECT_EQ(VerdictBadge(a), "<span class=\"v expired\">expired</span>");
  a.ending = Ending::kDone;
  EXPECT_EQ(VerdictBadge(a), "<span class=\"v pass\">pass</span>");
  EXPECT_NE(PageOf("t", "b", true).nav.find("/judge"), std::string::npos);
  EXPECT_EQ(PageOf("t", "b", false).nav.find("/judge"), std::string::npos);
}
}  // namespace
}  // namespace akgen::serve
