// TOML without exceptions, compiled once, in toml.cc.
#pragma once
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 0
#include <toml++/toml.h>
