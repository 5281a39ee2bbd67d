// Which other values of an attribute the range group tries, by its type and the published ones.
#include "task/other_values.h"

#include <gtest/gtest.h>

namespace akgen::task {
namespace {
using base::Json;

TEST(OtherValues, ByTypeAndPublishedValues) {
  struct Row {
    const char* type;
    std::vector<Json> published;
    Json other;  // as the task says it; null: by type
    std::vector<Json> values;
  };
  const std::vector<Row> rows = {{"float", {0.5}, {7, 8}, {7, 8}},
                                 {"float", {0.5}, Json::array(), {}},
                                 {"bool", {true}, nullptr, {false}},
                                 {"bool", {false}, nullptr, {true}},
                                 {"bool", {true, false}, nullptr, {}},
                                 {"bool", {1}, nullptr, {}},
                                 {"int", {true}, nullptr, {}},
                                 {"float", {}, nullptr, {}},
                                 {"float", {nullptr, 0.5}, nullptr, {}},
                                 {"float", {"x"}, nullptr, {}},
                                 {"float", {0.00999}, nullptr, {0.25}},
                                 {"float", {-0.00999, 0.001}, nullptr, {0.25}},
                                 {"float", {0.015625}, nullptr, {0.03125, 0.0078125}},
                                 {"float", {-2.0}, nullptr, {-4.0, -1.0}},
                                 {"float", {0.0, 1.0}, nullptr, {1.0, 0.0}},
                                 {"float", {0.25, 0.5}, nullptr, {0.75, 0.125}},
                                 {"float", {0.5, 1.5}, nullptr, {-1.5, 4.5}},
                                 {"float", {-0.5, 0.25}, nullptr, {-0.5, 1.5}},
                                 {"int", {-1}, nullptr, {}},
                                 {"int", {0, 4}, nullptr, {}},
                                 {"int", {-1, 4}, nullptr, {-4, 7}},
                                 {"int", {-5, -2, -9}, nullptr, {-12, 1}},
                                 {"list_int", {-1, 4}, nullptr, {}},
                                 {"string", {"NCHW"}, nullptr, {}}};
  for (const Row& r : rows) {
    AttrSpec attr;
    attr.type = r.type, attr.other = r.other;
    EXPECT_EQ(OtherValues(attr, r.published), r.values)
        << r.type << " " << Json(r.published).dump() << " " << r.other.dump();
  }
}
}  // namespace
}  // namespace akgen::task
