#include "lm/sample/grammar.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "base/files.h"
#include "lm/sample/token_mask.h"

namespace akgen::lm {
namespace {

// yes: the whole text is one of the grammar; begin: it can become one; no.
std::string Fit(const std::string& grammar, const std::string& text) {
  auto g = Grammar::Parse(grammar, "g");
  if (!g.ok()) return g.error().code + " " + g.error().message + " at " + g.error().where;
  int state = (*g)->Next((*g)->start(), text);
  return state == Grammar::kDead ? "no" : (*g)->Accepts(state) ? "yes" : "begin";
}

TEST(LmGrammar, TextsAndNotTexts) {
  struct Case {
    const char *grammar, *text, *fit;
  } cases[] = {
      {"root ::= \"ab\" | \"ac\"", "ac", "yes"},
      {"root ::= \"ab\" | \"ac\"", "a", "begin"},
      {"root ::= \"ab\" | \"ac\"", "ad", "no"},
      {"root ::= [a-c]+ \"!\"?", "abc", "yes"},
      {"root ::= [a-c]+ \"!\"?", "abc!", "yes"},
      {"root ::= [a-c]+ \"!\"?", "", "begin"},
      {"root ::= [^\\n]* \"\\n\"", "g\xC3\xBC\n", "yes"},
      {"root ::= [^\\n]* \"\\n\"", "\xFF", "no"},
      {"root ::= [\xC3\xA4-\xC3\xBC]", "\xC3\xB6", "yes"},
      {"root ::= [\xC3\xA4-\xC3\xBC]", "\xC3\xBD", "no"},
      {"root ::= .", "\xF0\x9F\x99\x82", "yes"},
      {"root ::= .", "\xED\xA0\x80", "no"},  // a surrogate
      {"root ::= \"x\"{2,3}", "xx", "yes"},
      {"root ::= \"x\"{2,3}", "xxxx", "no"},
      {"root ::= \"x\"{2}", "xx", "yes"},
      {"root ::= \"x\"{1,}", "xxxxx", "yes"},
      {"root ::= e\ne ::= \"(\" e \")\" | \"x\"", "((x))", "yes"},
      {"root ::= e\ne ::= \"(\" e \")\" | \"x\"", "((x)", "begin"},
      {"root ::= e\ne ::= \"(\" e \")\" | \"x\"", "((x)))", "no"},
      {"root ::= (\"a\"? \"b\"?)* \"c\"", "abbac", "yes"},  // a repetition of what may be empty
      {"# note\nroot ::= a | # one\n  b\na ::= \"1\"\n\nb ::= \"2\"", "2", "yes"},
      {"root ::= \"\\x41\\u00e4\\\"\"", "A\xC3\xA4\"", "yes"},
  };
  for (const Case& c : cases)
    EXPECT_EQ(Fit(c.grammar, c.text), c.fit) << c.grammar << " on " << c.text;
}

TEST(LmGrammar, MalformedOnesAreNamed) {
  struct Case {
    const char *grammar, *reason;
  } cases[] = {{"root ::= \"a", "not closed"},
               {"root ::= [a", "not closed"},
               {"root ::= b", "not defined"},
               {"a ::= \"x\"", "no rule `root`"},
               {"root ::= root \"x\" | \"y\"", "left recursive"},
               {"root ::= a? root \"x\"\na ::= \"y\"", "left recursive"},
               {"root ::= (\"a\"", "`)`"},
               {"root = \"a\"", "`::=`"},
               {"root ::= \"\\q\"", "unknown escape"},
               {"root ::= [z-a]", "backwards"},
               {"root ::= \"a\"{3,2}", "repetitions"},
               {"root ::= \"a\"\nroot ::= \"b\"", "twice"},
               {"root ::= \"a\"\nb :: = \"c\"", "not expected"}};
  for (const Case& c : cases) {
    std::string fit = Fit(c.grammar, "");
    EXPECT_EQ(fit.substr(0, 6), "AK1931") << c.grammar << ": " << fit;
    EXPECT_NE(fit.find(c.reason), std::string::npos) << c.grammar << ": " << fit;
  }
  EXPECT_NE(Fit("root ::= \"a\"\n  \"", "").find("g:2:"), std::string::npos);
}

// Where the reader stops, to the letter. 200 groups and 1000 repetitions are the most.
TEST(LmGrammar, ErrorsSayWhereAndWhat) {
  const auto nested = [](int groups) {
    return "root ::= " + std::string(size_t(groups), '(') + "\"a\"" +
           std::string(size_t(groups), ')');
  };
  const std::pair<std::string, const char*> cases[] = {
      {"", "there is no rule `root` at g:1:1"},
      {"# note", "there is no rule `root` at g:1:7"},
      {"\n\n  ::= \"a\"", "a rule's name is expected at g:3:3"},
      {"root :: = \"a\"", "`::=` is expected at g:1:6"},
      {"root ::= \"a", "the text is not closed at g:1:12"},
      {"root ::= \"a\n\"", "the text is not closed at g:1:12"},
      {"root ::= \"a\\", "the text is not closed at g:1:13"},
      {"root ::= [a", "the class is not closed at g:1:12"},
      {"root ::= [a\n]", "the class is not closed at g:1:12"},
      {"root ::= [a-", "the class is not closed at g:1:13"},
      {"root ::= [^", "the class is not closed at g:1:12"},
      {"root ::= []", "the class is empty at g:1:12"},
      {"root ::= [b-a]", "the range runs backwards at g:1:14"},
      {"root ::= \"\\q\"", "unknown escape \\q at g:1:12"},
      {"root ::= \"\\x4\"", "hexadecimal digits are expected at g:1:14"},
      {"root ::= \"\\x4", "hexadecimal digits are expected at g:1:14"},
      {"root ::= \"\\u12g4\"", "hexadecimal digits are expected at g:1:15"},
      {"root ::= \"\\U00110000\"", "there is no such character at g:1:21"},
      {"root ::= \"\xFF\"", "the grammar is not UTF-8 at g:1:11"},
      {"root ::= (\"a\"", "`)` is expected at g:1:14"},
      {"root ::= (\"a\" ]", "`]` is not expected here at g:1:15"},
      {"root ::= \"a\" )", "`)` is not expected here at g:1:14"},
      {"root ::= * \"a\"", "`*` is not expected here at g:1:10"},
      {"root ::= \"a\"{", "a number is expected at g:1:14"},
      {"root ::= \"a\"{,2}", "a number is expected at g:1:14"},
      {"root ::= \"a\"{2", "`}` is expected at g:1:15"},
      {"root ::= \"a\"{2;}", "`}` is expected at g:1:15"},
      {"root ::= \"a\"{2,1}", "such a number of repetitions is not possible at g:1:18"},
      {"root ::= \"a\"{1001}", "such a number of repetitions is not possible at g:1:19"},
      {"root ::= \"a\"{0,1001}", "such a number of repetitions is not possible at g:1:21"},
      {"root ::= \"a\"{1001,}", "such a number of repetitions is not possible at g:1:20"},
      {"root ::= \"a\"\nb ::= c", "rule `c` is used and not defined at g:2:8"},
      {"root ::= \"a\"\nroot ::= \"b\"", "rule `root` is there twice at g:2:9"},
      {"root ::= a \"x\"\na ::= \"y\"? a \"z\"",
       "rule `a` is left recursive: it can begin with itself at g"},
      {"root ::= (\"y\"? root)? \"z\"",
       "rule `root` is left recursive: it can begin with itself at g"},
      {"root ::= root", "no text has this grammar at g"},
      {nested(201), "groups are nested too deep at g:1:211"},
  };
  for (const auto& [grammar, says] : cases)
    EXPECT_EQ(Fit(grammar, ""), std::string("AK1931 ") + says) << grammar;
  for (const std::string& grammar : {nested(200), std::string("root ::= (\"a\") (\"b\"){0,1000}"),
                                     std::string("root ::= \"\"\r\n\t| \"a\" # the end"),
                                     std::string("root ::= \"\\U0010ffff\"?")})
    EXPECT_TRUE(Fit(grammar, "a") == "yes" || Fit(grammar, "a") == "no") << Fit(grammar, "a");
  EXPECT_EQ(Fit("root ::= \"a\"{1000}", std::string(1000, 'a')), "yes");
  EXPECT_EQ(Fit("root ::= \"a\"{999}", std::string(1000, 'a')), "no");
}

// Every text of up to seven letters, against the same language as a regular expression.
TEST(LmGrammar, AgreesWithRegularExpressions) {
  const std::pair<const char*, const char*> pairs[] = {
      {"root ::= \"a\"* \"b\"+ \"c\"?", "a*b+c?"},
      {"root ::= \"ab\"{2} | \"c\"{1,3}", "(ab){2}|c{1,3}"},
      {"root ::= \"a\"{0,2} [bc]{1,}", "a{0,2}[bc]{1,}"},
      {"root ::= \"a\"{0} \"b\"", "b"},
      {"root ::= (\"a\" | \"b\" \"c\")* ", "(a|bc)*"},
      {"root ::= (\"a\" | \n\n \"b\")+\n \"c\"", "(a|b)+c"},
      {"root ::= x y\n\n\n# two\nx ::= \"a\"?\ny::=x x|\"b\"", "a?(a?a?|b)"},
      {"root ::= [^a]* \"a\"", "[^a]*a"},
      {"root ::= [a-b] [^b-c] .?", "[ab][^bc].?"},
      {"root ::= [a\\-c]+ | [b-]", "[ac]+|b"},
      {"root ::= (\"a\"? | \"b\"?)* \"c\"", "[ab]*c"},
      {"root ::= ((\"a\"+ \"b\")? \"c\"){2}", "((a+b)?c){2}"},
      {"root ::= \"a\" root \"\" | \"b\"", "a*b"},
      {"root ::= | \"a\" |\n  \"bb\"", "(a|bb)?"},
      {"root ::= \"\\x61\\u0062\" \"\\U00000063\"*", "abc*"},
  };
  std::vector<std::string> texts = {""};
  for (size_t i = 0; texts[i].size() < 7; ++i)
    for (char c : {'a', 'b', 'c'}) texts.push_back(texts[i] + c);
  for (const auto& [grammar, expression] : pairs) {
    const std::regex whole(expression);
    std::set<std::string> begins;
    for (const std::string& text : texts)
      if (std::regex_match(text, whole))
        for (size_t n = 0; n <= text.size(); ++n) begins.insert(text.substr(0, n));
    for (const std::string& text : texts) {
      const std::string fit = Fit(grammar, text);
      EXPECT_EQ(fit == "yes", std::regex_match(text, whole)) << grammar << " on " << text;
      if (text.size() <= 3)  // all that is lacking then is among the texts
        EXPECT_EQ(fit != "no", begins.count(text) > 0) << grammar << " on " << text;
    }
  }
}

TEST(LmGrammar, TheKernelLanguage) {
  auto text = base::ReadFile(base::HomeDir() / "docs/craft/grammar.gbnf");
  ASSERT_TRUE(text.ok());
  const std::string program =
      "@kernel\ndef add_kernel(x: gm[n], y: gm[n], n, tile):\n    x_ub = ub(tile, dtype=f32)\n    "
      "for i in tiles(0, n, "
      "tile):\n        with copyin:\n"
      "            load(x_ub, x[i : i + tile])\n\n\n@host\ndef add(x):\n    y = empty(x.shape, "
      "x.dtype)\n    "
      "add_kernel[8](x, y, x.shape[0], 64)\n    return y\n";
  EXPECT_EQ(Fit(*text, program), "yes");
  EXPECT_EQ(Fit(*text, "@kernel\ndef add(x):\n  y"), "no");
  std::string deep = "@kernel\ndef k(x, n):\n", indent = "    ";
  for (int level = 0; level < 5; ++level, indent += "    ")
    deep += indent + (level < 4 ? "for i in range(0, n):\n" : "with compute:\n");
  EXPECT_EQ(Fit(*text, deep + indent + "b[:] = 0.0\n\n\n@host\ndef op(x):\n    k[1](x, 2)\n"),
            "yes");
}

// A machine that has forgotten what it met says the same again, and holds little.
TEST(LmTokenMask, ForgetsBetweenTexts) {
  auto tokenizer = Tokenizer::Load(std::filesystem::path(AKGEN_LM_DATA) / "bpe_tiny.json");
  ASSERT_TRUE(tokenizer.ok());
  auto grammar =
      Grammar::Parse("root ::= term (\"+\" term)*\nterm ::= [a-z]+ | \"(\" root \")\"", "test");
  ASSERT_TRUE(grammar.ok()) << grammar.error().ToString();
  TokenMask mask(*tokenizer, *grammar);
  auto walk = [&] {
    std::vector<std::vector<int>> out;
    int state = mask.start();
    for (int depth = 0; depth < 40; ++depth) {
      out.push_back(mask.Allowed(state));
      int open = -1;
      for (int id : out.back())
        if (tokenizer->Bytes(id) == "(") open = id;
      if (open < 0) ADD_FAILURE() << depth;
      state = mask.Advance(state, open);
    }
    return out;
  };
  const size_t fresh = (*grammar)->places();
  auto first = walk();
  const size_t grown = (*grammar)->places();
  EXPECT_GT(grown, fresh + 40);
  mask.Begin(grown);
  EXPECT_EQ((*grammar)->places(), grown);
  mask.Begin(grown - 1);
  EXPECT_EQ((*grammar)->places(), fresh);
  EXPECT_EQ(walk(), first);
  EXPECT_EQ((*grammar)->places(), grown);
}

TEST(LmTokenMask, AgreesWithTryingEveryToken) {
  auto t = Tokenizer::Load(std::filesystem::path(AKGEN_LM_DATA) / "bpe_tiny.json");
  ASSERT_TRUE(t.ok());
  auto g = Grammar::Parse("root ::= (word \" \"?)* [0-9]+ \"\\n\"\nword ::= [a-z] [a-z_]*", "g");
  ASSERT_TRUE(g.ok()) << g.error().ToString();
  TokenMask mask(*t, *g);
  int state = mask.start();
  for (int step = 0; step < 4; ++step) {
    std::vector<int> expected;
    for (int id = 0; id < t->size(); ++id)
      if (!t->IsAdded(id) && (*g)->Next(state, t->Bytes(id)) != Grammar::kDead)
        expected.push_back(id);
    ASSERT_GT(expected.size(), 5u);
    EXPECT_EQ(mask.Allowed(state), expected);
    state = mask.Advance(state, expected[expected.size() / 2]);
    ASSERT_GE(state, 0);
  }
}

}  // namespace
}  // namespace akgen::lm
