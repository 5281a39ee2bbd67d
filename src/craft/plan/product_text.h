// Programs of parts as functions of one program; for plan/ only.
#pragma once
#include <string>
#include <vector>

namespace akgen::craft {

// Rules give an output as many elements as it has; where it is read again its dimensions are told,
// too: in the function that makes it, and in those on the way there. Gives output number `output`
// of a function of this text these extents; what the caller passes for that.
std::string InShape(std::string& text, const std::string& function, size_t output,
                    const std::vector<std::string>& extents);
// A part's functions under names of their own.
std::string OwnNames(const std::string& text, const std::string& number, bool beside_products);

}  // namespace akgen::craft
