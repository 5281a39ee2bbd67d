// A kernel's source as the mutation operators look at it: which pipe a call uses, which queue or
// buffer a tensor belongs to, which lines touch it. Read from names and types alone, so an answer
// may include too much.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mutate/mutate.h"

namespace akgen::mutate {

class KernelView {
 public:
  explicit KernelView(const SourceIndex& index);
  const SourceIndex& index() const { return index_; }

  bool IsLocal(const SourceCall& near, const std::string& name) const {
    return TypeOf(near, name) == 'l';
  }
  bool IsGlobal(const SourceCall& near, const std::string& name) const {
    return TypeOf(near, name) == 'g';
  }
  // First identifier of an expression: "x" for "x[3 * n]" and "this->x".
  static std::string FirstName(const std::string& text);
  static std::set<std::string> Names(const std::string& text);

  // "MTE2", "MTE3", "V", "S" for accesses, "" for everything else.
  std::string PipeOf(const SourceCall& c) const;
  // The tensors (by root name) a call touches, and the queue or buffer a tensor of this function
  // comes from.
  std::set<std::string> TensorsOf(const SourceCall& c) const;
  std::string SourceOf(const SourceCall& near, const std::string& tensor) const;
  std::string ScopeOf(const SourceCall& c) const;

  LineRange LinesOf(const SourceCall& c) const { return LinesOf(c.file, c.whole); }
  LineRange LinesOf(size_t file, Span s) const {
    return {file, index_.LineAt(file, s.begin), index_.LineAt(file, s.end)};
  }
  // The names under which this queue or buffer travels: where it is passed to a function, its
  // parameter has another.
  std::set<std::string> NamesOfQueue(const std::string& queue) const;
  // Accesses of tensors that come from this queue or buffer, under any of its names.
  std::vector<LineRange> UsesOfQueue(const std::string& queue) const;
  // Calls that name this variable, in the same function or, for a member, anywhere.
  std::vector<LineRange> UsesOf(const std::string& name) const;
  // The accesses of two pipes that one flag orders: those of either pipe that share a tensor, else
  // all of both.
  std::vector<LineRange> Ordered(const std::string& from, const std::string& to) const;
  // Accesses of one pipe ("ALL": of any).
  std::vector<LineRange> Accesses(const std::string& pipe) const;

 private:
  void FollowQueues();
  char TypeOf(const SourceCall& near, const std::string& name) const;
  std::string Root(const std::string& scope, std::string name) const;

  const SourceIndex& index_;
  std::map<std::string, std::map<std::string, char>>
      type_;  // scope → name → l(ocal), g(lobal), other
  std::map<std::string, std::map<std::string, std::string>>
      alias_;  // scope → tensor → tensor it is a part of
  std::map<std::string, std::map<std::string, std::string>> source_;  // scope → tensor → queue
  std::map<std::string, std::set<std::string>>
      passed_;                      // queue → its names one call further in or out
  std::vector<std::string> pipes_;  // by call
};

// Calls by name, and the edits operators make.
// AllocTensor, EnQue, DeQue and FreeTensor of this queue, under any of its names.
std::vector<LineRange> CallsOfQueue(const KernelView& view, const std::string& queue);
std::vector<const SourceCall*> CallsNamed(const SourceIndex& index,
                                          std::initializer_list<const char*> names);
Edit Remove(const SourceCall& c);  // the call becomes (void)0
Edit Replace(Span span, std::string text);
// Is a statement ended just before it, so that another one may be put there?
bool StartsStatement(const SourceIndex& index, const SourceCall& c);
Edit Append(const SourceIndex& index, size_t file, Span expression,
            const std::string& tail);  // (expression) tail

}  // namespace akgen::mutate
