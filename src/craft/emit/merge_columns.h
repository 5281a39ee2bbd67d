// One class for all columns of dtypes. Each column's class is printed by itself first; what differs
// between them in types only becomes a template over the dtypes of the operator's tensors, what
// differs otherwise an `if constexpr`. With a column's dtypes for the template's arguments, the
// class says exactly what was printed for that column.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace akgen::craft {

struct ClassPart {
  enum Kind {
    kFixed,         // the same in all columns, up to types
    kStatements,    // may differ: nothing that it declares is used outside of it
    kDeclarations,  // of members: a column may have more of them than it uses
  } kind;
  std::string text;
};
using ClassText = std::vector<ClassPart>;

// The dtype of a tensor of the operator as an argument of the template.
struct TypeParameter {
  std::string name;                // T
  std::vector<std::string> types;  // by column, as C++ spells them
};

struct MergedClass {
  std::string body;
  std::vector<size_t> parameters;  // that it is a template over: indices, rising
};

// `granules`: by column, the number of elements at whose multiples rows of tiles begin. None where
// the columns differ in more than that.
std::optional<MergedClass> MergeColumns(const std::vector<ClassText>& columns,
                                        const std::vector<TypeParameter>& parameters,
                                        const std::vector<int>& granules);

}  // namespace akgen::craft
