// Guests that own everything a candidate could own, run by the runner: none passes what it has not
// earned, none ends the process that judges, and each run says the same as the one before.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "guest_runner.h"

namespace akgen::runner {
namespace {
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

// What the scalar unit reads and writes by itself is known to the chip as if the kernel had
// announced it.
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

// Of the processes of this machine, those that some process of `parents` has started.
std::set<pid_t> ChildrenOf(const std::set<pid_t>& parents) {
  std::set<pid_t> children;
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ec)) {
    std::ifstream stat(entry.path() / "stat");
    pid_t pid = 0, parent = 0;
    std::string name, state;
    if (stat >> pid >> name >> state >> parent && parents.count(parent)) children.insert(pid);
  }
  return children;
}

// Nothing but the chip's own code runs in its process, so when that dies the guest has not made it.
TEST_F(GuestRunner, AnEndOfTheChipsOwnProcessIsNotTheGuests) {
  const std::string image = ImageOf("forgers");
  std::atomic<bool> over = false;
  std::thread killer([&] {
    while (!over) {
      for (pid_t chip : ChildrenOf(ChildrenOf({::getpid()}))) ::kill(chip, SIGSEGV);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  const Ran r = Run(image, "spins");
  over = true;
  killer.join();
  EXPECT_EQ(r.status(), "error") << r.reply.dump();
  EXPECT_NE(r.reply.value("detail", "").find("the process that holds the chip has died"),
            std::string::npos)
      << r.reply.dump();
}

class HostileGuest : public GuestRunner {
 protected:
  static constexpr const char* kEntries[] = {
      "anything", "vectors",           "copies",        "queues",      "registers", "blocks",
      "cubes",    "anything_of_cubes", "jobs_of_cubes", "large_copies"};
  // Draws of each entry, and processor milliseconds of a run: AKGEN_HOSTILE="SEEDS MS" has other
  // ones.
  uint64_t seeds = 24;
  int wall_ms = 200;

  void SetUp() override {
    if (const char* other = std::getenv("AKGEN_HOSTILE"))
      std::istringstream(other) >> seeds >> wall_ms;
  }
  // What almost only ends by its limits needs few draws.
  uint64_t SeedsOf(const std::string& entry) const {
    return entry == "large_copies" ? seeds / 8 : seeds;
  }
};

TEST_F(HostileGuest, AnythingAtAllEndsInAnAnswer) {
  const std::string vector = ImageOf("hostile_calls"), both = ImageOf("hostile_calls", true);
  int stopped = 0, runs = 0;
  for (const std::string entry : kEntries)
    for (uint64_t seed = 1; seed <= SeedsOf(entry); ++seed) {
      const std::string& image = entry.ends_with("cubes") ? both : vector;
      const How how{seed % 3 == 0 ? 2u : 1u, seed, wall_ms, 0, Timed()};
      Ran r = Run(image, entry, how);
      if (r.Starved()) continue;
      ++runs;
      // It may be stopped for what it does, but never by a fault of this side.
      const std::string status = r.status();
      EXPECT_TRUE(status == "ok" || status == "stopped" || status == "crash" ||
                  status == "deadlock" || status == "timeout" || status == "memory" ||
                  status == "unsupported")
          << entry << " " << seed << ": " << r.reply.dump().substr(0, 600);
      // An end that nobody explained: the process that judges has died.
      EXPECT_TRUE(r.reply.contains("findings") || status == "timeout" || status == "memory")
          << entry << " " << seed << ": " << r.reply.dump();
      EXPECT_FALSE(status == "ok" && r.reply["findings"].empty() && r.Right())
          << entry << " " << seed;
      EXPECT_GE(r.us(), LeastTime(r, how.blocks)) << entry << " " << seed;
      stopped += status != "ok";
      // Which of the two limits is met first is a matter of the machine.
      if (seed % 10 != 0 || status == "timeout" || status == "memory") continue;
      const Ran again = Run(image, entry, how);
      if (!again.Starved()) EXPECT_EQ(Comparable(r.reply), Comparable(again.reply));
    }
  EXPECT_GT(stopped, 0);
  EXPECT_GT(runs, 100) << "this machine is too busy to tell";
}

// Wherever it runs out, in the kernel's copies or in the replay of their times.
TEST_F(GuestRunner, WhoAsksForTooMuchMemoryIsTold) {
#ifdef AKGEN_SANITIZED
  GTEST_SKIP() << "a sanitizer takes the limits of memory away";
#endif
  const std::string image = ImageOf("hostile_calls");
  for (uint64_t mib : {24, 40, 48, 64, 96, 128, 192}) {
    const Ran r = Run(image, "large_copies", {1, 17, 20000, 0, Timed(), mib << 20});
    EXPECT_EQ(r.status(), "memory") << mib << " MiB: " << r.reply.dump();
  }
}

}  // namespace
}  // namespace akgen::runner
