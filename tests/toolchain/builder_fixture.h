// A builder with a cache of its own, for the tests of a suite.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "../fresh_cache.h"
#include "base/files.h"
#include "toolchain/builder.h"

namespace akgen::toolchain {
constexpr int kArch = 2201;

class BuilderTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { StartBuilder(base::UseFreshCache); }
  // The same for a suite that looks at the precompiled headers themselves.
  static void StartWithoutHeaders() {
    StartBuilder([](const std::filesystem::path& dir) { ::setenv("AKGEN_CACHE", dir.c_str(), 1); });
  }
  static void StartBuilder(const std::function<void(const std::filesystem::path&)>& use_cache) {
    auto dir = base::TempDir::Create();
    ASSERT_TRUE(dir.ok());
    cache_ = new base::TempDir(std::move(*dir));
    use_cache(cache_->path());
    auto b = Builder::Start();
    ASSERT_TRUE(b.ok()) << b.error().ToString();
    builder_ = new Builder(std::move(*b));
  }
  static void TearDownTestSuite() {
    delete builder_;
    std::error_code ec;
    // The builder leaves its cache and nothing else.
    for (std::filesystem::directory_iterator it(cache_->path() / "tmp", ec), end; !ec && it != end;
         it.increment(ec))
      ADD_FAILURE() << "left behind: " << it->path();
    delete cache_;
  }

  BuildReply Build(BuildRequest r) {
    auto reply = builder_->Build(r);
    EXPECT_TRUE(reply.ok()) << reply.error().ToString();
    return reply.ok() ? std::move(*reply) : BuildReply{};
  }
  BuildReply BuildText(const std::string& text, const std::string& kind = "kernel",
                       int wall_ms = 60000) {
    BuildRequest r;
    r.device.arch = kArch;
    r.kind = kind;
    r.sources = {{"/project/op_kernel/k.cpp", text}};
    r.project_dir = "/project";
    r.wall_ms = wall_ms;
    return Build(r);
  }
  static inline Builder* builder_ = nullptr;
  static inline base::TempDir* cache_ = nullptr;
};

}  // namespace akgen::toolchain
