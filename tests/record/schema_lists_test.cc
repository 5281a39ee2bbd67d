// docs/schema/judgement.schema.json follows the lists of fields: AKGEN_GOLDEN=write writes into it
// what a list says. What no list describes (findings, outputs, modelled times …) stays as it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "../golden.h"
#include "record/judgement.h"

namespace akgen::record {
namespace {
using Ordered = nlohmann::ordered_json;

// Of a note: "$verdicts" in an enum stands for the names of all.
Ordered SchemaOfNote(const char* text) {
  Ordered out = Ordered::parse(text);
  if (!out.contains("enum")) return out;
  Ordered names = Ordered::array();
  for (const Ordered& name : out["enum"]) {
    if (name != "$verdicts") names.push_back(name);
    for (int v = 0; name == "$verdicts" && v <= int(Verdict::kInfraError); ++v)
      names.push_back(std::string(NameOf(Verdict(v))));
  }
  out["enum"] = names;
  return out;
}

// Properties and required names of a list, in its order.
class SchemaOf {
 public:
  template <class V>
  void Field(const char* key, V& value, base::fields::Note note = {}) {
    Add(key, value, note, !base::fields::IsOptional<V>::value);
  }
  template <class V>
  void Needed(const char* key, V& value, base::fields::Note note = {}) {
    Add(key, value, note, true);
  }
  template <class V>
  void Sparse(const char* key, V& value, base::fields::Note note = {}) {
    Add(key, value, note, false);
  }
  template <class V>
  void Derived(const char* key, V& value, base::fields::Note note = {}) {
    Add(key, value, note, true);
  }
  template <class V>
  void One(const char* key, V& value, base::fields::Note note = {}) {
    Add(key, value, note, false);
  }
  Ordered properties = Ordered::object();
  std::vector<std::string> required;

 private:
  template <class V>
  void Add(const char* key, const V&, base::fields::Note note, bool needed) {
    Ordered one;
    if (*note.schema)
      one = SchemaOfNote(note.schema);
    else if constexpr (std::is_same_v<V, bool>)
      one = {{"type", "boolean"}};
    else if constexpr (std::is_same_v<V, std::string>)
      one = {{"type", "string"}};
    else if constexpr (std::is_unsigned_v<V>)
      one = {{"type", "integer"}, {"minimum", 0}};
    else if constexpr (std::is_floating_point_v<V>)
      one = {{"type", "number"}, {"minimum", 0}};
    else if constexpr (std::is_same_v<V, std::vector<std::string>>)
      one = {{"type", "array"}, {"items", {{"type", "string"}}}};
    else
      ADD_FAILURE() << key << ": its type says no schema, so its note must";
    if (*note.says) one["description"] = note.says;
    properties[key] = one;
    if (needed && !note.added) required.push_back(key);
  }
};

template <class M>
void Put(Ordered& schema) {
  M message;
  SchemaOf of;
  M::EachField(message, of);
  std::sort(of.required.begin(), of.required.end());
  schema["properties"] = of.properties, schema["required"] = of.required;
}

TEST(SchemaLists, OfAJudgement) {
  const std::filesystem::path folder = AKGEN_SCHEMA_FOLDER;
  std::ostringstream text;
  text << std::ifstream(folder / "judgement.schema.json").rdbuf();
  Ordered schema = Ordered::parse(text.str());
  Put<Judgement>(schema);
  Put<CaseRecord>(schema["$defs"]["case"]);
  Put<Provenance>(schema["$defs"]["provenance"]);
  ExpectGolden(folder, "judgement.schema.json", base::DumpInOrder(schema, 1) + "\n");
}

// How many members an aggregate has, its base counting as one: as many as it takes initializers.
struct Anything {
  template <class T>
  operator T() const {
    return T();
  }
};
template <class M, class... Some>
constexpr size_t Members(Some... some) {
  if constexpr (requires { M{some..., Anything{}}; })
    return Members<M>(some..., Anything{});
  else
    return sizeof...(some);
}
struct Counter {
  template <class V>
  void Field(const char*, V&, base::fields::Note = {}) {
    ++count;
  }
  template <class V>
  void Needed(const char*, V&, base::fields::Note = {}) {
    ++count;
  }
  template <class V>
  void Sparse(const char*, V&, base::fields::Note = {}) {
    ++count;
  }
  size_t count = 0;
};
template <class M>
size_t Listed() {
  M message;
  Counter io;
  M::EachField(message, io);
  return io.count;
}

// A member that is not in its list would be lost on its way.
TEST(SchemaLists, NoMemberIsLeftOut) {
  EXPECT_EQ(Listed<CaseFields>(), Members<CaseFields>());
  EXPECT_EQ(Listed<JudgementFields>(), Members<JudgementFields>());
  EXPECT_EQ(Listed<Provenance>(), Members<Provenance>());
}
}  // namespace
}  // namespace akgen::record
