// Guests that own everything a candidate could own, run by the runner: none passes what it has not earned, none ends
// the process that judges, and each run says the same as the one before.
#include <gtest/gtest.h>

#include <cstring>

#include "base/files.h"
#include "guest/link.h"
#include "runner/runner_client.h"

namespace akgen::runner {
namespace {
using base::Json;

class GuestRunner : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto dir = base::TempDir::Create();
    ASSERT_TRUE(dir.ok());
    temp_ = new base::TempDir(std::move(*dir));
    auto r = Runner::Start();
    ASSERT_TRUE(r.ok()) << r.error().ToString();
    runner_ = new Runner(std::move(*r));
  }
  static void TearDownTestSuite() {
    delete runner_;
    delete temp_;
  }

  static std::string ImageOf(const std::string& program) {
    auto object = base::ReadFile(std::string(GUESTS_DIR) + "/" + program + ".o");
    EXPECT_TRUE(object.ok());
    auto image = guest::Link({object.ok() ? *object : ""});
    EXPECT_TRUE(image.ok());
    const std::string path = (temp_->path() / (program + ".img")).string();
    EXPECT_TRUE(base::WriteFileAtomic(path, image.ok() ? *image : "").ok());
    return path;
  }

  struct Ran {
    Json reply;
    std::vector<float> y;
    std::string status() const { return reply.value("status", ""); }
    bool Found(const std::string& code) const {
      for (const Json& f : reply.value("findings", Json::array()))
        if (f.value("code", "") == code) return true;
      return false;
    }
  };
  // x: 0, 1, 2 …; 256 floats each.
  static Ran Run(const std::string& image, const std::string& entry, uint32_t blocks = 1, uint64_t seed = 0,
                 int wall_ms = 20000, const Json& limits = Json::object()) {
    auto in = base::SharedMemory::Create("in", 1024), out = base::SharedMemory::Create("out", 1024);
    EXPECT_TRUE(in.ok() && out.ok());
    for (int i = 0; i < 256; ++i) {
      const float v = float(i);
      std::memcpy(in->data() + i * 4, &v, 4);
    }
    std::string tiling;
    for (int i = 0; i < 8; ++i)
      for (int shift : {4, 0}) tiling += "0123456789abcdef"[(seed >> (8 * i + shift)) & 15];
    Json request{{"cmd", "run"},
                 {"so", image},
                 {"entry", entry},
                 {"regions",
                  {{{"name", "x"}, {"role", "input"}, {"offset", 0}, {"bytes", 1024}},
                   {{"name", "y"}, {"role", "output"}, {"offset", 0}, {"bytes", 1024}}}},
                 {"args", {0, 1, "workspace", "tiling"}},
                 {"workspace_bytes", 4096},
                 {"tiling_hex", tiling},
                 {"blocks", blocks},
                 {"limits", {{"wall_ms", wall_ms}}}};
    request["limits"].update(limits);
    auto reply = runner_->Call(request, {in->fd(), out->fd()}, wall_ms + 20000);
    Ran ran;
    EXPECT_TRUE(reply.ok()) << entry << ": " << (reply.ok() ? "" : reply.error().ToString());
    if (reply.ok()) ran.reply = *reply;
    ran.y.resize(256);
    std::memcpy(ran.y.data(), out->data(), 1024);
    return ran;
  }
  // Without what may differ between two runs.
  static std::string Comparable(Json reply) {
    for (const char* key : {"run_us", "run_cpu_us", "process", "console"}) reply.erase(key);
    return reply.dump();
  }
  static base::TempDir* temp_;
  static Runner* runner_;
};
base::TempDir* GuestRunner::temp_ = nullptr;
Runner* GuestRunner::runner_ = nullptr;

TEST_F(GuestRunner, AnHonestGuestPasses) {
  const std::string image = ImageOf("forgers");
  Ran r = Run(image, "honest");
  EXPECT_EQ(r.status(), "ok") << r.reply.dump();
  EXPECT_EQ(r.reply["findings"], Json::array()) << r.reply.dump();
  for (int i = 0; i < 256; ++i) ASSERT_EQ(r.y[size_t(i)], float(i + 1));
  EXPECT_GT(r.reply.value("instructions", 0), 50);
}

TEST_F(GuestRunner, ForgersAreSeen) {
  const std::string image = ImageOf("forgers");
  for (const char* entry : {"racy", "prints_a_verdict"}) {
    Ran r = Run(image, entry);
    EXPECT_TRUE(r.Found("AK1201")) << r.reply.dump();
  }
  EXPECT_EQ(Run(image, "writes_its_input").status(), "stopped");
  EXPECT_TRUE(Run(image, "writes_its_input").Found("AK1006"));
  EXPECT_EQ(Run(image, "writes_the_tiling").status(), "stopped");
  EXPECT_NE(Run(image, "reads_beyond").status(), "ok");
  EXPECT_TRUE(Run(image, "reads_uninitialised").Found("AK1101"));
  EXPECT_GT(Run(image, "remembers").reply.value("state_changed", 0), 0);
  Ran other = Run(image, "shares_nothing", 2);
  EXPECT_EQ(other.status(), "ok") << other.reply.dump();
  EXPECT_EQ(Run(image, "other_function").status(), "crash");
}

// What the scalar unit reads and writes by itself is known to the chip as if the kernel had announced it.
TEST_F(GuestRunner, EveryScalarAccessIsTheChipsToSee) {
  const std::string image = ImageOf("forgers");
  Ran r = Run(image, "by_scalar");
  EXPECT_EQ(r.status(), "ok") << r.reply.dump();
  for (int i = 0; i < 256; ++i) ASSERT_EQ(r.y[size_t(i)], float(i + 1));
  EXPECT_FALSE(r.Found("AK1102"));  // every byte of y is known to be written
  EXPECT_FALSE(Run(image, "announces_less").Found("AK1102"));
}

TEST_F(GuestRunner, LoopsEndByTheirInstructions) {
  const std::string image = ImageOf("forgers");
  for (const char* entry : {"spins", "spins_in_calls"}) {
    Ran r = Run(image, entry, 1, 0, 100);
    EXPECT_EQ(r.status(), "timeout") << r.reply.dump();
  }
}

// Nothing but the chip's own code runs in its process, so when that dies the guest has not made it.
TEST_F(GuestRunner, AnEndOfTheChipsOwnProcessIsNotTheGuests) {
  const std::string image = ImageOf("forgers");
  Ran r = Run(image, "honest", 1, 0, 20000, {{"memory", 1 << 20}});
  EXPECT_EQ(r.status(), "error") << r.reply.dump();
  EXPECT_NE(r.reply.value("detail", "").find("the process that holds the chip has died"), std::string::npos)
      << r.reply.dump();
}

TEST_F(GuestRunner, AnythingAtAllEndsInAnAnswer) {
  const std::string image = ImageOf("hostile_calls");
  int stopped = 0;
  for (const char* entry : {"anything", "vectors", "copies", "queues", "registers"})
    for (uint64_t seed = 1; seed <= AKGEN_HOSTILE_SEEDS; ++seed) {
      Ran r = Run(image, entry, seed % 3 == 0 ? 2 : 1, seed, 1000);
      // It may be stopped for what it does, but never by a fault of this side.
      const std::string status = r.status();
      EXPECT_TRUE(status == "ok" || status == "stopped" || status == "crash" || status == "deadlock" ||
                  status == "timeout" || status == "unsupported")
          << entry << " " << seed << ": " << r.reply.dump().substr(0, 600);
      // An end that nobody explained: the process that judges has died.
      EXPECT_FALSE(status == "crash" && !r.reply.contains("findings"))
          << entry << " " << seed << ": " << r.reply.dump();
      stopped += status != "ok";
      if (seed % 10 == 0 && status != "timeout")
        EXPECT_EQ(Comparable(r.reply), Comparable(Run(image, entry, seed % 3 == 0 ? 2 : 1, seed, 1000).reply));
    }
  EXPECT_GT(stopped, 0);
}

}  // namespace
}  // namespace akgen::runner
