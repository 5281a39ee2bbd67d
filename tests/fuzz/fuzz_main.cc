// Runs the doors. fuzz_doors --help
#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

#include "base/files.h"
#include "fuzz.h"

namespace akgen::fuzz {
std::vector<Door>& Doors() {
  static std::vector<Door> doors;
  return doors;
}

std::vector<void (*)()>& DoorFinders() {
  static std::vector<void (*)()> finders;
  return finders;
}

bool IsJson(const std::string& text) {
  if (!base::Parse(text).is_discarded()) return true;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    if (end > at && base::Parse(std::string_view(text).substr(at, end - at)).is_discarded())
      return false;
    at = end + 1;
  }
  return true;
}

const std::filesystem::path& Folder() {
  static const std::filesystem::path folder = [] {
    std::string made = (std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp") +
                       std::string("/akgen_fuzz_XXXXXX");
    return std::filesystem::path(::mkdtemp(made.data()) ? made : "/tmp");
  }();
  return folder;
}

std::filesystem::path Written(const std::string& name, const std::string& text) {
  const std::filesystem::path path = Folder() / name;
  std::filesystem::create_directories(path.parent_path());
  (void)base::WriteFileAtomic(path, text);
  return path;
}
}  // namespace akgen::fuzz

namespace {
using namespace akgen::fuzz;

char g_now[256];  // what is being read, for the handler

void Crashed(int signal) {
  static const char* const kWhat = "fuzz: a signal while reading ";
  (void)!::write(2, kWhat, std::strlen(kWhat));
  (void)!::write(2, g_now, std::strlen(g_now));
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

struct Options {
  uint64_t inputs = 5000, seed = 1, one = 0, shard = 0, shards = 1;
  double seconds = 0;
  std::string only;
  bool list = false, show = false;
};

const char* const kHelp =
    "usage: fuzz_doors [--inputs N] [--seconds S] [--seed N] [--door NAME] [--shard I/N] [--one N "
    "[--show]]\n"
    "                  [--list]\n\n"
    "Reads changed texts through every door (what reads the files and messages of others): N a "
    "door (5000), then as\n"
    "many as are left of S seconds, shared among the doors. --one N: input N first, --show prints "
    "it and stops.\n\n"
    "Exit status: 0 nothing thrown, at least half of a door's inputs past its parser; 1 otherwise; "
    "a crash is a "
    "crash.\n";

bool Read(int argc, char** argv, Options& o) {
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (flag == "--list")
      o.list = true;
    else if (flag == "--show")
      o.show = true;
    else if (!value)
      return false;
    else if (flag == "--inputs")
      o.inputs = std::strtoull(value, nullptr, 10), ++i;
    else if (flag == "--seconds")
      o.seconds = std::strtod(value, nullptr), ++i;
    else if (flag == "--seed")
      o.seed = std::strtoull(value, nullptr, 10), ++i;
    else if (flag == "--one")
      o.one = std::strtoull(value, nullptr, 10), ++i;
    else if (flag == "--shard") {
      if (std::sscanf(value, "%lu/%lu", &o.shard, &o.shards) != 2 || o.shard >= o.shards)
        return false;
      ++i;
    } else if (flag == "--door")
      o.only = value, ++i;
    else
      return false;
  }
  return true;
}

using Clock = std::chrono::steady_clock;
double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What came of a door's inputs so far.
struct Count {
  uint64_t done = 0, depth[3] = {0, 0, 0}, thrown = 0;
  double seconds = 0;
  uint64_t Past() const { return depth[1] + depth[2]; }
};

void ReadOne(const Door& door, const Options& o, Count& c) {
  const uint64_t k = o.one + c.done++;
  std::snprintf(g_now, sizeof g_now, "input %llu of door %s (--door %s --seed %llu --one %llu)\n",
                static_cast<unsigned long long>(k), door.name.c_str(), door.name.c_str(),
                static_cast<unsigned long long>(o.seed), static_cast<unsigned long long>(k));
  const std::string text = Mutated(door.seeds[k % door.seeds.size()], o.seed * 1000003 + k);
  if (o.show) fmt::print("{}\n", text);
  try {
    ++c.depth[size_t(door.read(text))];
  } catch (const std::exception& e) {
    if (++c.thrown <= 5) fmt::print(stderr, "thrown: {}: {}", e.what(), g_now);
  }
}

// Reads until the door has had `inputs`, or for `seconds` more.
void Go(const Door& door, const Options& o, uint64_t inputs, double seconds, Count& c) {
  const auto start = Clock::now();
  while (c.done < inputs || Since(start) < seconds) ReadOne(door, o, c);
  c.seconds += Since(start);
  fmt::print("{:<24} {:>8} inputs {:>8} past the parser {:>8} taken {:>6} thrown {:>7.1f} s\n",
             door.name, c.done, c.Past(), c.depth[2], c.thrown, c.seconds);
  std::fflush(stdout);
}

// Whether all inputs of the door were read as they should.
bool Good(const Door& door, const Count& c) {
  if (2 * c.Past() < c.done)
    fmt::print(stderr, "{}: fewer than half came past the parser\n", door.name);
  return c.thrown == 0 && 2 * c.Past() >= c.done;
}

bool SeedsAreTaken(const Door& door) {
  bool good = true;
  for (const std::string& seed : door.seeds)
    if (door.read(seed) != Depth::kTaken)
      good = false,
      fmt::print(stderr, "{}: a seed is not taken: {}\n", door.name, seed.substr(0, 200));
  return good;
}

// Every door has its inputs before any has more, so that dear ones do not go short.
bool RunAll(const std::vector<const Door*>& doors, const Options& o) {
  const auto start = Clock::now();
  std::vector<Count> counts(doors.size());
  bool good = true;
  for (size_t i = 0; i < doors.size(); ++i) {
    good &= SeedsAreTaken(*doors[i]);
    Go(*doors[i], o, o.show ? 1 : o.inputs, 0, counts[i]);
  }
  for (size_t i = 0; i < doors.size() && o.seconds > Since(start); ++i)
    Go(*doors[i], o, 0, (o.seconds - Since(start)) / double(doors.size() - i), counts[i]);
  for (size_t i = 0; i < doors.size(); ++i) good &= Good(*doors[i], counts[i]);
  return good;
}
}  // namespace

int main(int argc, char** argv) {
  Options o;
  if (!Read(argc, argv, o))
    return fmt::print("{}", kHelp), argc > 1 && !std::strcmp(argv[1], "--help") ? 0 : 2;
  ::setenv("TMPDIR", Folder().c_str(), 1);  // pages are made over a store of their own
  for (int s : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE}) ::signal(s, Crashed);
  for (const auto find : DoorFinders()) find();
  std::vector<const Door*> doors;
  size_t number = 0;
  for (const Door& door : Doors())
    if (number++ % o.shards == o.shard && (o.only.empty() || door.name == o.only))
      doors.push_back(&door);
  if (o.list)
    for (const Door* door : doors) fmt::print("{}\n", door->name);
  const bool good = o.list || RunAll(doors, o);
  std::error_code ec;
  std::filesystem::remove_all(Folder(), ec);
  if (!o.list && doors.empty()) return fmt::print(stderr, "there is no door {}\n", o.only), 2;
  return good ? 0 : 1;
}
