// Cases too large to run: drawn blocks run at full shape and are compared; the time comes from a
// smaller case.
//
// The inputs of the full case are those of a case with fewer rows, repeated: memory maps the same
// pages again and again, and the expected values repeat likewise where the reference treats each
// row by itself, which is tried.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <numeric>

#include "base/seed.h"
#include "judge/run/blame.h"
#include "judge/run/findings.h"
#include "judge/session/drawn_blocks.h"
#include "judge/session/session.h"
#include "judge/session/smaller_case.h"
#include "sim/machine/mapping.h"

namespace akgen::judge {
using record::Verdict;

namespace {
using Clock = std::chrono::steady_clock;
constexpr int kBlockMs = 8000;      // of work of one block (runner_client.h)
constexpr size_t kMaxBlocks = 256;  // that run
constexpr uint64_t kMaxMoved = uint64_t{1536}
                               << 20;  // bytes that they move, before no further one is run
constexpr int kDrawnBlocks = 2, kDrawnPlaces = 2;  // beside the first and the last
constexpr double kMoreWork = 1.25;                 // at most, for each byte of the outputs

// What a run did, and for how many bytes of the outputs.
struct Work {
  double moved = 0, issued = 0, wrote = 0;
  void Add(const sim::RunReply& r) {
    moved += double(r.bytes_in + r.bytes_out),
        issued += double(r.vector_ops + r.copies + r.instructions);
  }
};

size_t OutputBytes(const task::CaseDesc& c) {
  size_t bytes = 0;
  for (const task::TensorDesc& t : task::Flatten(c.outputs)) bytes += t.Bytes();
  return bytes;
}

// Tensors of the full case over the memory of the rows that they repeat, each from a page on. Of
// those with rows only the first ones can be looked at.
base::Result<task::TensorSet> Repeated(const task::CaseDesc& full, const task::TensorSet& few) {
  task::TensorSet out;
  out.tensors = task::Flatten(full.inputs);
  const size_t page = sim::PageBytes();
  for (const task::TensorDesc& t : few.tensors) {
    out.layout.offsets.push_back(out.layout.bytes);
    out.layout.bytes += (task::AllocationBytes(t.Bytes()) + page - 1) / page * page;
  }
  auto memory = base::SharedMemory::Create("akgen-rows", std::max<size_t>(1, out.layout.bytes));
  if (!memory.ok()) return memory.error();
  out.memory = std::move(*memory);
  std::memset(out.memory.data(), 0xff, out.layout.bytes);
  for (size_t i = 0; i < few.tensors.size(); ++i)
    std::ranges::copy(few.Bytes(i), out.memory.data() + out.layout.offsets[i]);
  return out;
}

// As Pack, of the full case: `few` packed, with every tensor at its full size.
base::Result<Packed> PackFull(Packed few, const RepeatedCase& rows, const task::CaseDesc& full,
                              const task::TensorSet& repeated) {
  const auto inputs = task::Flatten(full.inputs), outputs = task::Flatten(full.outputs);
  const auto few_inputs = task::Flatten(rows.few.inputs);
  const task::Layout layout = task::LayoutOf(outputs);
  auto memory = base::SharedMemory::Create("akgen-outputs", layout.bytes);
  if (!memory.ok()) return memory.error();
  few.outputs = std::move(*memory);
  auto repeat = [&](sim::RunRegion& r, size_t input) {
    r.source = repeated.layout.offsets[input];
    r.period = rows.inputs[input] ? few_inputs[input].Bytes() : 0;
  };
  std::vector<bool> overwritten(inputs.size());
  size_t region = 0;
  for (const task::ParamDesc& p : full.outputs)
    for (size_t t = 0; t < p.tensors.size(); ++t, ++region) {
      sim::RunRegion& r = few.regions[region];
      r.offset = few.flat_outputs[region].offset = layout.offsets[region];
      r.bytes = outputs[region].Bytes(), r.capacity = task::AllocationBytes(r.bytes);
      few.flat_outputs[region].desc = outputs[region];
      if (p.inplace_of < 0) continue;
      size_t input = t;
      for (int i = 0; i < p.inplace_of; ++i) input += full.inputs[size_t(i)].tensors.size();
      overwritten[input] = true;
      repeat(r, input);
    }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (overwritten[i]) continue;
    sim::RunRegion& r = few.regions[region++];
    r.bytes = inputs[i].Bytes(), r.capacity = task::AllocationBytes(r.bytes);
    r.offset = repeated.layout.offsets[i];
    repeat(r, i);
  }
  return few;
}

// Rows `first`, `first` + 1 … of `from`, beginning again after the last: as many as `to` has.
void CopyRows(const task::TensorSet& from, const std::vector<bool>& has_rows, int64_t rows,
              int64_t first, const task::TensorSet& to, int64_t count) {
  for (size_t i = 0; i < to.tensors.size(); ++i) {
    const auto source = from.Bytes(i), target = to.Bytes(i);
    const size_t bytes = source.size() / size_t(rows);
    if (!has_rows[i])
      std::ranges::copy(source, target.begin());
    else
      for (int64_t r = 0; r < count; ++r)
        std::ranges::copy(source.subspan(size_t((first + r) % rows) * bytes, bytes),
                          target.begin() + long(size_t(r) * bytes));
  }
}

// Elements of `part`, which are rows from `first` on, that differ from those of `all`.
int64_t Differing(const task::TensorSet& all, int64_t rows, int64_t first,
                  const task::TensorSet& part, int64_t count, const std::vector<bool>& has_rows) {
  int64_t differ = 0;
  for (size_t i = 0; i < part.tensors.size(); ++i) {
    if (!has_rows[i]) continue;
    const size_t element = size_t(base::SizeOf(part.tensors[i].dtype)),
                 row = part.Bytes(i).size() / size_t(count);
    for (int64_t r = 0; r < count; ++r) {
      const uint8_t *a = part.Bytes(i).data() + size_t(r) * row,
                    *b = all.Bytes(i).data() + size_t((first + r) % rows) * row;
      if (!std::memcmp(a, b, row)) continue;
      for (size_t at = 0; at < row; at += element)
        differ += std::memcmp(a + at, b + at, element) != 0;
    }
  }
  return differ;
}

// Bytes of an output whose writers are looked up: the first, the last, drawn ones, and of each
// block that ran the one behind a drawn piece of what it wrote, where a share that is not written
// whole ends.
std::vector<uint64_t> PlacesOf(const WrittenPieces& written, uint64_t bytes,
                               const std::set<uint32_t>& ran, uint64_t seed) {
  std::vector<uint64_t> places{0, bytes - 1};
  for (uint64_t i = 0; i < kDrawnPlaces; ++i) places.push_back(base::DerivedSeed(seed, i) % bytes);
  std::map<uint32_t, std::vector<uint64_t>> ends;
  for (const auto& piece : written.pieces())
    if (piece.to < bytes) ends[piece.block].push_back(piece.to);
  for (uint32_t block : ran)
    if (const auto& mine = ends[block]; !mine.empty())
      places.push_back(mine[base::DerivedSeed(seed, 0x656e64 + block) % mine.size()]);
  return places;
}

std::string ListOf(const std::set<uint32_t>& blocks) {
  std::string out;
  for (uint32_t b : blocks) {
    if (out.size() > 60) return out + " …";
    out += (out.empty() ? "" : ", ") + std::to_string(b);
  }
  return out;
}
}  // namespace

struct Session::FullShape {
  const task::CaseDesc& full;
  RepeatedCase rows;
  task::TensorSet few, golden,
      repeated;  // inputs and expected values of `rows.few`; inputs of `full`
  TileReply tiling;
  std::string so;
  Packed packed;
  std::vector<WrittenPieces> written;  // by output
  std::set<uint32_t> ran;
  Work work;
  uint64_t compared = 0;  // bytes
  std::string Where() const {
    return "at full shape, in blocks " + ListOf(ran) + " of " + std::to_string(tiling.block_dim);
  }
};

// The steps below say why the case cannot be judged, or "". A verdict on the kernel takes it out of
// those that are skipped.
void Session::JudgeTooLarge(const task::CaseRow& row, const task::CaseDesc& c, CaseResult& r) {
  if (options_.expected || options_.probe || task_.reference.empty()) return;
  auto rows = RepeatCase(task_, row, c);
  std::string why = rows.ok() ? "" : rows.error().message;
  if (why.empty()) {
    FullShape f{c, std::move(*rows), {}, {}, {}, {}, {}, {}, {}, {}, {}, 0};
    why = AtFullShape(row, f, r);
    if (r.verdict != Verdict::kUndecided) {
      r.skipped = false;
      r.modelled = nullptr;
      return;
    }
    if (why.empty()) {
      r.reason += "; " + std::to_string(f.ran.size()) + " of its " + std::to_string(r.block_dim) +
                  " blocks were run at full shape and are right";
      if (options_.time.on) why = TimeFromSmaller(row, f, r);
    }
  }
  if (!why.empty())
    r.reason += (options_.time.on ? "; no time: " : "; not judged at full shape: ") + why;
}

std::string Session::AtFullShape(const task::CaseRow& row, FullShape& f, CaseResult& r) {
  const auto start = Clock::now();
  std::string no_rows = MakeRows(row, f);
  r.reference_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  if (!no_rows.empty()) return no_rows;
  for (size_t i = 0, flat = 0; i < f.full.inputs.size(); flat += f.full.inputs[i++].tensors.size())
    if (ShownToTheHost(task_, op_, i) && f.full.inputs[i].present && f.rows.inputs[flat])
      return "host code is shown the values of '" + f.full.inputs[i].name + "', of all rows";
  const Verdict before = r.verdict;
  std::string reason = r.reason;
  if (!TileAndBuild(f.full, f.repeated, r, f.tiling, f.so)) return "";
  r.verdict = before, r.reason = std::move(reason);
  if (f.tiling.need_atomic)
    return "blocks may add to outputs, which start with the values of the definition";
  if (std::string why = RunFewRows(f); !why.empty()) return why;
  auto few = Pack(op_, f.rows.few, f.few);
  auto packed = few.ok() ? PackFull(std::move(*few), f.rows, f.full, f.repeated)
                         : base::Result<Packed>(few.error());
  if (!packed.ok()) return packed.error().message;
  f.packed = std::move(*packed);
  for (const auto& o : f.packed.flat_outputs) f.written.emplace_back(o.desc.Bytes());
  std::string why = RunBlocks(f, {0}, r);
  std::vector<uint32_t> blocks{f.tiling.block_dim - 1};
  for (uint64_t i = 0; i < kDrawnBlocks; ++i)
    blocks.push_back(uint32_t(base::DerivedSeed(seed_, 0x626c6f63 + i) % f.tiling.block_dim));
  if (why.empty() && r.verdict == Verdict::kUndecided) why = RunBlocks(f, blocks, r);
  if (!why.empty() || r.verdict != Verdict::kUndecided) return why;
  why = FindWriters(f, r);
  if (r.verdict != Verdict::kUndecided) return "";
  const std::string differs = CompareBlocks(f, r);
  return why.empty() ? differs : why;
}

// Inputs and expected values of the rows that are repeated.
std::string Session::MakeRows(const task::CaseRow& row, FullShape& f) {
  auto inputs = task::GenerateInputs(task_, f.rows.few, seed_);
  if (!inputs.ok()) return inputs.error().message;
  PoisonPadding(*inputs);
  f.few = std::move(*inputs);
  auto golden = reference_.Golden(task_, f.rows.few, seed_, f.few);
  if (!golden.ok()) return "the reference refuses fewer rows: " + golden.error().message;
  f.golden = std::move(*golden);
  if (std::string why = NothingToCompare(f.rows.few, f.golden); !why.empty()) return why;
  auto repeated = Repeated(f.full, f.few);
  if (!repeated.ok()) return repeated.error().message;
  f.repeated = std::move(*repeated);
  const int64_t count = f.rows.rows / 2 + 1, first = f.rows.rows / 3 + 1;
  const auto some = WithRows(task_, row, count);
  if (!some) return "the case cannot be cut into rows";
  task::TensorSet part;
  part.tensors = task::Flatten(some->inputs), part.layout = task::LayoutOf(part.tensors);
  auto memory = base::SharedMemory::Create("akgen-part", part.layout.bytes);
  if (!memory.ok()) return memory.error().message;
  part.memory = std::move(*memory);
  CopyRows(f.few, f.rows.inputs, f.rows.rows, first, part, count);
  auto expected = reference_.Run(task_, *some, part);
  if (!expected.ok())
    return "the reference refuses a part of the rows: " + expected.error().message;
  // float64 in vectors of another length may come out on the other side of a tie.
  constexpr int64_t kTies = 2;
  if (Differing(f.golden, f.rows.rows, first, *expected, count, f.rows.outputs) > kTies)
    return "the reference does not treat each row by itself";
  return "";
}

// All blocks on few rows: do they exchange data?
std::string Session::RunFewRows(FullShape& f) {
  const std::string with = "with " + std::to_string(f.rows.rows) + " rows ";
  CaseResult part;
  TileReply tiling;
  std::string so;
  if (!TileAndBuild(f.rows.few, f.few, part, tiling, so)) return with + part.reason;
  auto packed = Pack(op_, f.rows.few, f.few, tiling.need_atomic);
  if (!packed.ok()) return packed.error().message;
  const auto reply = RunAgain(so, tiling, f.few, *packed, [](sim::RunRequest& request) {
    request.checks = {true, true, true, true, request.checks.auto_sync};
  });
  if (!reply) return with + "the kernel cannot be run";
  const RunOutcome outcome =
      OutcomeOf(reply->status, reply->detail, NameFindings(executor_, so, reply->findings));
  if (outcome.verdict != Verdict::kPass) return with + outcome.reason;
  if (reply->exchanged) return "its blocks exchange data, so that one alone cannot be run";
  if (tiling.block_dim == 1 && f.tiling.block_dim > 1)
    return with + "it runs on one block, of several at full shape";
  return "";
}

// Each in a launch of its own, so that it is known what each wrote.
std::string Session::RunBlocks(FullShape& f, const std::vector<uint32_t>& blocks, CaseResult& r) {
  const auto workspace = f.tiling.WorkspaceBytes(chip_);
  if (!workspace) return "the tiling function asks for more workspace than the chip has";
  Launch launch{f.so,    options_.backend, {}, f.repeated.memory.fd(), f.packed.outputs.fd(),
                kBlockMs};
  std::vector<uint32_t> fresh;
  for (uint32_t block : blocks) {
    if (!f.ran.insert(block).second) continue;
    fresh.push_back(block);
    auto request = RequestFor(f.packed, f.tiling);
    if (!request.ok()) return request.error().message;
    request->workspace_bytes = *workspace;
    request->checks = {true, true, true, true, request->checks.auto_sync}, request->schedule = 0;
    request->timing.reset();
    request->only = {block};
    launch.runs.push_back(std::move(*request));
  }
  if (fresh.empty()) return "";
  const auto start = Clock::now();
  const std::vector<sim::RunReply> replies = executor_.Run(launch);
  r.run_ms += std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  for (size_t i = 0; i < fresh.size(); ++i) {
    const sim::RunReply& reply = replies.at(i);
    const std::string block = "block " + std::to_string(fresh[i]) + " alone at full shape: ";
    r.chip_ms += reply.run_us / 1000, r.chip_cpu_ms += reply.run_cpu_us / 1000;
    const bool machine =
        reply.status == "timeout" || reply.status == "memory" || reply.status == "error";
    out_.repeatable = out_.repeatable && !machine;
    if (machine || reply.status == "deadlock")
      return block + reply.status + (reply.detail.empty() ? "" : ": " + reply.detail);
    const auto findings = NameFindings(executor_, f.so, reply.findings);
    const RunOutcome outcome = OutcomeOf(reply.status, reply.detail, findings);
    // What it reads that nobody wrote, or waits for, may be another block's to do.
    const bool own =
        reply.status != "ok" || std::any_of(findings.begin(), findings.end(), [](const auto& x) {
          return !x.warning && !x.undecided && x.check == "memcheck";
        });
    if (outcome.verdict != Verdict::kPass && !own) return block + outcome.reason;
    if (outcome.verdict != Verdict::kPass) {
      r.verdict = outcome.verdict, r.reason = block + outcome.reason, r.findings = findings;
      return "";
    }
    if (reply.exchanged) return "its blocks exchange data, so that one alone cannot be run";
    if (reply.written_cut) return block + "it writes too many separate pieces";
    f.work.Add(reply);
    for (size_t o = 0; o < f.written.size(); ++o) {
      const auto& ranges = reply.written.at(o);
      for (size_t k = 0; k + 1 < ranges.size(); k += 2)
        f.work.wrote += double(ranges[k + 1] - ranges[k]);
      f.written[o].Add(fresh[i], ranges);
    }
  }
  return "";
}

// Every share that blocks leave out is as likely to be hit as it is large, and surely where a block
// that ran leaves it out behind what it writes.
std::string Session::FindWriters(FullShape& f, CaseResult& r) {
  for (size_t o = 0; o < f.written.size(); ++o) {
    const auto& output = f.packed.flat_outputs[o];
    const uint64_t bytes = output.desc.Bytes();
    if (!output.compared || !bytes) continue;
    for (const uint64_t place :
         PlacesOf(f.written[o], bytes, f.ran, base::DerivedSeed(seed_, 0x706c6163 + o)))
      while (!f.written[o].Has(place)) {
        const std::string what = " writes element " +
                                 std::to_string(place / uint64_t(base::SizeOf(output.desc.dtype))) +
                                 " of '" + output.name + "'";
        const auto next = f.written[o].Next(place, f.tiling.block_dim, f.ran);
        if (!next) {
          r.verdict = Verdict::kWrongAnswer;
          r.reason =
              "at full shape none of its " + std::to_string(f.tiling.block_dim) + " blocks" + what;
          return "";
        }
        if (f.ran.size() >= kMaxBlocks || f.work.moved > double(kMaxMoved))
          return "none of the blocks that were run (" + ListOf(f.ran) + ")" + what;
        std::string why = RunBlocks(f, {*next}, r);
        if (!why.empty() || r.verdict != Verdict::kUndecided) return why;
      }
  }
  return "";
}

std::string Session::CompareBlocks(FullShape& f, CaseResult& r) {
  FoldedOutputs folded(f.rows.few, f.golden);
  for (size_t o = 0; o < f.written.size(); ++o) {
    const auto& output = f.packed.flat_outputs[o];
    if (!output.compared) continue;
    for (const auto& piece : f.written[o].pieces())
      if (auto s = folded.Add(
              o, piece.from,
              {f.packed.outputs.data() + output.offset + piece.from, piece.to - piece.from});
          !s.ok())
        return s.error().message;
  }
  f.compared = folded.kept();
  for (const Packed& layer : folded.layers()) {
    CaseResult part;
    CompareOutputs(f.rows.few, f.few, layer, f.golden, part);
    r.check_ms += part.check_ms;
    if (part.verdict == Verdict::kPass) continue;
    r.verdict = part.verdict, r.reason = f.Where() + ": " + part.reason, r.outputs = part.outputs;
    return "";
  }
  return "";
}

// Modelled time from a case with fewer rounds of the kernel's loop (sim/timing/extrapolate.h),
// where the full one does no more for each byte that it writes.
std::string Session::TimeFromSmaller(const task::CaseRow& row, const FullShape& f, CaseResult& r) {
  constexpr uint64_t kCheap = uint64_t{2} << 30;
  for (int64_t factor = 2; factor <= 1024; factor *= 2) {
    auto small = SmallerCase(task_, row, f.full, factor);
    if (!small) break;
    if (small->memory_estimate > kCheap) continue;
    CaseResult part;
    std::string so;
    auto inputs = task::GenerateInputs(task_, *small, seed_);
    TileReply tiling;
    if (!inputs.ok() || !TileAndBuild(*small, *inputs, part, tiling, so))
      return "a smaller case: " + part.reason;
    PoisonPadding(*inputs);
    auto packed = Pack(op_, *small, *inputs, tiling.need_atomic);
    if (!packed.ok()) return packed.error().message;
    scale_ = double(factor);
    const bool ran = Execute(*small, so, tiling, *inputs, *packed, part);
    scale_ = 0;
    if (!ran) return "a smaller case: " + part.reason;
    if (latest_.exchanged) return "its blocks exchange data in a smaller case";
    const auto time = record::LaunchTimeFromJson(part.modelled);
    if (!time || !time->scaled) return "the smaller case goes too few times around its loop";
    Work work{0, 0, double(OutputBytes(*small))};
    work.Add(latest_);
    const double moved = f.work.moved / f.work.wrote / (work.moved / work.wrote),
                 issued = f.work.issued / f.work.wrote / (work.issued / work.wrote);
    if (std::max(moved, issued) > kMoreWork ||
        int64_t(f.tiling.block_dim) < std::min(int64_t(tiling.block_dim), int64_t(time->cores)))
      return "at full shape the kernel does more for each element, or on fewer cores, than in the "
             "smaller case";
    r.modelled = {{"us", time->scaled->us},
                  {"regime", time->regime},
                  {"bottleneck", time->bottleneck},
                  {"cores", time->cores},
                  {"blocks", time->blocks},
                  {"extrapolated",
                   {{"factor", factor},
                    {"from_us", time->us},
                    {"within_us", time->scaled->bound_us},
                    {"checked", {{"blocks", f.ran}, {"bytes", f.compared}}}}}};
    if (time->cube_cores) r.modelled["cube_cores"] = time->cube_cores;
    NoteRange(r.modelled);
    return "";
  }
  return "no smaller case stands for it";
}

}  // namespace akgen::judge
