// The page of a comparison: page/beside.js draws it.
#include "report/beside.h"

#include "report/page.h"
#include "report/page_texts.inc"

namespace akgen::report {
using base::Json;
using record::Comparison;

namespace {
constexpr size_t kMaxOfOne = size_t{64} << 10,
                 kMaxOfAll = size_t{24} << 20;  // bytes of transcripts in a page

// As much of them as a page holds: later ones of a run are left out, and said to be.
class Transcripts {
 public:
  Json Of(const Comparison& comparison) {
    Json out = Json::object();
    for (const auto& [run, list] : comparison.transcripts)
      for (const record::Transcript& t : list) {
        if (room_ == 0)
          ++left_out_;
        else
          out[run].push_back(One(t));
      }
    return out;
  }
  size_t left_out() const { return left_out_; }

 private:
  std::string Text(const std::string& text) {
    std::string out = text.substr(0, std::min(kMaxOfOne, room_));
    room_ -= out.size();
    return out.size() < text.size() ? out + "\n[…]" : out;
  }
  Json One(const record::Transcript& t) {
    Json prompt = Json::array(), answers = Json::array();
    for (const auto& [role, text] : t.prompt)
      prompt.push_back({{"role", role}, {"text", Text(text)}});
    for (const auto& a : t.answers)
      answers.push_back({{"text", Text(a.text)},
                         {"verdict", a.verdict},
                         {"reason", a.reason},
                         {"feedback", Text(a.feedback)},
                         {"modelled_us", a.modelled_us}});
    return {{"task", t.task}, {"sample", t.sample}, {"prompt", prompt}, {"answers", answers}};
  }
  size_t room_ = kMaxOfAll, left_out_ = 0;
};
}  // namespace

std::string BesideHtml(const Comparison& comparison, const std::string& title) {
  Transcripts transcripts;
  Page page;
  page.title = title, page.home = "#/";
  page.footer = "Made from records alone. Modelled time is never measured time.";
  page.body =
      "<noscript>A script draws this page; akgen report --markdown has the same as "
      "text.</noscript>";
  page.style = kBesideCss, page.script = kBesideJs;
  page.data = ToJson(comparison);
  page.data["title"] = title;
  page.data["transcripts"] = transcripts.Of(comparison);
  page.data["transcripts_left_out"] = transcripts.left_out();
  return Render(page);
}

}  // namespace akgen::report
