// Values that reach no buffer go; a compute stage that follows another joins it, so that their
// values share temporaries and instructions. Equal values are computed once.
#include <map>

#include "craft/passes/lowered.h"

namespace akgen::craft {
namespace {
void DropDead(ir::Stmt& s) {
  std::vector<bool> live(s.values.size());
  for (size_t i = s.values.size(); i-- > 0;) {
    if (s.values[i].op == ir::Op::kWrite) live[i] = true;
    if (live[i])
      for (int a : s.values[i].args) live[a] = true;
  }
  std::vector<int> moved(s.values.size(), -1);
  std::vector<ir::Value> kept;
  for (size_t i = 0; i < s.values.size(); ++i) {
    if (!live[i]) continue;
    ir::Value v = s.values[i];
    for (int& a : v.args) a = moved[a];
    moved[i] = static_cast<int>(kept.size());
    kept.push_back(std::move(v));
  }
  s.values = std::move(kept);
}

// One value for equal operations on equal operands; a write makes what was read before another
// value.
void JoinEqual(ir::Stmt& s) {
  std::map<std::string, int> seen;
  std::map<int, int> version;  // of each buffer
  std::vector<int> same(s.values.size());
  for (size_t i = 0; i < s.values.size(); ++i) {
    ir::Value& v = s.values[i];
    for (int& a : v.args) a = same[a];
    same[i] = static_cast<int>(i);
    if (v.op == ir::Op::kWrite) {
      ++version[v.buffer];
      continue;
    }
    std::string key(ir::NameOf(v.op));
    key += ir::ShortName(v.dtype);
    if (v.op == ir::Op::kRead)
      key += "b" + std::to_string(v.buffer) + "v" + std::to_string(version[v.buffer]);
    for (int a : v.args) key += "," + std::to_string(a);
    if (v.scalar) key += "s" + ir::ToText(v.scalar);
    for (const ir::S& n : v.numbers) key += "n" + ir::ToText(n);
    key += "[" + ir::Key(v.rows) + "," + ir::Key(v.cols) + "]";
    auto [it, fresh] = seen.insert({key, static_cast<int>(i)});
    if (!fresh) same[i] = it->second;
  }
}

void Fuse(ir::Block& block) {
  ir::Block out;
  for (auto& s : block) {
    Fuse(s->body);
    Fuse(s->other);
    bool stage = s->kind == ir::Stmt::kStage;
    if (stage && !out.empty() && out.back()->kind == ir::Stmt::kStage &&
        out.back()->stage == s->stage) {
      int base = static_cast<int>(out.back()->values.size());
      for (ir::Value v : s->values) {
        for (int& a : v.args) a += base;
        out.back()->values.push_back(std::move(v));
      }
      out.back()->copies.insert(out.back()->copies.end(), s->copies.begin(), s->copies.end());
      continue;
    }
    out.push_back(s);
  }
  for (auto& s : out) {
    if (s->kind != ir::Stmt::kStage) continue;
    JoinEqual(*s);
    DropDead(*s);
  }
  block = std::move(out);
}

ir::Block Copy(const ir::Block& b) {
  ir::Block out;
  for (const auto& s : b) {
    auto c = std::make_shared<ir::Stmt>(*s);
    c->body = Copy(s->body);
    c->other = Copy(s->other);
    out.push_back(c);
  }
  return out;
}
}  // namespace

base::Status StageFusion(LoweredKernel& k) {
  k.kernel.body = Copy(k.kernel.body);  // the checked program stays as it was
  Fuse(k.kernel.body);
  return {};
}

}  // namespace akgen::craft
