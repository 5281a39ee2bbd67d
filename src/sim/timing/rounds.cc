#include "sim/timing/rounds.h"

#include <algorithm>
#include <map>

#include "sim/ops/table.h"

namespace akgen::sim {
namespace {
bool IsWork(const TraceEvent& e) {
  switch (e.kind) {
    case TraceKind::kVector:
    case TraceKind::kCopyIn:
    case TraceKind::kCopyOut:
    case TraceKind::kCopyUb:
    case TraceKind::kScalarUb:
    case TraceKind::kScalarGm:
    case TraceKind::kCall: return true;
    default: return false;
  }
}

bool Alike(const TraceEvent& a, const TraceEvent& b) {
  return a.kind == b.kind && a.pipe == b.pipe && a.op == b.op && a.site == b.site;
}

// The event that happens once a round: a tile handed over, else a barrier, else a copy. Its index
// in the block.
std::vector<size_t> Anchors(const std::vector<TraceEvent>& events) {
  auto rank = [](const TraceEvent& e) {
    if (e.kind == TraceKind::kSet && e.pipe == AKGEN_PIPE_MTE2) return 1;
    if (e.kind == TraceKind::kBarrier) return 2;
    return e.kind == TraceKind::kCopyIn || e.kind == TraceKind::kCopyOut ? 3 : 0;
  };
  std::map<std::pair<int, uint32_t>, std::vector<size_t>> seen;
  for (size_t i = 0; i < events.size(); ++i)
    if (int r = rank(events[i])) seen[{r, events[i].site}].push_back(i);
  for (int r = 1; r <= 3; ++r) {
    const std::vector<size_t>* best = nullptr;
    for (const auto& [key, at] : seen)
      if (key.first == r && at.size() >= 2 &&
          (!best || at.size() > best->size() || (at.size() == best->size() && at[0] < (*best)[0])))
        best = &at;
    if (best) return *best;
  }
  return {};
}

// Back to the first event of the stage that fetches.
size_t StageBegin(const std::vector<TraceEvent>& events, size_t at, size_t least) {
  while (at > least) {
    const TraceEvent& e = events[at - 1];
    bool fetches =
        e.pipe == AKGEN_PIPE_MTE2 || e.kind == TraceKind::kCall || e.kind == TraceKind::kWork;
    if (!fetches) break;
    --at;
  }
  return at;
}

bool PerRow(
    const TraceEvent& e) {  // a reduction gives one result per row: two rows are two instructions
  return !RowOf(e.op).repeats;
}

TraceEvent Part(TraceEvent e, uint32_t part, uint32_t parts) {
  if (parts == 1 || e.kind == TraceKind::kCall) return e;
  bool copy =
      e.kind == TraceKind::kCopyIn || e.kind == TraceKind::kCopyOut || e.kind == TraceKind::kCopyUb;
  if (copy && e.bursts >= parts) {
    uint16_t each = uint16_t(e.bursts / parts);
    e.address += uint64_t(e.stride) * each * part;
    e.bursts = part + 1 == parts ? uint16_t(e.bursts - each * part) : each;
    return e;
  }
  uint32_t each = e.n / parts / 32 * 32;
  if (each == 0) each = e.n / parts;
  if (copy) e.address += uint64_t(each) * part;
  float share = float(each) / float(std::max(1u, e.n));
  e.n = part + 1 == parts ? e.n - each * part : each;
  e.repeats = (e.repeats + parts - 1) / parts;
  e.bank_reads *= share, e.bank_writes *= share;
  return e;
}

// Adds `e` to `into` when one instruction can do both.
bool Absorb(TraceEvent& into, const TraceEvent& e) {
  switch (e.kind) {
    case TraceKind::kCall: return true;
    case TraceKind::kScalarUb:
    case TraceKind::kScalarGm: into.n += e.n; return true;
    case TraceKind::kVector:
      if (PerRow(e)) return false;
      into.n += e.n, into.repeats += e.repeats, into.bank_reads += e.bank_reads,
          into.bank_writes += e.bank_writes;
      return true;
    case TraceKind::kCopyIn:
    case TraceKind::kCopyOut:
    case TraceKind::kCopyUb: break;
    default: return true;
  }
  if (into.bursts == 1 && e.bursts == 1 && e.address == into.address + into.n)
    return into.n += e.n, true;
  if (e.n != into.n || uint32_t(into.bursts) + e.bursts > 4095) return false;
  int64_t step = into.bursts > 1 ? into.stride : int64_t(e.address - into.address);
  if (e.bursts > 1 && e.stride != step) return false;
  if (e.address != into.address + uint64_t(step) * into.bursts) return false;
  into.stride = step;
  into.bursts = uint16_t(into.bursts + e.bursts);
  return true;
}

std::vector<const TraceEvent*> WorkOf(const Trace& t, const TraceRound& r) {
  std::vector<const TraceEvent*> out;
  for (size_t i = r.begin; i < r.end; ++i)
    if (IsWork(t.blocks()[r.block][i])) out.push_back(&t.blocks()[r.block][i]);
  return out;
}

// One round of the new trace: the synchronisation of `shape`, the work of `pieces`.
bool Emit(const Trace& t, const TraceRound& shape, const std::vector<Piece>& pieces, uint32_t block,
          Trace& out) {
  std::vector<std::vector<const TraceEvent*>> work;
  for (const Piece& p : pieces) work.push_back(WorkOf(t, p.round));
  size_t w = 0;
  uint64_t elements = 0;  // handled one by one since the scalar unit last issued or waited
  for (size_t i = shape.begin; i < shape.end; ++i) {
    TraceEvent e = t.blocks()[shape.block][i];
    // The code around calls is run through once a round, as they are; that around elements once for
    // each of them.
    if (e.kind == TraceKind::kWork && elements)
      e.n =
          uint32_t(std::min<uint64_t>(uint64_t(e.n) * pieces.size() / pieces[0].parts, UINT32_MAX));
    if (e.kind == TraceKind::kScalarUb || e.kind == TraceKind::kScalarGm)
      elements += e.n;
    else if (!HasCount(e.kind))
      elements = 0;
    if (!IsWork(e)) {
      out.Add(block, e);
      continue;
    }
    std::vector<TraceEvent> sum;
    for (size_t p = 0; p < pieces.size(); ++p) {
      if (w >= work[p].size() || !Alike(*work[p][w], e)) return false;
      TraceEvent part = Part(*work[p][w], pieces[p].part, pieces[p].parts);
      if (sum.empty() || !Absorb(sum.back(), part)) sum.push_back(part);
    }
    for (const TraceEvent& s : sum) out.Add(block, s);
    ++w;
  }
  return true;
}
}  // namespace

std::vector<TraceRound> RoundsOf(const Trace& trace, uint32_t block) {
  const std::vector<TraceEvent>& events = trace.blocks()[block];
  std::vector<TraceRound> out;
  size_t least = 0;
  for (size_t at : Anchors(events)) {
    out.push_back({block, StageBegin(events, at, least), events.size()});
    if (out.size() > 1) out[out.size() - 2].end = out.back().begin;
    least = at + 1;
  }
  if (out.size() < 2) return {};
  // The last round ends where it no longer does what the one before did.
  TraceRound &last = out.back(), before = out[out.size() - 2];
  size_t i = last.begin, j = before.begin;
  auto past_work = [&](size_t& at, size_t end) {
    while (at < end && events[at].kind == TraceKind::kWork) ++at;
  };
  for (;; ++i, ++j) {
    past_work(i, last.end), past_work(j, before.end);
    if (i >= last.end || j >= before.end || !Alike(events[i], events[j])) break;
  }
  if (j == before.end) last.end = i;
  return out;
}

std::optional<Trace> Replan(const Trace& trace, const Plan& plan) {
  // The block with most rounds shows how flags go around; its last round is repeated when more are
  // needed.
  std::vector<TraceRound> shape;
  for (uint32_t b = 0; b < trace.blocks().size(); ++b)
    if (auto rounds = RoundsOf(trace, b); rounds.size() > shape.size()) shape = std::move(rounds);
  if (shape.empty()) return std::nullopt;
  const auto& model = trace.blocks()[shape[0].block];
  Trace out(uint32_t(plan.size()), SIZE_MAX);
  out.CopyUse(trace);
  for (uint32_t b = 0; b < plan.size(); ++b) {
    for (size_t i = 0; i < shape[0].begin; ++i) out.Add(b, model[i]);
    for (size_t r = 0; r < plan[b].size(); ++r)
      if (!Emit(trace, shape[std::min(r, shape.size() - 1)], plan[b][r], b, out))
        return std::nullopt;
    for (size_t i = shape.back().end; i < model.size(); ++i) out.Add(b, model[i]);
  }
  return out;
}

}  // namespace akgen::sim
