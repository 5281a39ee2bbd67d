#include "mutate/mutate.h"

#include <algorithm>
#include <map>
#include <random>

#include "mutate/operators.h"

namespace akgen::mutate {
using base::Json;

const std::vector<MutationOperator>& Operators() {
  static const std::vector<MutationOperator> table = {
      {"order", "drop_flag", "a SetFlag, a WaitFlag, or both of a pair are gone", FindDropFlag},
      {"order", "swap_flag", "a flag names the pipes in reverse", FindSwapFlag},
      {"order", "wrong_event_id", "a flag has another event id, or one the chip does not have",
       FindWrongEventId},
      {"order", "drop_barrier", "a PipeBarrier, SyncAll or cross-core flag is gone",
       FindDropBarrier},
      {"order", "drop_queue_call", "an EnQue or FreeTensor is gone", FindDropQueueCall},
      {"order", "free_early", "a tensor is freed before its last use", FindFreeEarly},
      {"place", "shrink_buffer", "a buffer is half as long", FindShrinkBuffer},
      {"place", "shift_offset", "an access starts further on than it should", FindShiftOffset},
      {"place", "break_alignment", "an operand in UB starts at no multiple of 32 bytes",
       FindBreakAlignment},
      {"place", "cut_tail", "the last elements of an operation are left out", FindCutTail},
      {"place", "skip_round", "the last round of a loop is left out", FindSkipRound},
      {"value", "wrong_repeat", "one repeat or block too few or more than the field holds",
       FindWrongRepeat},
      {"value", "wrong_mask", "a mask that leaves elements out or has more than a repeat",
       FindWrongMask},
      {"value", "wrong_stride", "a stride between blocks or repeats is off", FindWrongStride},
      {"value", "wrong_cast_mode", "a cast rounds another way", FindWrongCastMode},
      {"value", "narrow_accumulate", "a value is held in half instead of float",
       FindNarrowAccumulate},
      {"place", "skip_block", "the last block does nothing, or a block takes another one's share",
       FindSkipBlock},
      {"cube", "wrong_cube_field", "a field of a Cube instruction's parameters is off",
       FindWrongCubeField},
      {"cube", "wrong_unit_flag", "an instruction takes or leaves no unit flags where it should",
       FindWrongUnitFlag},
      {"schedules", "wrong_flag_pipe",
       "a cross-core flag is set by a pipe that does not do the work", FindWrongFlagPipe},
      {"schedules", "early_signal",
       "other blocks are told before the work in front of the signal is issued", FindEarlySignal},
      {"definition", "wrong_definition",
       "the operator's definition does not fit the task, the chip or its own names",
       FindWrongDefinition},
      {"cache", "unclean_line",
       "SetValue or GetValue of Global Memory beside a copy, its line not cleaned",
       FindUncleanLine},
      {"roles", "undefined_role", "a mask, index, offset or number that is read is never written",
       FindUndefinedRole},
      {"ids", "queue_event", "an event of a queue's is set or waited for by hand", FindQueueEvent},
      {"workspace", "small_workspace", "tiling asks for less workspace than the kernel uses",
       FindSmallWorkspace},
      {"temporaries", "small_temporary",
       "a library function's temporary is smaller than its minimum", FindSmallTemporary},
  };
  return table;
}

std::vector<Mutation> FindMutations(const SourceIndex& index,
                                    const std::vector<std::string>& classes) {
  std::vector<Mutation> out;
  for (const auto& op : Operators()) {
    if (!classes.empty() && std::find(classes.begin(), classes.end(), op.klass) == classes.end())
      continue;
    size_t first = out.size();
    op.find(index, &out);
    for (size_t i = first; i < out.size(); ++i) {
      out[i].klass = op.klass;
      out[i].kind = op.kind;
      std::sort(out[i].edits.begin(), out[i].edits.end(),
                [](auto& a, auto& b) { return a.span.begin < b.span.begin; });
    }
  }
  return out;
}

namespace {
// Of what there is to choose from, so that each kernel starts with other classes.
uint64_t Mixed(uint64_t seed, const std::vector<Mutation>& all) {
  uint64_t h = seed;
  for (const Mutation& m : all)
    h = (h ^ m.edits.front().span.begin) * 0x9e3779b97f4a7c15ull + (h >> 29);
  return h;
}
// std::shuffle differs between libraries.
template <typename T>
void Shuffle(std::vector<T>& list, std::mt19937_64& random) {
  for (size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random() % i]);
}
}  // namespace

std::vector<Mutation> Choose(std::vector<Mutation> all, size_t count, uint64_t seed) {
  if (all.size() <= count) return all;
  std::mt19937_64 random(Mixed(seed, all));
  std::map<std::string, std::vector<size_t>> by_class;
  for (size_t i = 0; i < all.size(); ++i) by_class[all[i].klass].push_back(i);
  std::vector<std::vector<size_t>> lists;
  for (auto& [name, list] : by_class) {
    Shuffle(list, random);
    lists.push_back(std::move(list));
  }
  Shuffle(lists, random);
  std::vector<size_t> taken;
  for (size_t round = 0; taken.size() < count; ++round)
    for (const auto& list : lists)
      if (round < list.size() && taken.size() < count) taken.push_back(list[round]);
  std::sort(taken.begin(), taken.end());
  std::vector<Mutation> out;
  for (size_t i : taken) out.push_back(std::move(all[i]));
  return out;
}

std::string Apply(const SourceIndex& index, const Mutation& m) {
  std::string text = index.files[m.file].text;
  for (auto e = m.edits.rbegin(); e != m.edits.rend(); ++e)
    text.replace(e->span.begin, e->span.end - e->span.begin, e->text);
  return text;
}

FaultLabel LabelOf(const SourceIndex& index, const Mutation& m) {
  const std::string& text = index.files[m.file].text;
  size_t from = m.edits.front().span.begin, to = m.edits.back().span.end;
  size_t begin = text.rfind('\n', from == 0 ? 0 : from - 1), end = text.find('\n', to);
  begin = begin == std::string::npos ? 0 : begin + 1;
  end = end == std::string::npos ? text.size() : end;
  const std::string changed = Apply(index, m);
  FaultLabel out{m.klass,
                 m.what,
                 index.files[m.file].name,
                 index.LineAt(m.file, from),
                 text.substr(begin, end - begin),
                 changed.substr(begin, end - begin + changed.size() - text.size()),
                 "",
                 {}};
  out.planted = {m.kind, m.rule, index.LineAt(m.file, to), m.detectors, {}};
  std::vector<FaultLabel::Lines>& lines = out.planted->lines;
  for (const LineRange& r : m.lines) {
    const FaultLabel::Lines one{index.files[r.file].name, r.first, r.last};
    if (std::find(lines.begin(), lines.end(), one) == lines.end()) lines.push_back(one);
  }
  return out;
}

Json ToJson(const FaultLabel& l) {
  Json out{{"class", l.klass}, {"what", l.what},         {"file", l.file},
           {"line", l.line},   {"original", l.original}, {"mutated", l.mutated}};
  if (!l.why.empty()) out["why"] = l.why;
  if (!l.planted) return out;
  out["kind"] = l.planted->kind, out["rule"] = l.planted->rule,
  out["end_line"] = l.planted->end_line;
  out["detectors"] = l.planted->detectors, out["lines"] = Json::array();
  for (const FaultLabel::Lines& r : l.planted->lines)
    out["lines"].push_back({{"file", r.file}, {"first", r.first}, {"last", r.last}});
  return out;
}

}  // namespace akgen::mutate
