// What might make a finding go away: the missing half of a pair, an operand or a count beside the
// one that is there. Guesses in order of likelihood; none counts before it was tried
// (judge/edits/try_edits.h).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "judge/edits/source_text.h"
#include "record/verdict.h"

namespace akgen::judge {

// Edits that belong together.
using Proposal = std::vector<record::Edit>;

struct ProjectText {
  std::vector<SourceText> kernel, host;
  const SourceText* Of(std::string_view file) const;
};

std::vector<Proposal> ProposalsFor(const record::Finding& finding, const ProjectText& project);

// Its parts.
class Proposals {
 public:
  void Add(Proposal edits);  // each once
  std::vector<Proposal> Take() { return std::move(all_); }

 private:
  std::vector<Proposal> all_;
};
void ProposeOrder(const record::Finding& finding, const ProjectText& project,
                  Proposals& out);  // order.cc
void ProposeFlags(const record::Finding& finding, const ProjectText& project,
                  Proposals& out);  // flags.cc
void ProposeQueues(const record::Finding& finding, const ProjectText& project,
                   Proposals& out);  // queues.cc
void ProposeExtents(const record::Finding& finding, const ProjectText& project,
                    Proposals& out);  // extents.cc
void ProposeBuffers(const record::Finding& finding, const ProjectText& project,
                    Proposals& out);  // buffers.cc
void ProposeContents(const record::Finding& finding, const ProjectText& project,
                     Proposals& out);  // contents.cc
void ProposeSums(const record::Finding& finding, const ProjectText& project,
                 Proposals& out);  // contents.cc
void ProposeDefinition(const record::Finding& finding, const ProjectText& project,
                       Proposals& out);  // contents.cc

// The statements of a finding's place and of its other side, those that are known.
struct Spot {
  const SourceText* source = nullptr;
  TextSpan statement;
};
std::vector<Spot> SpotsOf(const record::Finding& finding, const ProjectText& project);
std::string PipeOf(const record::Place& place);  // "MTE2" of "AIV0 PIPE_MTE2"

}  // namespace akgen::judge
