// The kernel of each case.
#include "craft/plan/nest_cases.h"

#include <map>

namespace akgen::craft {

NestCases::NestCases(const PlanTask& task, bool rows, const std::set<size_t>& meant)
    : task_(task), rows_(rows), meant_(meant) {
  texts_.resize(task_.cases.size());
  why_.resize(task_.cases.size());
  std::map<std::string, std::vector<size_t>> by_body;
  for (size_t c = 0; c < task_.cases.size(); ++c) {
    structures_.push_back(craft::Structure(task_, task_.cases[c]));
    auto text = Tried([&] {
      return WriteNest(task_, ReadNest(task_, task_.cases[c]), task_.cases[c].column, false);
    });
    if (!text.ok()) {
      why_[c] = text.error();
      continue;
    }
    by_body[text->body].push_back(c);
    texts_[c] = std::move(*text);
  }
  order_.assign(by_body.begin(), by_body.end());
  // Those with most axes first: fewer axes come from extents of one.
  std::stable_sort(order_.begin(), order_.end(), [&](const auto& a, const auto& b) {
    size_t x = texts_[a.second[0]]->extents.size(), y = texts_[b.second[0]]->extents.size();
    return x != y ? x > y : a.second.size() > b.second.size();
  });
}

NestText NestCases::InRows(const std::vector<size_t>& cases) const {
  std::map<std::string, std::pair<int, size_t>> wanted;  // by text: how many, one of them
  for (size_t c : cases) {
    if (!rows_ || (!meant_.empty() && !meant_.count(c))) continue;
    NestText text = WriteNest(task_, ReadNest(task_, task_.cases[c]), task_.cases[c].column, true);
    if (!text.sizes.empty()) ++wanted.insert({text.body, {0, c}}).first->second.first;
  }
  auto best = std::max_element(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) {
    return a.second.first < b.second.first;
  });
  if (best == wanted.end()) return *texts_[cases[0]];
  size_t like = best->second.second;
  return WriteNest(task_, ReadNest(task_, task_.cases[like]), task_.cases[like].column, true);
}

}  // namespace akgen::craft
