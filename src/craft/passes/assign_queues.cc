// Which buffers become queues, and where a queue's tensor is allocated and freed.
//
// A loaded tensor lives from its load to the last statement of the same block that uses it; a
// stored one from the first statement that writes it to its store. Between the pipes it is handed
// over by EnQue and DeQue.
#include <fmt/format.h>

#include "craft/passes/lowered.h"

namespace akgen::craft {
namespace {
using ir::Block;
using ir::StageKind;
using ir::Stmt;

struct Uses {
  bool load = false, store = false, read = false, write = false;
  bool any_compute() const { return read || write; }
};

Uses UsesIn(const Stmt& s, int buffer) {
  Uses u;
  for (const auto* inner : {&s.body, &s.other})
    for (const auto& c : *inner) {
      Uses v = UsesIn(*c, buffer);
      u.load |= v.load, u.store |= v.store, u.read |= v.read, u.write |= v.write;
    }
  for (const ir::Copy& c : s.copies)
    if (c.buffer == buffer) (s.stage == StageKind::kCopyIn ? u.load : u.store) = true;
  for (const ir::Value& v : s.values)
    if (v.buffer == buffer) (v.op == ir::Op::kWrite ? u.write : u.read) = true;
  return u;
}

class Init {
 public:
  explicit Init(LoweredKernel& k) : k_(k) {}

  base::Status Run() {
    for (size_t b = 0; b < k_.kernel.buffers.size() && status_.ok(); ++b)
      Buffer(static_cast<int>(b));
    return status_;
  }

 private:
  void Fail(int buffer, std::string what, std::string fix) {
    const ir::Buffer& b = k_.kernel.buffers[buffer];
    status_ = base::Error{"AK1521", fmt::format("buffer {} {}", b.name, what),
                          fmt::format("line {}", b.place.line), std::move(fix)};
  }

  void Buffer(int b) {
    Stmt all;
    all.body = k_.kernel.body;
    Uses u = UsesIn(all, b);
    Role role = u.load && u.store ? Role::kMove
                : u.load          ? Role::kIn
                : u.store         ? Role::kOut
                                  : Role::kCalc;
    k_.roles.push_back(role);
    if (role == Role::kMove && u.any_compute()) {
      Fail(b, "is loaded, used in compute and stored",
           "store from a buffer of its own: y_ub[:] = ...");
    } else if (role == Role::kIn || role == Role::kMove) {
      Loaded(k_.kernel.body, b, role);
    } else if (role == Role::kOut) {
      Stored(k_.kernel.body, b);
    }
  }

  void Loaded(const Block& block, int b, Role role) {
    for (size_t s = 0; s < block.size() && status_.ok(); ++s) {
      Loaded(block[s]->body, b, role);
      Loaded(block[s]->other, b, role);
      if (block[s]->kind != Stmt::kStage || !UsesIn(*block[s], b).load) continue;
      Hooks& at = k_.hooks[block[s].get()];
      at.before.push_back({Hook::kAlloc, b});
      at.after.push_back({Hook::kEnQue, b});
      size_t first = 0, last = 0;
      for (size_t j = s + 1; j < block.size(); ++j) {
        Uses u = UsesIn(*block[j], b);
        if (u.load) break;
        if (!u.any_compute() && !u.store) continue;
        if (!first) first = j;
        last = j;
      }
      if (!first) {
        at.after.push_back({Hook::kDeQue, b});
        at.after.push_back({Hook::kFree, b});
        continue;
      }
      k_.hooks[block[first].get()].before.push_back({Hook::kDeQue, b});
      k_.hooks[block[last].get()].after.push_back({Hook::kFree, b});
    }
  }

  // True: the block stores the buffer without having written it first; the caller's block must
  // have.
  bool Stored(const Block& block, int b) {
    bool open = false, needs_outer = false;
    for (size_t i = 0; i < block.size() && status_.ok(); ++i) {
      Uses u = UsesIn(*block[i], b);
      if (!u.write && !u.store && !u.read) continue;
      bool inner_outer = false;
      bool self_contained = false;
      if (u.store && u.write) {
        inner_outer = Stored(block[i]->body, b);
        inner_outer = Stored(block[i]->other, b) || inner_outer;
        self_contained = !inner_outer;
      }
      if (self_contained) {
        if (open)
          Fail(b, "is written, then written and stored again in an inner block",
               "store it before, or use two buffers");
        continue;
      }
      if (u.store && u.write) {
        Fail(b, "is stored in a loop that goes on writing it",
             "copy it into another buffer and store that one");
        return false;
      }
      if (u.store) {
        if (!open) {
          needs_outer = true;
          continue;
        }
        size_t last = i;
        while (last + 1 < block.size() && UsesIn(*block[last + 1], b).store &&
               !UsesIn(*block[last + 1], b).write)
          ++last;
        auto& before = k_.hooks[block[i].get()].before;
        before.push_back({Hook::kEnQue, b});
        before.push_back({Hook::kDeQue, b});
        k_.hooks[block[last].get()].after.push_back({Hook::kFree, b});
        open = false;
        i = last;
      } else if (!open) {
        bool stored_later = false;
        for (size_t j = i + 1; j < block.size(); ++j) stored_later |= UsesIn(*block[j], b).store;
        if (!stored_later) continue;  // the outer block opens it
        if (u.read && ReadsFirst(*block[i], b)) {
          Fail(b, "is read after it was stored",
               "keep running values in a buffer that is not stored, and copy it");
          return false;
        }
        k_.hooks[block[i].get()].before.push_back({Hook::kAlloc, b});
        open = true;
      }
    }
    return needs_outer;
  }

  static bool ReadsFirst(const Stmt& s, int b) {
    for (const ir::Value& v : s.values)
      if (v.buffer == b) return v.op == ir::Op::kRead;
    for (const auto* inner : {&s.body, &s.other})
      for (const auto& c : *inner) {
        Uses u = UsesIn(*c, b);
        if (u.read || u.write) return ReadsFirst(*c, b);
      }
    return false;
  }

  LoweredKernel& k_;
  base::Status status_;
};
}  // namespace

base::Status AssignQueues(LoweredKernel& k) { return Init(k).Run(); }

}  // namespace akgen::craft
