// What becomes training data: journals, corpora, chat sets, answers of a model to problems,
// documents.
#include "corpus/export/export.h"
#include "corpus/export/formats.h"
#include "corpus/export/shipping.h"
#include "corpus/records/card.h"
#include "corpus/records/task_records.h"
#include "corpus/teach/units.h"
#include "fuzz.h"
#include "generate/journal.h"
#include "learn/prefer.h"

namespace akgen::fuzz {
namespace {
using base::Json;
using base::Status;

std::string Seed(const char* name) {
  return *base::ReadFile(std::filesystem::path(AKGEN_FUZZ_SEEDS) / name);
}

// What a third-party journal becomes in every format; a sample at least, or the journal was not
// looked into.
AKGEN_DOOR(kPairs, "journals, exported", {Seed("journal_sealed.jsonl")},
           [](const std::string& text) {
             return DepthOf(
                 base::Checked(
                     "fuzz",
                     [&]() -> Status {
                       auto tries = corpus::TriesFromJournal(Written("pairs.jsonl", text));
                       if (!tries.ok()) return tries.error();
                       for (const char* setting : {"order", "paper"}) {
                         corpus::PairOptions options;
                         options.setting = setting;
                         const corpus::Built built = corpus::Build(*tries, options);
                         if (auto s = corpus::Export(built, *tries, options, Folder() / "pairs");
                             !s.ok())
                           return s;
                         if (built.passes.empty())
                           return base::Error{"AK0801", "no answer to learn from", "", ""};
                       }
                       return {};
                     }),
                 text);
           });

Status Shipped(const std::string& records, const std::string& general) {
  Written("corpus/synthetic/records.jsonl", records);
  corpus::ShippingOptions options;
  options.general = Written("general.jsonl", general).string(), options.general_share = 0.5;
  options.answers = {"craft", "direct", "operations"};
  auto shipped = corpus::Ship(Folder() / "corpus", Folder() / "shipped", options);
  if (!shipped.ok()) return shipped.error();
  (void)corpus::ToJson(*shipped);
  static const corpus::Benchmark kNone;
  if (auto card = corpus::WriteCard(Folder() / "corpus", kNone); !card.ok()) return card.error();
  return shipped->general ? Status() : base::Error{"AK0801", "no conversation", "", ""};
}

const std::string kGeneral =
    "{\"messages\": [{\"role\": \"system\", \"content\": \"s\"}, {\"role\": \"user\", \"content\": "
    "\"u\"}, {\"role\": "
    "\"assistant\", \"content\": \"a\"}]}\n{\"conversations\": [{\"from\": \"human\", \"value\": "
    "\"u\"}, {\"from\": "
    "\"gpt\", \"value\": \"a\"}]}\n";

AKGEN_DOOR(kCorpora, "records of corpora", {Seed("records.jsonl")}, [](const std::string& text) {
  return DepthOf(base::Checked("fuzz", [&] { return Shipped(text, kGeneral); }), text);
});

AKGEN_DOOR(kChats, "chat sets", {kGeneral}, [](const std::string& text) {
  return DepthOf(base::Checked("fuzz", [&] { return Shipped(Seed("records.jsonl"), text); }), text);
});

AKGEN_DOOR(
    kProblems, "answers to problems",
    {R"({"kind": "problem", "id": "composed 1 2", "composed": true, "operations": "add", "inputs_seed": 7,
         "planner": {"verdict": "pass", "sealed": true, "reason": "", "text": "p", "us": 20, "range_us": [19, 21]},
         "answers": [{"verdict": "pass", "sealed": true, "text": "a", "us": 10, "range_us": [9, 11], "tokens": 5},
                     {"verdict": "pass", "sealed": true, "text": "b", "us": 30, "range_us": [29, 31], "redraws": 1},
                     {"verdict": "wrong_answer", "sealed": true, "text": "c", "reason": "r", "finish": "stop"},
                     {"verdict": "no_code", "sealed": true, "text": "d"}]})"},
    [](const std::string& text) {
      return DepthOf(
          base::Checked(
              "fuzz",
              [&]() -> Status {
                const Json json = base::Parse(text);
                if (json.is_discarded()) return base::Error{"AK0014", "no JSON", "", ""};
                const auto line = learn::ProblemLineFromJson(json);
                if (!line) return base::Error{"AK0014", "another line", "", ""};
                learn::PreferOptions options;
                options.time = true;
                corpus::FormatWriter formats(Folder() / "own", corpus::FormatNames());
                for (const auto& p : learn::PairsOf(*line, options))
                  formats.Add(corpus::Preference{
                      {{"user", line->operations}}, "", p.chosen, "", p.rejected, line->id});
                (void)learn::ToJson(*line);
                return formats.Close();
              }),
          text);
    });

AKGEN_DOOR(kHeldout, "lists of held-out tasks",
           {R"({"tasks": {"Norm": ["RmsNorm", "LayerNorm"], "Math": ["Sqrt"]}})"},
           [](const std::string& text) {
             return DepthOf(corpus::ReadHeldout(Written("heldout.json", text)), text);
           });

// Documents have no syntax to break: whatever is text is cut into units.
AKGEN_DOOR(kDocuments, "documents",
           {"<html><head><style>p {}</style></head><body><h1>Add</h1><p>Adds <code>x</code> &amp; "
            "y.</p><!-- no -->"
            "<pre>a\nb</pre><ul><li>one</li></ul><table><tr><td>1</td></tr></table></body></html>",
            "# Add\n\nAdds two tensors.\n\n```cpp\nAdd(z, x, y, n);\n```\n\n## Constraints\n\n- 32 "
            "bytes\n"},
           [](const std::string& text) {
             const corpus::TextRead read = corpus::ReadText(Written("page.html", text));
             (void)corpus::CutMarkdown(corpus::MarkdownOfHtml(read.text));
             (void)corpus::CutMarkdown(read.text);
             return read.refused.empty() ? Depth::kTaken : Depth::kRefused;
           });
}  // namespace
}  // namespace akgen::fuzz
