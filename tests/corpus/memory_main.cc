// Memory while a corpus grows: made-up records go through the stage (ledger, duplicates, sketches)
// and the data card, and the peak of this process is printed on the way.  corpus_memory RECORDS
// [MOST_MIB]: fails when the peak grows by more than MOST_MIB in the second half.
#include <fmt/core.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "corpus/compose/random.h"
#include "corpus/records/card.h"
#include "corpus/records/stage.h"

namespace {
namespace corpus = akgen::corpus;
using akgen::base::Json;
constexpr uint64_t kBatch = 500;

double PeakMib() {
  rusage u{};
  ::getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_maxrss) / 1024;
}

Json RecordOf(uint64_t i) {
  const std::string hash = akgen::base::ContentHash(std::to_string(i));
  return {{"schema", 1},
          {"kind", "synthetic"},
          {"id", hash},
          {"graph", hash},
          {"family", "family" + std::to_string(i % 500)},
          {"split", "train"},
          {"depth", i % 20},
          {"dtype", "float32"},
          {"operators", {"add", "mul"}},
          {"task", "a task"},
          {"reference", "def reference(x):\n    return torch.op_" + hash + "(x)\n"},
          {"license", "Apache-2.0"},
          {"source", "made up"},
          {"others_kernel", false},
          {"verification", {{"verdict", "pass"}}}};
}

akgen::base::Status Fill(corpus::Stage& stage, uint64_t from, uint64_t to) {
  while (from < to) {
    if (auto s = stage.Begin(); !s.ok()) return s;
    std::string lines;
    for (uint64_t end = std::min(to, from + kBatch); from < end; ++from) {
      const Json r = RecordOf(from);
      corpus::Sketch sketch;
      for (size_t k = 0; k < sketch.size(); ++k)
        sketch[k] = static_cast<uint32_t>(corpus::MixBits(from * sketch.size() + k));
      if (!stage.ledger().AddKey("graph", r["graph"])) stage.Add("duplicates_removed");
      if (stage.ledger().AddSketch(sketch, static_cast<int64_t>(from), 0.85) >= 0)
        stage.Add("near_duplicates_removed");
      stage.Add("records");
      lines += r.dump() + "\n";
    }
    if (auto s = stage.Commit(lines); !s.ok()) return s;
  }
  return {};
}

int Failed(const akgen::base::Error& e) {
  fmt::print(stderr, "{}\n", e.ToString());
  return 1;
}
}  // namespace

int main(int argc, char** argv) {
  const uint64_t records = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100000;
  const double most = argc > 2 ? std::strtod(argv[2], nullptr) : 0;
  auto dir = akgen::base::TempDir::Create();
  if (!dir.ok()) return Failed(dir.error());
  auto stage =
      corpus::Stage::Open(dir->path() / "synthetic", Json::object(),
                          {"records", "duplicates_removed", "near_duplicates_removed"}, {});
  if (!stage.ok()) return Failed(stage.error());
  double half = 0;
  auto show = [&](const char* what, uint64_t n) {
    fmt::print("{:>9} {:<8} peak {:6.1f} MiB\n", n, what, PeakMib()), std::fflush(stdout);
  };
  for (int part = 1; part <= 10; ++part) {
    if (auto s = Fill(*stage, records * static_cast<uint64_t>(part - 1) / 10,
                      records * static_cast<uint64_t>(part) / 10);
        !s.ok())
      return Failed(s.error());
    show("records", stage->Count("records"));
    if (part != 5) continue;
    if (auto card = corpus::WriteCard(dir->path(), {}); !card.ok()) return Failed(card.error());
    show("in card", stage->Count("records"));
    half = PeakMib();
  }
  auto card = corpus::WriteCard(dir->path(), {});
  if (!card.ok()) return Failed(card.error());
  show("in card", card->records);
  if (card->distinct_graphs != records)
    return fmt::print(stderr, "{} distinct graphs\n", card->distinct_graphs), 1;
  if (most > 0 && PeakMib() - half > most)
    return fmt::print(stderr, "memory grew by {:.1f} MiB\n", PeakMib() - half), 1;
  return 0;
}
