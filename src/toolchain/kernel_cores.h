// Which cores a block of a kernel starts, as its source says.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace akgen::toolchain {

// Cube cores and Vector cores, 16 bits each from the lowest on, by a qualifier, a kernel type or
// objects of the Matmul library. 0: nothing says. `code` has no comments and literals.
uint32_t CoresIn(const std::string& code, std::string_view kernel);

// The kernel type that the qualifier __cube__, __vector__ or __mix__ says in the text between
// __global__ and the kernel's name; "": there is none.
std::string_view TypeByQualifier(const std::string& head);

}  // namespace akgen::toolchain
