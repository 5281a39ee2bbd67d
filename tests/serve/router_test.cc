#include "serve/router.h"

#include <gtest/gtest.h>

namespace akgen::serve {
namespace {
Response Ask(const Router& router, const std::string& method, const std::string& path) {
  Request request;
  request.method = method, request.path = path;
  Response got;
  got.status = 0;
  router.Handle(std::move(request), [&](Response r) { got = std::move(r); });
  return got;
}

Router WithRoutes() {
  Router router;
  auto says = [](std::string text) {
    return [text](const Request& r) {
      Response out;
      out.body = text;
      for (const auto& [name, value] : r.params) out.body += " " + name + "=" + value;
      return out;
    };
  };
  router.OnPlain("GET", "/v1/jobs/{id}", says("job"));
  router.OnPlain("DELETE", "/v1/jobs/{id}", says("gone"));
  router.OnPlain("GET", "/v1/jobs/all", says("all"));
  router.OnPlain("GET", "/throws",
                 [](const Request&) -> Response { throw std::runtime_error("on purpose"); });
  return router;
}

TEST(Router, RoutesByMethodAndPath) {
  const Router router = WithRoutes();
  EXPECT_EQ(Ask(router, "GET", "/v1/jobs/7").body, "job id=7");
  EXPECT_EQ(Ask(router, "HEAD", "/v1/jobs/7").body, "job id=7");
  EXPECT_EQ(Ask(router, "DELETE", "/v1/jobs/7").body, "gone id=7");
  EXPECT_EQ(Ask(router, "GET", "/v1/jobs/all").body, "all");
  EXPECT_EQ(router.RouteOf("GET", "/v1/jobs/7"), "/v1/jobs/{id}");
  EXPECT_EQ(router.RouteOf("GET", "/made/up"), "none");
}

TEST(Router, NothingThereIsTold) {
  const Router router = WithRoutes();
  for (const char* path :
       {"/", "", "/v1/jobs", "/v1/jobs/", "/v1/jobs/7/", "/v1/jobs/7/8", "//v1/jobs/7"}) {
    const Response r = Ask(router, "GET", path);
    EXPECT_EQ(r.status, 404) << path;
    EXPECT_NE(r.body.find("AK0901"), std::string::npos);
  }
  const Response r = Ask(router, "PUT", "/v1/jobs/7");
  EXPECT_EQ(r.status, 405);
  EXPECT_EQ(r.headers,
            (std::vector<std::pair<std::string, std::string>>{{"Allow", "GET, DELETE"}}));
}

TEST(Router, AHandlerThatThrowsIsAnswered) {
  const Response r = Ask(WithRoutes(), "GET", "/throws");
  EXPECT_EQ(r.status, 500);
  EXPECT_NE(r.body.find("AK0904"), std::string::npos);
}

TEST(Presence, LeavingIsToldOnce) {
  Presence p;
  int told = 0;
  p.OnGone([&] { ++told; });
  p.Leave();
  p.Leave();
  EXPECT_EQ(told, 1);
  p.OnGone([&] { ++told; });
  EXPECT_EQ(told, 2);  // it has left already
  Presence answered;
  answered.OnGone([&] { ++told; });
  answered.Forget();
  answered.Leave();
  EXPECT_EQ(told, 2);
}
}  // namespace
}  // namespace akgen::serve
