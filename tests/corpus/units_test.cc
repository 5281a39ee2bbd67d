// Documentation as text, Markdown and units: both sides of each limit. And the slips that are made
// in a right program.
#include "corpus/teach/units.h"

#include <gtest/gtest.h>

#include "../golden.h"
#include "base/files.h"
#include "base/hash.h"
#include "corpus/compose/composition.h"
#include "corpus/mistakes/wrong_programs.h"

namespace akgen::corpus {
namespace {
class Texts : public ::testing::Test {
 protected:
  Texts() : dir_(std::move(base::TempDir::Create().value())) {}
  TextRead Read(const std::string& bytes) {
    EXPECT_TRUE(base::WriteFileAtomic(dir_.path() / "t", bytes).ok());
    return ReadText(dir_.path() / "t");
  }
  base::TempDir dir_;
};

TEST_F(Texts, WhatIsNoText) {
  EXPECT_EQ(Read("plain \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\n").text,
            "plain \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\n");
  EXPECT_FALSE(Read("plain").repaired);
  EXPECT_EQ(ReadText(dir_.path() / "none").refused, "it cannot be read");
  EXPECT_EQ(Read(std::string("a\0b", 3)).refused, "it is a binary");
  EXPECT_EQ(Read(std::string((4 << 20) + 1, 'a')).refused, "it is too large");
  EXPECT_EQ(Read(std::string(4 << 20, 'a')).refused, "");
  const std::string nineteen(19, 'a'), eighteen(18, 'a');
  EXPECT_EQ(Read(nineteen + "\xFF").refused, "") << "one in twenty";
  EXPECT_EQ(Read(nineteen + "\xFF").text, nineteen + "\xEF\xBF\xBD");
  EXPECT_TRUE(Read(nineteen + "\xFF").repaired);
  EXPECT_EQ(Read(eighteen + "\xFF").refused, "its encoding is broken");
  EXPECT_EQ(Read(eighteen + "\xFF").text, "");
  for (const char* bad :
       {"\x80", "\xC1\x80", "\xC3\x28", "\xE2\x82\x28", "\xF5\x80\x80\x80", "\xF0\x9F\x98"})
    EXPECT_TRUE(Read(std::string(200, 'a') + bad).repaired) << bad;
}

TEST(Markdown, OfHtml) {
  const std::pair<const char*, const char*> rows[] = {
      {"a<h2>b</h2>c", "a\n\n## b\n\nc"},
      {"<h1>x</h1>", "\n\n# x\n\n"},
      {"<H6 class=\"q\">x", "\n\n###### x"},
      {"<h7>x", "x"},
      {"<h0>x", "x"},
      {"<p>a  \n b</p>", "\n\na b\n\n"},
      {"<ul><li>a<li>b</ul>", "\n\n\n- a\n- b\n\n"},
      {"<table><tr><th>a<td>b</tr></table>", "\n\n\n | a | b\n\n\n\n"},
      {"<pre>a  b\n <code>c</code></pre>", "\n\n```\na  b\n c\n```\n\n"},
      {"x <code>c</code>", "x `c`"},
      {"a<br>b", "a\nb"},
      {"a<script>if (a < b) c</script>d", "ad"},
      {"a<STYLE>q</STYLE>d<nav>n</nav>e<head>h</head>f", "adef"},
      {"a<script>never ends", "a"},
      {"a<!-- <p> -->b<!-- open", "ab"},
      {"&lt;&gt;&amp;&quot;&#39;&apos;&nbsp;&eacute;&", "<>&\"'' &eacute;&"},
      {"a & b; c", "a & b; c"},
      {"&toolongname;", "&toolongname;"},
      {"<b>x</b><unknown/>y", "xy"},
      {"a<", "a"},
  };
  for (const auto& [html, markdown] : rows) EXPECT_EQ(MarkdownOfHtml(html), markdown) << html;
}

TEST(Markdown, IsCutAtHeadings) {
  const std::string just(199, 'x'), less(198, 'x');  // with its line break 200 and 199
  auto units = CutMarkdown("# One\n\n" + just + "\n## Two\n" + less + "\n## Three\n\n\n" + just +
                           "\n#not one\n# Four # x\n" + just + "\n");
  ASSERT_EQ(units.size(), 3u);
  EXPECT_EQ(units[0].title, "One");
  EXPECT_EQ(units[0].line, 3);
  EXPECT_EQ(units[0].text, just + "\n");
  EXPECT_EQ(units[1].title, "One / Three");
  EXPECT_EQ(units[1].line, 9);
  EXPECT_EQ(units[1].text, just + "\n#not one\n");
  EXPECT_EQ(units[2].title, "Four # x");
  units = CutMarkdown("```\n# no heading\n" + just + "\n```\n####### seven\n###### six\n" + just);
  ASSERT_EQ(units.size(), 2u);
  EXPECT_NE(units[0].text.find("# no heading"), std::string::npos);
  EXPECT_NE(units[0].text.find("####### seven"), std::string::npos);
  EXPECT_EQ(units[1].title, "six");
}

TEST(Markdown, LongUnitsAreCutBetweenParagraphs) {
  const std::string at(5999, 'x'), beyond(6000, 'x'), tail(300, 'y');
  EXPECT_EQ(CutMarkdown(at + "\n\n" + tail).size(), 1u) << "6000 with its line break";
  EXPECT_EQ(CutMarkdown(beyond + "\n\n" + tail).size(), 2u);
  EXPECT_EQ(CutMarkdown(beyond + "\n" + tail).size(), 1u) << "not within a paragraph";
  EXPECT_EQ(CutMarkdown("```\n" + beyond + "\n\n" + tail + "\n```\n").size(), 1u)
      << "nor in a fence";
}

TEST(Slips, OfPlannedProgramsAreThoseOfTheTable) {
  const auto target = craft::LoadTarget();
  ASSERT_TRUE(target.ok());
  std::string text;
  for (uint64_t i = 0; i < 12; ++i) {
    const auto program = craft::Plan(PlanOf(RandomComposition(1, i)), *target);
    if (!program.ok()) continue;
    for (const Mistake& m : WrongPrograms(*program, *target, 8, i)) {
      text += std::to_string(i) + " " + m.label.klass + " line " + std::to_string(m.label.line) +
              " " + m.verdict + " " + ClassOf(m) + ": " + m.label.what + " | " + m.label.original +
              " | " + m.label.mutated + " | " + m.reason + " " +
              base::Sha256(m.text + DiagnosisOf(m)).substr(0, 12) + "\n";
    }
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "slips.txt", text);
}
}  // namespace
}  // namespace akgen::corpus
