#include "serve/model_host.h"

#include <filesystem>

namespace akgen::serve {
using base::Error;
using base::Result;

namespace {
std::string NameOfFolder(const std::string& folder) {
  std::filesystem::path path = std::filesystem::path(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}
}  // namespace

Result<std::unique_ptr<ModelHost>> ModelHost::Start(const Options& options) {
  std::unique_ptr<ModelHost> host(new ModelHost(options));
  for (const std::string& folder : options.folders) {
    if (!generate::IsLocal(folder))
      return Error{"AK0902", "this is no folder of a model", folder,
                   "name one with config.json in it (docs/lm.md)"};
    const std::string name = NameOfFolder(folder);
    if (host->models_.contains(name))
      return Error{"AK0902", "two models have one name", folder,
                   "the last parts of their folders must differ"};
    generate::ModelSettings settings;
    settings.url = folder, settings.name = name;
    auto model = generate::MakeModel(settings, &host->stop_);
    if (!model.ok()) return model.error();
    host->models_.emplace(name, std::move(*model));
  }
  return host;
}

ModelHost::~ModelHost() {
  stop_ = true;  // what runs now ends early
}

std::vector<std::string> ModelHost::Names() const {
  std::vector<std::string> out;
  for (const auto& [name, model] : models_) out.push_back(name);
  return out;
}

bool ModelHost::Ask(const std::string& name, std::vector<generate::Request> requests,
                    std::shared_ptr<Presence> presence, std::function<void(Answers)> then) {
  auto it = models_.find(name);
  if (it == models_.end()) {
    then(Error{"AK0901", "there is no model " + name.substr(0, 100), "model",
               "GET /v1/models lists them"});
    return true;
  }
  return work_.Add([model = it->second.get(), requests = std::move(requests),
                    presence = std::move(presence), then = std::move(then)] {
    std::vector<generate::Answer> all;
    for (const generate::Request& request : requests) {
      if (presence->gone()) return then(Error{"AK0905", "the caller left", "", ""});
      auto answers = model->Ask(request);
      if (!answers.ok()) return then(answers.error());
      for (auto& a : *answers) all.push_back(std::move(a));
    }
    then(std::move(all));
  });
}

}  // namespace akgen::serve
