// Schemas of what the server takes and gives, and a check of arguments by them: OpenAPI and MCP
// describe the same things.
#pragma once
#include <string>

#include "base/json.h"
#include "base/status.h"

namespace akgen::serve {

base::Json Typed(const char* type, const char* description = "");
base::Json OneOf(std::initializer_list<const char*> words);
base::Json ListOf(base::Json items, const char* description = "");

base::Json ObjectOf(base::Json properties,
                    base::Json required = base::Json::array());     // and nothing else
base::Json OpenObject(base::Json properties, base::Json required);  // further members may be there
base::Json PropertiesOf(const base::Json& schema);
// An object's schema without some of its members, and with others.
base::Json PartOf(base::Json schema, std::initializer_list<const char*> without,
                  const base::Json& with);
base::Json Between(int least, int most, const char* description);  // a whole number
base::Json WithMaxLength(base::Json schema, size_t bytes);

// Of docs/schema by the name of their file; without the files anything goes.
base::Json RecordSchemas();
base::Json SubmissionSchema();  // what ReadSubmission reads
base::Json AnswerSchema();      // what ToReply says; refers to #/components/schemas/judgement
base::Json SummarySchema();     // what SummaryOf says, with $defs of docs/schema

// AK0902 at the first member that `schema` does not allow. Of the schema it reads type, required,
// properties, additionalProperties, enum, items, minimum, maximum and maxLength.
base::Status CheckBySchema(const base::Json& schema, const base::Json& value,
                           const std::string& where);

}  // namespace akgen::serve
