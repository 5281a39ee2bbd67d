#include "lm/sample/grammar.h"

#include <gtest/gtest.h>

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
