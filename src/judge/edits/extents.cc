// Operands, counts and lengths: what lies beside the one that is there.
#include <fmt/core.h>

#include <set>

#include "base/regex.h"
#include "base/text.h"
#include "judge/edits/propose.h"

namespace akgen::judge {
namespace {
// Statements that a spot's own statement gets its parameters from: those of its function that
// define its words.
std::vector<Spot> WithDefinitions(const std::vector<Spot>& spots) {
  std::vector<Spot> out = spots;
  for (const Spot& spot : spots) {
    const auto body = spot.source->BodyAround(spot.statement.begin);
    if (!body) continue;
    for (const TextCall& call : spot.source->CallsIn(spot.statement))
      for (const TextSpan& argument : call.arguments) {
        const std::string word = spot.source->Text(argument);
        if (!std::all_of(word.begin(), word.end(), base::IsWord)) continue;
        for (const TextSpan& s : spot.source->StatementsIn({body->begin, spot.statement.begin})) {
          const auto at = spot.source->WordsIn(s, word);
          const std::string behind = at.empty() ? "" : spot.source->text().substr(at[0].end, 2);
          if (behind.find_first_of("{(=.") < 2) out.push_back({spot.source, s});
        }
      }
  }
  return out;
}

// Elements of every list in brackets of a statement.
std::vector<TextSpan> ElementsIn(const SourceText& source, TextSpan statement) {
  std::vector<TextSpan> out;
  const std::string text = source.Text(statement);
  std::vector<size_t> begins;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '{') begins.push_back(i + 1);
    if (begins.empty() || (c != ',' && c != ')' && c != '}' && c != ';')) continue;
    size_t begin = begins.back(), end = i;
    while (begin < end && text[begin] == ' ') ++begin;
    if (begin < end) out.push_back({statement.begin + begin, statement.begin + end});
    if (c == ',' || c == ';')
      begins.back() = i + 1;
    else
      begins.pop_back();
  }
  return out;
}

bool Balanced(const std::string& text) {
  int depth = 0;
  for (char c : text) {
    depth += c == '(' || c == '[' || c == '{';
    depth -= c == ')' || c == ']' || c == '}';
    if (depth < 0) return false;
  }
  return depth == 0;
}

// What an expression is a step away from: `n` of `n - 1`, `x` of `x[1]`, `rows` of `Rounded(rows)`.
std::vector<std::string> Plainer(const std::string& text) {
  static const base::Regex kStep(R"((.+?)\s*[-+]\s*\d+)"), kHalf(R"((.+?)\s*/\s*2)"),
      kElement(R"((\w+)\[\d+\])"), kCall(R"((?!static_cast|sizeof)\w+\((\w+)\))"),
      kComparison(R"((.+[<>]=?)\s*(.+?)\s*[-+]\s*\d+)");
  std::vector<std::string> out;
  auto add = [&](std::string inner) {
    if (inner.size() > 2 && inner.front() == '(' && inner.back() == ')' &&
        Balanced(inner.substr(1, inner.size() - 2)))
      inner = inner.substr(1, inner.size() - 2);
    if (!inner.empty() && Balanced(inner)) out.push_back(std::move(inner));
  };
  if (const auto m = kComparison.Whole(text)) out.push_back((*m)[1].text + " " + (*m)[2].text);
  for (const base::Regex* r : {&kElement, &kStep, &kHalf, &kCall})
    if (const auto m = r->Whole(text)) add((*m)[1].text);
  return out;
}

void PlainerElements(const Spot& spot, Proposals& out) {
  for (const TextSpan& e : ElementsIn(*spot.source, spot.statement))
    for (const std::string& plain : Plainer(spot.source->Text(e)))
      out.Add({spot.source->Replace(e, plain)});
}

// Headers of the loops of the kernel: they hold the semicolons of no statement.
void PlainerLoops(const ProjectText& project, Proposals& out) {
  for (const SourceText& source : project.kernel)
    for (const TextCall& call : source.CallsIn({0, source.text().size()})) {
      if (call.name != "for") continue;
      PlainerElements({&source, call.whole}, out);
    }
}

// `x[part]` with parts of 32 elements, which begin at a multiple of 32 bytes whatever the dtype,
// everywhere in the function.
void AlignedOffsets(const Spot& spot, Proposals& out) {
  const SourceText& source = *spot.source;
  const auto body = source.BodyAround(spot.statement.begin);
  const std::string text = source.Text(spot.statement);
  std::set<std::string> offsets;
  for (size_t open = text.find('['); open != std::string::npos; open = text.find('[', open + 1)) {
    const size_t close = text.find(']', open);
    if (close != std::string::npos) offsets.insert(text.substr(open + 1, close - open - 1));
  }
  for (const std::string& offset : offsets) {
    if (!body || offset.empty() || !Balanced(offset)) continue;
    Proposal edits;
    for (size_t at = source.text().find(offset, body->begin); at < body->end;
         at = source.text().find(offset, at + offset.size())) {
      const char before = source.text()[at - 1], behind = source.text()[at + offset.size()];
      if (!base::IsWord(before) && !base::IsWord(behind) && before != '.')
        edits.push_back(source.Replace({at, at + offset.size()}, "(" + offset + ") / 32 * 32"));
    }
    for (record::Edit& e : edits) e.text = "(" + e.text + ")";
    out.Add(std::move(edits));
  }
}

// `length - done < tile ? length - done : tile`, as a loop elsewhere clips its last round, for a
// bare `tile`.
void Clipped(const std::vector<Spot>& spots, const ProjectText& project, Proposals& out) {
  static const base::Regex kClip(R"((\w+) - (\w+) < (\w+) \? \1 - \2 : \3)"),
      kIndex(R"(\w+\[(\w+)\])");
  std::set<std::vector<std::string>> clips;
  for (const SourceText& source : project.kernel)
    for (const base::Match& m : kClip.All(source.text()))
      clips.insert({m[1].text, m[2].text, m[3].text});
  for (const Spot& own : spots) {
    const auto index = kIndex.Find(own.source->Text(own.statement));
    if (!index) continue;
    for (const Spot& spot : WithDefinitions({own}))
      for (const auto& clip : clips)
        for (const TextSpan& word : spot.source->WordsIn(spot.statement, clip[2]))
          out.Add({spot.source->Replace(word, fmt::format("({0} - {1} < {2} ? {0} - {1} : {2})",
                                                          clip[0], (*index)[1].text, clip[2]))});
  }
}

// A copy of whole blocks as one of bytes.
void Padded(const Spot& spot, Proposals& out) {
  const SourceText& source = *spot.source;
  for (const TextCall& call : source.CallsIn(spot.statement)) {
    if (call.name != "DataCopy" || call.arguments.size() != 3) continue;
    const std::string to = source.Text(call.arguments[0]), from = source.Text(call.arguments[1]);
    auto element = [&](const std::string& operand) {
      return source.ElementOf("GlobalTensor", operand.substr(0, operand.find('[')));
    };
    const std::string in = element(from), back = element(to), type = in.empty() ? back : in;
    if (type.empty()) continue;
    const std::string length =
        fmt::format("DataCopyExtParams{{1, static_cast<uint32_t>(({}) * sizeof({})), 0, 0, 0}}",
                    source.Text(call.arguments[2]), type);
    out.Add({source.Replace(
        call.whole, fmt::format("DataCopyPad({}, {}, {}{})", to, from, length,
                                in.empty() ? "" : ", DataCopyPadExtParams<" + in + ">{}"))});
  }
}
}  // namespace

void ProposeExtents(const record::Finding& finding, const ProjectText& project, Proposals& out) {
  const std::vector<Spot> own = SpotsOf(finding, project), spots = WithDefinitions(own);
  for (const Spot& spot : spots) PlainerElements(spot, out);
  for (const Spot& spot : own) {
    const auto body = spot.source->BodyAround(spot.statement.begin);
    if (finding.code == "AK1004") AlignedOffsets(spot, out);
    Padded(spot, out);
    // Undefined data come through any statement of the function.
    if (body && finding.code == "AK1102")
      for (const TextSpan& s : spot.source->StatementsIn(*body))
        PlainerElements({spot.source, s}, out);
  }
  Clipped(own, project, out);
  PlainerLoops(project, out);
}

}  // namespace akgen::judge
