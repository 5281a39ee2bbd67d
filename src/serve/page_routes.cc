// GET /: the page. Everybody sees what was asked under the own name or address; kernels are taken
// from the form only where the server was told so.
#include "generate/generator.h"
#include "serve/access.h"
#include "serve/adapters.h"
#include "serve/handlers.h"
#include "serve/page.h"
#include "serve/submission.h"

namespace akgen::serve {

namespace {
constexpr size_t kMaxRows = 100;

Response HtmlReply(std::string html, int status = 200, int again_s = 0) {
  Response r;
  r.status = status, r.body = std::move(html), r.type = "text/html; charset=utf-8";
  r.headers = {
      {"Cache-Control", "no-store"},
      {"Content-Security-Policy", "frame-ancestors 'none'; form-action 'self'; base-uri 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "same-origin"}};
  if (again_s > 0) r.headers.emplace_back("Refresh", std::to_string(again_s));
  return r;
}

Response Overview(Service& service, const Request& request, bool form) {
  const ServiceLoad load = service.Load();
  PageState s{request.Header("host"),
              form,
              service.UnderWay(request.caller, kMaxRows),
              service.Recent(request.caller, kMaxRows),
              load.waiting,
              load.judging,
              load.judges};
  return HtmlReply(OverviewPage(s), 200, 5);
}

// Files as they were judged, in place of the text that they were taken out of: findings name their
// lines.
void TakeCodeOut(const Service& service, JudgeWork& work) {
  auto task = service.Task(work.task);
  auto target = craft::LoadTarget(work.chip);
  if (work.candidate.text.empty() || !task.ok() || !target.ok()) return;
  const auto way =
      work.candidate.form == Form::kProgram ? generate::Way::kCraft : generate::Way::kDirect;
  auto made = generate::MakeFrom(way, work.candidate.text, *task, *target,
                                 work.candidate.form == Form::kKernel);
  if (!made.files.empty()) work.candidate.files = std::move(made.files);
}

Response OneRecord(Service& service, const Request& request) {
  const std::string& id = request.Part("id");
  if (auto seen = service.Find(id, request.caller)) {
    if (auto* work = std::get_if<JudgeWork>(&seen->work)) TakeCodeOut(service, *work);
    return HtmlReply(AnswerPage(*seen));
  }
  if (auto state = service.State(id, request.caller); state && !state->answer)
    return HtmlReply(WaitingPage(*state), 200, 2);
  return HtmlReply(
      NoticePage("Nothing here", "No recent job of yours has this id: the last 200 are kept."),
      404);
}

// application/x-www-form-urlencoded: the query of a target.
PageForm FieldsOf(const Request& request, bool& timeline) {
  std::string path;
  std::map<std::string, std::string> fields;
  if (!ParseTarget("/?" + request.body, path, fields))
    return {"", "", "", "The form is malformed."};
  timeline = fields.contains("timeline");
  PageForm form;
  for (const auto& [name, to] :
       {std::pair{"task", &form.task}, {"text", &form.text}, {"form", &form.form}})
    if (const auto at = fields.find(name); at != fields.end()) *to = at->second;
  std::erase(form.text, '\r');  // browsers end lines with both
  return form;
}

Response JudgeForm(Service& service, const Request& request) {
  bool timeline = false;
  PageForm form = FieldsOf(request, timeline);
  auto refuse = [&](const base::Error& e) {
    form.error = e.message + (e.where.empty() ? "" : " (" + e.where + ")") +
                 (e.fix.empty() ? "" : ": " + e.fix);
    return HtmlReply(FormPage(service.Tasks(), form), 422);
  };
  if (!form.error.empty()) return HtmlReply(FormPage(service.Tasks(), form), 422);
  Submission s = TextSubmission(form.task, form.text, request.caller);
  auto& work = std::get<JudgeWork>(s.work);
  if (!form.form.empty()) {
    const auto named = FormFromName(form.form);
    if (!named) return refuse({"AK0902", "there is no such form", form.form.substr(0, 50), ""});
    work.candidate.form = *named;
  }
  work.spans = work.advise = timeline;
  auto told = std::make_shared<std::optional<base::Error>>();
  auto mutex = std::make_shared<std::mutex>();
  const std::string id = service.Submit(std::move(s), [told, mutex](const Answer& a) {
    std::lock_guard lock(*mutex);
    if (a.ending != Ending::kDone) *told = a.error;
  });
  std::lock_guard lock(*mutex);
  if (*told) return refuse(**told);
  Response r = HtmlReply("", 303);
  r.headers.emplace_back("Location", "/records/" + id);
  return r;
}
}  // namespace

void AddPage(Router& router, Service& service, bool form) {
  router.OnPlain("GET", "/", [&service, form](const Request& request) {
    return Overview(service, request, form);
  });
  router.OnPlain("GET", "/records/{id}",
                 [&service](const Request& request) { return OneRecord(service, request); });
  if (!form) return;
  router.OnPlain("GET", "/judge", [&service](const Request&) {
    return HtmlReply(FormPage(service.Tasks(), PageForm()));
  });
  router.OnPlain("POST", "/judge",
                 [&service](const Request& request) { return JudgeForm(service, request); });
}

}  // namespace akgen::serve
