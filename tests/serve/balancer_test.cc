// Servers behind one address: what is read of their names, and where HAProxy's configuration leads.
#include "serve/balancer.h"

#include <gtest/gtest.h>

namespace akgen::serve {
namespace {

TEST(Balancer, ServersHaveNamesAndAddresses) {
  auto servers = ReadBalancedServers({"a1=node7:8000", "10.0.0.2:80", "http://[::1]:8001/"});
  ASSERT_TRUE(servers.ok());
  ASSERT_EQ(servers->size(), 3u);
  EXPECT_EQ((*servers)[0].name, "a1");
  EXPECT_EQ((*servers)[0].address, "node7:8000");
  EXPECT_EQ((*servers)[1].name, "s1");
  EXPECT_EQ((*servers)[2].address, "[::1]:8001");
}

TEST(Balancer, WhatIsNoServerIsRefused) {
  for (const std::string text :
       {"", "node7", ":80", "node7:", "node7:http", "A=node7:80", "a-b=node7:80", "=node7:80",
        "a=node7:80\n  server evil", "a=no de:80", "a=node7:80 check"})
    EXPECT_FALSE(ReadBalancedServers({text}).ok()) << text;
  EXPECT_FALSE(ReadBalancedServers({}).ok());
  EXPECT_FALSE(ReadBalancedServers({"a=x:1", "a=y:1"}).ok());
  EXPECT_FALSE(ReadBalancedServers({"s1=x:1", "y:1"}).ok());
}

TEST(Balancer, AJobLeadsToItsServer) {
  EXPECT_EQ(NamedId("s0", "00ab"), "s0-00ab");
  EXPECT_EQ(NamedId("", "00ab"), "00ab");
  const auto servers = ReadBalancedServers({"s0=x:1", "s1=y:2"});
  ASSERT_TRUE(servers.ok());
  const std::string config = HaproxyConfig(*servers, "127.0.0.1:9000");
  EXPECT_NE(config.find("bind 127.0.0.1:9000\n"), std::string::npos);
  EXPECT_NE(config.find("use_backend of_s1 if { path_beg /v1/jobs/s1- /records/s1- }\n"),
            std::string::npos);
  EXPECT_NE(config.find("backend of_s1\n  server s1 y:2\n"), std::string::npos);
  EXPECT_NE(config.find("server s0 x:1 check\n"), std::string::npos);
}

}  // namespace
}  // namespace akgen::serve
