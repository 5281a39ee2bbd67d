// All queues between the same two pipes take the ids of their flags from the same few of the chip:
// a freed buffer keeps one until it is allocated again. A kernel with more buffers than that would
// hang.
#include <algorithm>
#include <numeric>
#include <optional>

#include "craft/passes/lowered.h"

namespace akgen::craft {
namespace {
// A turn of a buffer, from AllocTensor to FreeTensor: where it begins and ends in the text, and the
// innermost loop that it lies in.
struct Turn {
  int first = 0, last = 0;
  const ir::Stmt* loop = nullptr;
};

class Turns {
 public:
  explicit Turns(const LoweredKernel& k) : k_(k), of_(k.roles.size()) {
    Walk(k.kernel.body, nullptr);
  }

  const std::vector<Turn>& Of(size_t buffer) const { return of_[buffer]; }

 private:
  void Walk(const ir::Block& block, const ir::Stmt* loop) {
    for (const auto& s : block) {
      auto hooks = k_.hooks.find(s.get());
      ++at_;
      if (hooks != k_.hooks.end()) Note(hooks->second.before, loop);
      const ir::Stmt* inner = s->kind == ir::Stmt::kFor ? s.get() : loop;
      Walk(s->body, inner);
      Walk(s->other, inner);
      ++at_;
      if (hooks != k_.hooks.end()) Note(hooks->second.after, loop);
    }
  }
  void Note(const std::vector<Hook>& hooks, const ir::Stmt* loop) {
    for (const Hook& h : hooks) {
      if (h.action == Hook::kAlloc) of_[h.buffer].push_back({at_, at_, loop});
      if (h.action == Hook::kFree && !of_[h.buffer].empty()) of_[h.buffer].back().last = at_;
    }
  }

  const LoweredKernel& k_;
  std::vector<std::vector<Turn>> of_;
  int at_ = 0;
};

// The last instruction of a stage that touches a buffer, with the loop over rows that it is in.
std::optional<size_t> LastUse(const StageCode& code, int buffer) {
  std::optional<size_t> last;
  for (size_t i = 0; i < code.instrs.size(); ++i)
    for (const Tile& t : code.instrs[i].tiles)
      if (t.buffer == buffer) last = i;
  const auto same_loop = [&](size_t i) {
    return code.instrs[i].per_row && i + 1 < code.instrs.size() && code.instrs[i + 1].per_row &&
           code.instrs[i + 1].group == code.instrs[i].group;
  };
  while (last && same_loop(*last)) ++*last;
  return last;
}

class EventBudget {
 public:
  explicit EventBudget(LoweredKernel& k) : k_(k), turns_(k) {
    for (size_t b = 0; b < k.roles.size(); ++b) {
      const ir::Buffer& buffer = k.kernel.buffers[b];
      base::Dtype d = buffer.dtype == base::Dtype::kBool ? base::Dtype::kUint8 : buffer.dtype;
      bytes_.push_back(ir::Key(TileBytes(k, buffer.rows, buffer.cols, d)));
    }
  }

  // What costs least comes first: phases that follow each other lose nothing by sharing a queue.
  void Keep(Role role) {
    Share(role, false);
    Narrow(role, 2, 1);
    Share(role, true);
    Narrow(role, 1, 0);
  }

 private:
  bool Over(Role role) const {
    int64_t taken = 0;
    for (size_t b = 0; b < k_.roles.size(); ++b)
      if (k_.roles[b] == role && k_.queue[b] == int(b)) taken += k_.depth[b];
    return taken > k_.target.event_ids;
  }

  // Fewer buffers for queues, from the last on. Of those that are left with one, the earliest read
  // come first: theirs is filled again while the stage goes on.
  void Narrow(Role role, int from, int to) {
    std::vector<size_t> order;
    for (size_t b = k_.roles.size(); b-- > 0;)
      if (k_.roles[b] == role && k_.queue[b] == int(b) && k_.depth[b] == from) order.push_back(b);
    if (to > 0)
      std::stable_sort(order.begin(), order.end(),
                       [&](size_t a, size_t b) { return ReadUntil(a) < ReadUntil(b); });
    for (size_t b : order)
      if (Over(role)) k_.depth[b] = to;
  }

  // The instruction of its stage behind which a buffer that is loaded may be filled again; of
  // several stages the latest.
  size_t ReadUntil(size_t b) const {
    size_t last = 0;
    for (const auto& [stage, code] : k_.code)
      if (auto hooks = k_.hooks.find(stage); hooks != k_.hooks.end())
        for (const Hook& h : hooks->second.after)
          if (h.action == Hook::kFree && h.buffer == int(b) && k_.roles[b] == Role::kIn)
            last = std::max(last, LastUse(code, h.buffer).value_or(0));
    return last;
  }

  void Share(Role role, bool in_one_loop) {
    for (size_t b = 0; b < k_.roles.size() && Over(role); ++b)
      if (k_.roles[b] == role && Users(b) == 1)
        for (size_t owner = 0; owner < b; ++owner)
          if (k_.roles[owner] == role && MayShare(owner, b, in_one_loop)) {
            k_.queue[b] = int(owner);
            k_.depth[owner] = std::max(k_.depth[owner], k_.depth[b]);
            break;
          }
  }

  bool MayShare(size_t owner, size_t b, bool in_one_loop) const {
    if (k_.queue[owner] != int(owner) || bytes_[owner] != bytes_[b]) return false;
    for (size_t other = 0; other < k_.queue.size(); ++other)
      if (k_.queue[other] == int(owner))
        for (const Turn& x : turns_.Of(other))
          for (const Turn& y : turns_.Of(b)) {
            if (x.first <= y.last && y.first <= x.last) return false;
            if (!in_one_loop && x.loop && x.loop == y.loop) return false;
          }
    return true;
  }

  int64_t Users(size_t owner) const {
    return std::count(k_.queue.begin(), k_.queue.end(), int(owner));
  }

  LoweredKernel& k_;
  const Turns turns_;
  std::vector<std::string> bytes_;
};
// What has one buffer alone is filled again while the stage goes on.
void FreeEarly(LoweredKernel& k) {
  for (auto& [stage, code] : k.code) {
    auto hooks = k.hooks.find(stage);
    if (hooks == k.hooks.end()) continue;
    std::erase_if(hooks->second.after, [&, &code = code](const Hook& h) {
      if (h.action != Hook::kFree || k.roles[h.buffer] != Role::kIn ||
          k.depth[k.queue[h.buffer]] != 1)
        return false;
      const auto last = LastUse(code, h.buffer);
      if (last) code.behind[*last].push_back(h);
      return last.has_value();
    });
  }
}
}  // namespace

base::Status EventIds(LoweredKernel& k) {
  k.queue.resize(k.roles.size());
  std::iota(k.queue.begin(), k.queue.end(), 0);
  EventBudget budget(k);
  for (Role role : {Role::kIn, Role::kOut, Role::kMove}) budget.Keep(role);
  FreeEarly(k);
  return {};
}

}  // namespace akgen::craft
