#include "judge/edits/propose.h"

#include <algorithm>

namespace akgen::judge {

const SourceText* ProjectText::Of(std::string_view file) const {
  for (const auto* half : {&kernel, &host})
    for (const SourceText& source : *half)
      if (source.file() == file) return &source;
  return nullptr;
}

void Proposals::Add(Proposal edits) {
  if (!edits.empty() && std::find(all_.begin(), all_.end(), edits) == all_.end())
    all_.push_back(std::move(edits));
}

std::vector<Spot> SpotsOf(const record::Finding& f, const ProjectText& project) {
  std::vector<Spot> out;
  for (const record::Place* place : {&f.place, f.other ? &*f.other : nullptr}) {
    if (!place) continue;
    const SourceText* source = project.Of(place->file);
    const auto statement = source ? source->StatementAt(place->line) : std::nullopt;
    if (statement && (out.empty() || out[0].statement != *statement || out[0].source != source))
      out.push_back({source, *statement});
  }
  return out;
}

std::string PipeOf(const record::Place& place) {
  const size_t at = place.pipe.rfind("PIPE_");
  return at == std::string::npos ? "" : place.pipe.substr(at + 5);
}

namespace {
using Propose = void (*)(const record::Finding&, const ProjectText&, Proposals&);
struct Row {
  std::string_view codes;  // parted by blanks
  std::vector<Propose> parts;
};

const std::vector<Row>& Rows() {
  static const std::vector<Row> kRows{
      {"AK1201 AK1202 AK1203", {ProposeFlags, ProposeQueues, ProposeOrder, ProposeExtents}},
      {"AK1301 AK1302 AK1303 AK1304 AK1601 AK1603", {ProposeFlags, ProposeQueues}},
      {"AK1008 AK1402 AK1403 AK1404 AK1405", {ProposeQueues, ProposeBuffers}},
      {"AK1001 AK1003 AK1401 AK1406", {ProposeExtents, ProposeBuffers}},
      {"AK1002 AK1004 AK1005 AK1007 AK1103 AK1501 AK1502 AK1503 AK1504", {ProposeExtents}},
      {"AK1101 AK1102", {ProposeSums, ProposeExtents, ProposeContents}},
      {"AK1210", {ProposeContents, ProposeExtents}},
      {"AK1211 AK1212 AK1213 AK1306", {ProposeContents}},
      {"AK3014", {ProposeDefinition}},
  };
  return kRows;
}
}  // namespace

std::vector<Proposal> ProposalsFor(const record::Finding& finding, const ProjectText& project) {
  Proposals out;
  for (const Row& row : Rows())
    if (row.codes.find(finding.code) != std::string_view::npos)
      for (Propose part : row.parts) part(finding, project, out);
  return out.Take();
}

}  // namespace akgen::judge
