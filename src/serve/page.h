// The page as HTML: what is under way, the last answers, one of them whole, the form. No script,
// nothing from elsewhere; all that others wrote is text in it.
#pragma once
#include <string>
#include <vector>

#include "serve/service.h"

namespace akgen::serve {

struct PageState {
  std::string host;   // what the request was addressed to
  bool form = false;  // kernels may be pasted
  std::vector<JobState> under_way;
  std::vector<Seen> recent;
  size_t waiting = 0, judging = 0, judges = 0;
};
std::string OverviewPage(const PageState& state);
std::string AnswerPage(const Seen& seen);
std::string WaitingPage(const JobState& job);
struct PageForm {
  std::string task, text, form, error;  // as they were filled in, and what was wrong with them
};
std::string FormPage(const std::vector<task::TaskInfo>& tasks, const PageForm& form);
std::string NoticePage(const std::string& title, const std::string& text);

}  // namespace akgen::serve
