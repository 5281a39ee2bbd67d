// The limits of a profile, as the confined process finds them: soft and hard, never above what it
// had.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "sandbox/layers.h"

namespace akgen::sandbox {
namespace {
struct Had {
  int what;
  uint64_t soft, hard;
};
using Found = std::array<rlimit, 6>;
constexpr std::array kWhat = {RLIMIT_CORE, RLIMIT_NOFILE, RLIMIT_FSIZE,
                              RLIMIT_CPU,  RLIMIT_AS,     RLIMIT_NPROC};

// What a child with these limits has under the profile.
Found Under(const Profile& profile, const std::vector<Had>& had) {
  Found found{};
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    for (const Had& h : had) {
      const rlimit limit{h.soft, h.hard};
      if (::setrlimit(__rlimit_resource_t(h.what), &limit) != 0) ::_exit(1);
    }
    if (ApplyLimits(profile) != 0) ::_exit(2);
    for (size_t i = 0; i < kWhat.size(); ++i) ::getrlimit(__rlimit_resource_t(kWhat[i]), &found[i]);
    ::_exit(::write(ends[1], &found, sizeof found) == sizeof found ? 0 : 3);
  }
  ::close(ends[1]);
  EXPECT_EQ(::read(ends[0], &found, sizeof found), ssize_t(sizeof found));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return found;
}

void Expect(const Profile& profile, const std::vector<Had>& had,
            const std::array<std::pair<uint64_t, uint64_t>, 6>& wanted) {
  const Found found = Under(profile, had);
  for (size_t i = 0; i < kWhat.size(); ++i) {
#ifdef AKGEN_SANITIZED  // the sanitizers reserve terabytes of address space
    if (kWhat[i] == RLIMIT_AS) continue;
#endif
    EXPECT_EQ(found[i].rlim_cur, wanted[i].first) << i;
    EXPECT_EQ(found[i].rlim_max, wanted[i].second) << i;
  }
}

// As most machines leave them: core files, open files and file sizes without a hard limit below.
const std::vector<Had> kUsual = {{RLIMIT_CORE, 0, 4096},
                                 {RLIMIT_NOFILE, 1024, 4096},
                                 {RLIMIT_FSIZE, 1 << 30, 1 << 30},
                                 {RLIMIT_CPU, 1000, 2000},
                                 {RLIMIT_NPROC, 500, 1000}};

TEST(Limits, OfAProfile) {
  Profile p;
  p.file_bytes = 4096, p.open_files = 100, p.cpu_seconds = 7, p.memory_bytes = 1ull << 40;
  Expect(p, kUsual, {{{0, 0}, {100, 100}, {4096, 4096}, {7, 8}, {1ull << 40, 1ull << 40}, {0, 0}}});
  p.allow_processes = true, p.cpu_seconds = 0, p.memory_bytes = 0, p.file_bytes = 0;
  const rlimit space = [] {
    rlimit r;
    ::getrlimit(RLIMIT_AS, &r);
    return r;
  }();
  Expect(
      p, kUsual,
      {{{0, 0}, {100, 100}, {0, 0}, {1000, 2000}, {space.rlim_cur, space.rlim_max}, {500, 1000}}});
}

TEST(Limits, NeverAboveWhatThereWas) {
  Profile p;
  p.file_bytes = 4096, p.open_files = 100, p.cpu_seconds = 7, p.memory_bytes = 1ull << 40;
  Expect(p,
         {{RLIMIT_CORE, 0, 0},
          {RLIMIT_NOFILE, 50, 60},
          {RLIMIT_FSIZE, 10, 20},
          {RLIMIT_CPU, 3, 5},
          {RLIMIT_AS, 1ull << 38, 1ull << 39},
          {RLIMIT_NPROC, 0, 0}},
         {{{0, 0}, {60, 60}, {20, 20}, {5, 5}, {1ull << 39, 1ull << 39}, {0, 0}}});
  p.cpu_seconds = 4;  // a second less than the machine's: the soft limit stays its own
  Expect(p, {{RLIMIT_CPU, 4, 4}, {RLIMIT_NOFILE, 100, 100}, {RLIMIT_FSIZE, 1 << 20, 1 << 20}},
         {{{0, 0}, {100, 100}, {4096, 4096}, {4, 4}, {1ull << 40, 1ull << 40}, {0, 0}}});
}
}  // namespace
}  // namespace akgen::sandbox
