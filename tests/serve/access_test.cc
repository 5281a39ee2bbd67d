#include "serve/access.h"

#include <gtest/gtest.h>

namespace akgen::serve {
namespace {
const AccessRules kRules{{{"trainer", "0123456789abcdef"}, {"agent", "fedcba9876543210"}},
                         {"localhost"}};

Request From(const std::map<std::string, std::string>& headers) {
  Request r;
  r.method = "POST", r.path = "/v1/judge", r.headers = headers;
  return r;
}

TEST(Access, TheRightTokenNamesItsOwner) {
  Request r = From({{"host", "localhost:8000"},
                    {"authorization", "Bearer fedcba9876543210"},
                    {"x-client-id", "run 7"}});
  ASSERT_FALSE(CheckAccess(kRules, "127.0.0.1", r));
  EXPECT_EQ(r.caller.principal, "agent");
  EXPECT_EQ(r.caller.name, "run 7");
}

TEST(Access, WrongTokensAreRefused) {
  for (const char* header :
       {"", "Bearer ", "Bearer 0123456789abcdeF", "Bearer 0123456789abcde",
        "Bearer 0123456789abcdef0", "Basic 0123456789abcdef", "0123456789abcdef"}) {
    Request r = From({{"host", "localhost"}, {"authorization", header}});
    const auto refused = CheckAccess(kRules, "127.0.0.1", r);
    ASSERT_TRUE(refused) << header;
    EXPECT_EQ(refused->status, 401);
    EXPECT_NE(refused->body.find("AK0908"), std::string::npos);
  }
  Request health = From({});
  health.path = "/healthz";
  EXPECT_FALSE(CheckAccess(kRules, "127.0.0.1", health));
}

TEST(Access, PagesOfElsewhereAndOtherHostsAreRefused) {
  const AccessRules open{{}, {"localhost", "[::1]"}};
  auto status = [&](const std::map<std::string, std::string>& headers) {
    Request r = From(headers);
    const auto refused = CheckAccess(open, "::1", r);
    return refused ? refused->status : 200;
  };
  EXPECT_EQ(status({{"host", "localhost:80"}}), 200);
  EXPECT_EQ(status({{"host", "[::1]:80"}}), 200);
  EXPECT_EQ(status({{"host", "evil.example"}}), 421);
  EXPECT_EQ(status({{"host", "localhost:80"}, {"origin", "http://localhost:80"}}), 200);
  EXPECT_EQ(status({{"host", "localhost:80"}, {"origin", "http://evil.example"}}), 403);
  EXPECT_EQ(status({{"host", "localhost:80"}, {"origin", "null"}}), 403);
}

TEST(Access, FilesOfTokens) {
  const auto tokens =
      ReadTokens("# of the cluster\n\ntrainer 0123456789abcdef\nfedcba9876543210\n", "t");
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ(tokens->at("trainer"), "0123456789abcdef");
  EXPECT_EQ(tokens->at("default"), "fedcba9876543210");
  for (const char* text : {"", "# none\n", "a short\n", "a 0123456789abcdef\na 0123456789abcdef\n"})
    EXPECT_FALSE(ReadTokens(text, "t").ok()) << text;
}

TEST(Access, Targets) {
  std::string path;
  std::map<std::string, std::string> query;
  ASSERT_TRUE(ParseTarget("/a%20b/c?x=1&y=%2F+z&flag", path, query));
  EXPECT_EQ(path, "/a b/c");
  EXPECT_EQ(query, (std::map<std::string, std::string>{{"x", "1"}, {"y", "/ z"}, {"flag", ""}}));
  for (const char* bad : {"", "a", "/%", "/%1", "/%zz", "/%00", "http://x/"})
    EXPECT_FALSE(ParseTarget(bad, path, query)) << bad;
}
}  // namespace
}  // namespace akgen::serve
