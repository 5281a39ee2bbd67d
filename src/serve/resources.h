// Texts that an agent can read before it writes a kernel: MCP's resources, and the prompt that says
// where to begin.
#pragma once
#include <string>
#include <vector>

#include "serve/service.h"

namespace akgen::serve {

struct Resource {
  std::string uri, name, title, description, type;  // type: of its text, such as text/markdown
};
// In the order in which they are listed: guide, kernel language, functions, examples, then one for
// each task.
std::vector<Resource> ListResources(const Service& service);
// [{"uriTemplate", "name", "title", "description", "mimeType"}…]: what is too much to list one by
// one.
base::Json ResourceTemplates();

struct ResourceText {
  std::string uri, type, text;
};
// AK0901 no resource has this address; AK0001, AK0708 a file of it is missing or broken.
base::Result<ResourceText> ReadResource(const Service& service, const std::string& uri);

// Kernels that are shown beside the cards of functions: {"name", "text"} each. None of them is a
// task's solution.
base::Json ExampleKernels();

// What prompts/list shows, and what prompts/get answers. AK0902 an argument or the name; errors of
// Service::Task.
base::Json ListPrompts();
base::Result<base::Json> GetPrompt(const Service& service, const std::string& name,
                                   const base::Json& arguments);

}  // namespace akgen::serve
