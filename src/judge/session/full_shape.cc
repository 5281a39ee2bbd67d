#include "judge/session/full_shape.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "base/seed.h"
#include "judge/host/requests.h"
#include "judge/run/blame.h"
#include "judge/run/findings.h"
#include "judge/session/compare.h"
#include "judge/session/drawn_blocks.h"
#include "judge/session/smaller_case.h"
#include "sim/machine/mapping.h"
#include "task/generate.h"

namespace akgen::judge {
using record::Verdict;

namespace {
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

// The steps say why the case cannot be judged, or "". A verdict on the kernel is in the result.
class FullShape {
 public:
  FullShape(SessionState& state, CaseRunner& runner, const task::CaseRow& row,
            const task::CaseDesc& full, RepeatedCase rows, CaseResult& result)
      : state_(state),
        runner_(runner),
        row_(row),
        full_(full),
        rows_(std::move(rows)),
        run_{full, repeated_, result} {}
  FullShape(const FullShape&) = delete;
  FullShape& operator=(const FullShape&) = delete;

  std::string Judge();
  std::string TimeFromSmaller();
  size_t ran() const { return ran_.size(); }

 private:
  std::string MakeRows();
  std::string RunFewRows();
  std::string RunBlocks(const std::vector<uint32_t>& blocks);
  std::string FindWriters();
  std::string CompareBlocks();

  SessionState& state_;
  CaseRunner& runner_;
  const task::CaseRow& row_;
  const task::CaseDesc& full_;
  const RepeatedCase rows_;
  task::TensorSet few_, golden_;  // inputs and expected values of `rows_.few`
  task::TensorSet repeated_;      // inputs of `full_`
  CaseRun run_;
  Packed packed_;
  std::vector<WrittenPieces> written_;  // by output
  std::set<uint32_t> ran_;
  Work work_;
  uint64_t compared_ = 0;  // bytes
};

std::string FullShape::Judge() {
  CaseResult& r = run_.result;
  const auto start = Clock::now();
  std::string no_rows = MakeRows();
  r.reference_ms = MsSince(start);
  if (!no_rows.empty()) return no_rows;
  for (size_t i = 0, flat = 0; i < full_.inputs.size(); flat += full_.inputs[i++].tensors.size())
    if (ShownToTheHost(state_.task, state_.op, i) && full_.inputs[i].present && rows_.inputs[flat])
      return "host code is shown the values of '" + full_.inputs[i].name + "', of all rows";
  const Verdict before = r.verdict;
  std::string reason = r.reason;
  if (!runner_.TileAndBuild(run_)) return "";
  r.verdict = before, r.reason = std::move(reason);
  if (run_.tiling.need_atomic)
    return "blocks may add to outputs, which start with the values of the definition";
  if (std::string why = RunFewRows(); !why.empty()) return why;
  auto few = Pack(state_.op, rows_.few, few_);
  auto packed = few.ok() ? PackFull(std::move(*few), rows_, full_, repeated_)
                         : base::Result<Packed>(few.error());
  if (!packed.ok()) return packed.error().message;
  packed_ = std::move(*packed);
  for (const auto& o : packed_.flat_outputs) written_.emplace_back(o.desc.Bytes());
  std::string why = RunBlocks({0});
  std::vector<uint32_t> blocks{run_.tiling.block_dim - 1};
  for (uint64_t i = 0; i < kDrawnBlocks; ++i)
    blocks.push_back(
        uint32_t(base::DerivedSeed(state_.seed, 0x626c6f63 + i) % run_.tiling.block_dim));
  if (why.empty() && r.verdict == Verdict::kUndecided) why = RunBlocks(blocks);
  if (!why.empty() || r.verdict != Verdict::kUndecided) return why;
  why = FindWriters();
  if (r.verdict != Verdict::kUndecided) return "";
  const std::string differs = CompareBlocks();
  return why.empty() ? differs : why;
}

// Inputs and expected values of the rows that are repeated.
std::string FullShape::MakeRows() {
  auto inputs = task::GenerateInputs(state_.task, rows_.few, state_.seed);
  if (!inputs.ok()) return inputs.error().message;
  PoisonPadding(*inputs);
  few_ = std::move(*inputs);
  auto golden = state_.reference.Golden(state_.task, rows_.few, state_.seed, few_);
  if (!golden.ok()) return "the reference refuses fewer rows: " + golden.error().message;
  golden_ = std::move(*golden);
  if (std::string why = NothingToCompare(rows_.few, golden_); !why.empty()) return why;
  auto repeated = Repeated(full_, few_);
  if (!repeated.ok()) return repeated.error().message;
  repeated_ = std::move(*repeated);
  const int64_t count = rows_.rows / 2 + 1, first = rows_.rows / 3 + 1;
  const auto some = WithRows(state_.task, row_, count);
  if (!some) return "the case cannot be cut into rows";
  task::TensorSet part;
  part.tensors = task::Flatten(some->inputs), part.layout = task::LayoutOf(part.tensors);
  auto memory = base::SharedMemory::Create("akgen-part", part.layout.bytes);
  if (!memory.ok()) return memory.error().message;
  part.memory = std::move(*memory);
  CopyRows(few_, rows_.inputs, rows_.rows, first, part, count);
  auto expected = state_.reference.Run(state_.task, *some, part);
  if (!expected.ok())
    return "the reference refuses a part of the rows: " + expected.error().message;
  // float64 in vectors of another length may come out on the other side of a tie.
  constexpr int64_t kTies = 2;
  if (Differing(golden_, rows_.rows, first, *expected, count, rows_.outputs) > kTies)
    return "the reference does not treat each row by itself";
  return "";
}

// All blocks on few rows: do they exchange data?
std::string FullShape::RunFewRows() {
  const std::string with = "with " + std::to_string(rows_.rows) + " rows ";
  CaseResult part;
  CaseRun few{rows_.few, few_, part};
  if (!runner_.TileAndBuild(few)) return with + part.reason;
  auto packed = Pack(state_.op, few.desc, few.inputs, few.tiling.need_atomic);
  if (!packed.ok()) return packed.error().message;
  const auto reply = runner_.RunAgain(few, *packed, [](sim::RunRequest& request) {
    request.checks = {true, true, true, true, request.checks.auto_sync};
  });
  if (!reply) return with + "the kernel cannot be run";
  const RunOutcome outcome = OutcomeOf(reply->status, reply->detail,
                                       NameFindings(state_.executor, few.object, reply->findings));
  if (outcome.verdict != Verdict::kPass) return with + outcome.reason;
  if (reply->exchanged) return "its blocks exchange data, so that one alone cannot be run";
  if (few.tiling.block_dim == 1 && run_.tiling.block_dim > 1)
    return with + "it runs on one block, of several at full shape";
  return "";
}

// Each in a launch of its own, so that it is known what each wrote.
std::string FullShape::RunBlocks(const std::vector<uint32_t>& blocks) {
  CaseResult& r = run_.result;
  const auto workspace = run_.tiling.WorkspaceBytes(state_.chip);
  if (!workspace) return "the tiling function asks for more workspace than the chip has";
  Launch launch{run_.object,           state_.options.backend, {},
                repeated_.memory.fd(), packed_.outputs.fd(),   kBlockMs};
  std::vector<uint32_t> fresh;
  for (uint32_t block : blocks) {
    if (!ran_.insert(block).second) continue;
    fresh.push_back(block);
    auto request = runner_.RequestFor(packed_, run_.tiling);
    if (!request.ok()) return request.error().message;
    request->workspace_bytes = *workspace;
    request->checks = {true, true, true, true, request->checks.auto_sync}, request->schedule = 0;
    request->timing.reset();
    request->only = {block};
    launch.runs.push_back(std::move(*request));
  }
  if (fresh.empty()) return "";
  const auto start = Clock::now();
  const std::vector<sim::RunReply> replies = state_.executor.Run(launch);
  r.run_ms += MsSince(start);
  for (size_t i = 0; i < fresh.size(); ++i) {
    const sim::RunReply& reply = replies.at(i);
    const std::string block = "block " + std::to_string(fresh[i]) + " alone at full shape: ";
    r.chip_ms += reply.run_us / 1000, r.chip_cpu_ms += reply.run_cpu_us / 1000;
    const bool machine =
        reply.status == "timeout" || reply.status == "memory" || reply.status == "error";
    state_.out.repeatable = state_.out.repeatable && !machine;
    if (machine || reply.status == "deadlock")
      return block + reply.status + (reply.detail.empty() ? "" : ": " + reply.detail);
    const auto findings = NameFindings(state_.executor, run_.object, reply.findings);
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
    work_.Add(reply);
    for (size_t o = 0; o < written_.size(); ++o) {
      const auto& ranges = reply.written.at(o);
      for (size_t k = 0; k + 1 < ranges.size(); k += 2)
        work_.wrote += double(ranges[k + 1] - ranges[k]);
      written_[o].Add(fresh[i], ranges);
    }
  }
  return "";
}

// Every share that blocks leave out is as likely to be hit as it is large, and surely where a block
// that ran leaves it out behind what it writes.
std::string FullShape::FindWriters() {
  CaseResult& r = run_.result;
  for (size_t o = 0; o < written_.size(); ++o) {
    const auto& output = packed_.flat_outputs[o];
    const uint64_t bytes = output.desc.Bytes();
    if (!output.compared || !bytes) continue;
    for (const uint64_t place :
         PlacesOf(written_[o], bytes, ran_, base::DerivedSeed(state_.seed, 0x706c6163 + o)))
      while (!written_[o].Has(place)) {
        const std::string what = " writes element " +
                                 std::to_string(place / uint64_t(base::SizeOf(output.desc.dtype))) +
                                 " of '" + output.name + "'";
        const auto next = written_[o].Next(place, run_.tiling.block_dim, ran_);
        if (!next) {
          r.verdict = Verdict::kWrongAnswer;
          r.reason = "at full shape none of its " + std::to_string(run_.tiling.block_dim) +
                     " blocks" + what;
          return "";
        }
        if (ran_.size() >= kMaxBlocks || work_.moved > double(kMaxMoved))
          return "none of the blocks that were run (" + ListOf(ran_) + ")" + what;
        std::string why = RunBlocks({*next});
        if (!why.empty() || r.verdict != Verdict::kUndecided) return why;
      }
  }
  return "";
}

std::string FullShape::CompareBlocks() {
  CaseResult& r = run_.result;
  CaseRun few{rows_.few, few_, r};
  few.expected = &golden_;
  FoldedOutputs folded(rows_.few, golden_);
  for (size_t o = 0; o < written_.size(); ++o) {
    const auto& output = packed_.flat_outputs[o];
    if (!output.compared) continue;
    for (const auto& piece : written_[o].pieces())
      if (auto s = folded.Add(
              o, piece.from,
              {packed_.outputs.data() + output.offset + piece.from, piece.to - piece.from});
          !s.ok())
        return s.error().message;
  }
  compared_ = folded.kept();
  for (const Packed& layer : folded.layers()) {
    CaseResult part;
    CompareOutputs(state_, few, layer, part);
    r.check_ms += part.check_ms;
    if (part.verdict == Verdict::kPass) continue;
    r.verdict = part.verdict,
    r.reason = "at full shape, in blocks " + ListOf(ran_) + " of " +
               std::to_string(run_.tiling.block_dim) + ": " + part.reason,
    r.outputs = part.outputs;
    return "";
  }
  return "";
}

// Modelled time from a case with fewer rounds of the kernel's loop (sim/timing/extrapolate.h),
// where the full one does no more for each byte that it writes.
std::string FullShape::TimeFromSmaller() {
  CaseResult& r = run_.result;
  constexpr uint64_t kCheap = uint64_t{2} << 30;
  for (int64_t factor = 2; factor <= 1024; factor *= 2) {
    auto small = SmallerCase(state_.task, row_, full_, factor);
    if (!small) break;
    if (small->memory_estimate > kCheap) continue;
    CaseResult part;
    auto inputs = task::GenerateInputs(state_.task, *small, state_.seed);
    if (!inputs.ok()) return "a smaller case: " + part.reason;
    CaseRun run{*small, *inputs, part};
    if (!runner_.TileAndBuild(run)) return "a smaller case: " + part.reason;
    PoisonPadding(*inputs);
    auto packed = Pack(state_.op, *small, *inputs, run.tiling.need_atomic);
    if (!packed.ok()) return packed.error().message;
    if (!runner_.Execute(run, *packed, double(factor))) return "a smaller case: " + part.reason;
    const sim::RunReply& reply = runner_.latest();
    if (reply.exchanged) return "its blocks exchange data in a smaller case";
    const auto time = record::LaunchTimeFromJson(part.modelled);
    if (!time || !time->scaled) return "the smaller case goes too few times around its loop";
    Work work{0, 0, double(OutputBytes(*small))};
    work.Add(reply);
    const double moved = work_.moved / work_.wrote / (work.moved / work.wrote),
                 issued = work_.issued / work_.wrote / (work.issued / work.wrote);
    if (std::max(moved, issued) > kMoreWork ||
        int64_t(run_.tiling.block_dim) <
            std::min(int64_t(run.tiling.block_dim), int64_t(time->cores)))
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
                    {"checked", {{"blocks", ran_}, {"bytes", compared_}}}}}};
    if (time->cube_cores) r.modelled["cube_cores"] = time->cube_cores;
    NoteRange(r.modelled);
    return "";
  }
  return "no smaller case stands for it";
}
}  // namespace

void JudgeTooLarge(SessionState& state, CaseRunner& runner, const task::CaseRow& row,
                   const task::CaseDesc& c, CaseResult& r) {
  if (state.options.expected || state.options.probe || state.task.reference.empty()) return;
  auto rows = RepeatCase(state.task, row, c);
  std::string why = rows.ok() ? "" : rows.error().message;
  if (why.empty()) {
    FullShape f(state, runner, row, c, std::move(*rows), r);
    why = f.Judge();
    if (r.verdict != Verdict::kUndecided) {
      r.skipped = false;
      r.modelled = nullptr;
      return;
    }
    if (why.empty()) {
      r.reason += "; " + std::to_string(f.ran()) + " of its " + std::to_string(r.block_dim) +
                  " blocks were run at full shape and are right";
      if (state.options.time.on) why = f.TimeFromSmaller();
    }
  }
  if (!why.empty())
    r.reason += (state.options.time.on ? "; no time: " : "; not judged at full shape: ") + why;
}

}  // namespace akgen::judge
