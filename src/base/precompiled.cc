// Nothing: CMake compiles the precompiled header for a target that has a source.
