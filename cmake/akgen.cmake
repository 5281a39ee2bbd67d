# Build helpers: one static library per module, linked as cmake/layers.txt allows.
# Fields that a braced list leaves out are zero or empty in C++; libstdc++ 12 uses what it deprecates (stable_sort).
add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -Wno-deprecated-declarations
                    -fno-omit-frame-pointer)
if(AKGEN_WERROR)
  add_compile_options(-Werror)
endif()
if(AKGEN_SANITIZE)
  add_compile_options(-fsanitize=${AKGEN_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${AKGEN_SANITIZE})
  if(AKGEN_SANITIZE MATCHES undefined)
    # Its check of virtual tables probes memory through pipes, which the confined children may not make.
    add_compile_options(-fno-sanitize=vptr)
  endif()
  add_compile_definitions(AKGEN_SANITIZED=1)
endif()
# Executables and libraries share precompiled headers, so all is compiled as for a library.
add_compile_options(-fPIC)
# Without the time of day in them, precompiled headers of two checkouts are the same file to a compiler cache.
add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
# The instruction sets that are taken for granted; of another processor, what it always has.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(AKGEN_X86 ON)
else()
  add_compile_options(-fsigned-char -ffp-contract=off)  # as on x86-64 without FMA, which nothing else is compiled with
endif()
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Compilers allocate much, and jemalloc is quicker at it. What a cache has to overlook where headers are precompiled: manual of
  # ccache, "Precompiled headers". What a source depends on is taken from the compiler, not from a run of its
  # preprocessor, so a miss costs nothing more.
  find_library(JEMALLOC NAMES libjemalloc.so.2)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env)
  if(JEMALLOC)
    list(APPEND CMAKE_CXX_COMPILER_LAUNCHER LD_PRELOAD=${JEMALLOC})
  endif()
  list(APPEND CMAKE_CXX_COMPILER_LAUNCHER CCACHE_DEPEND=1
       CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

# A library that not every executable has a use for: $<LINK_LIBRARY:AS_NEEDED,…>.
set(CMAKE_LINK_LIBRARY_USING_AS_NEEDED "LINKER:--push-state,--as-needed" "<LINK_ITEM>" "LINKER:--pop-state")
set(CMAKE_LINK_LIBRARY_USING_AS_NEEDED_SUPPORTED TRUE)

# akgen_precompiled(TARGET [HEADER]): the target shares src/base/precompiled.h, or has a header of its own.
# Sources with other instruction sets or another floating-point mode can have neither: akgen_own_flags(FLAGS SOURCES...).
function(akgen_precompiled target)
  if(AKGEN_PCH AND ARGC GREATER 1)
    target_precompile_headers(${target} PRIVATE ${ARGV1})
  elseif(AKGEN_PCH)
    target_precompile_headers(${target} REUSE_FROM akgen_precompiled)
  endif()
endfunction()
function(akgen_own_flags flags)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${flags}" SKIP_PRECOMPILE_HEADERS ON)
endfunction()

file(STRINGS ${CMAKE_SOURCE_DIR}/cmake/layers.txt AKGEN_LAYER_LINES REGEX "^[a-z]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/layers.txt)

# akgen_module(name [SOURCES ...] [LINK ...] [PRECOMPILED HEADER]): the library akgen_<name>.
# PRECOMPILED: a header of its own, for a module that differs from the others by its language or what it includes.
# Without SOURCES every .cc directly in the folder (not named *_main.cc) is taken.
function(akgen_module module)
  cmake_parse_arguments(A "" "PRECOMPILED" "SOURCES;LINK" ${ARGN})
  if(NOT A_SOURCES)
    file(GLOB A_SOURCES CONFIGURE_DEPENDS *.cc)
    list(FILTER A_SOURCES EXCLUDE REGEX "_main\\.cc$")
  endif()
  add_library(akgen_${module} STATIC ${A_SOURCES})
  akgen_precompiled(akgen_${module} ${A_PRECOMPILED})
  target_include_directories(akgen_${module} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  if(NOT module STREQUAL base)
    target_link_libraries(akgen_${module} PUBLIC akgen_base)
    if(NOT module STREQUAL record)
      target_link_libraries(akgen_${module} PUBLIC akgen_record)
    endif()
  endif()
  foreach(line IN LISTS AKGEN_LAYER_LINES)
    if(line MATCHES "^${module}:(.*)$")
      string(REGEX MATCHALL "[a-z]+" deps "${CMAKE_MATCH_1}")
      foreach(dep IN LISTS deps)
        target_link_libraries(akgen_${module} PUBLIC akgen_${dep})
      endforeach()
    endif()
  endforeach()
  target_link_libraries(akgen_${module} PUBLIC ${A_LINK})
endfunction()

# akgen_light_libtorch(TARGET...): Debian's libtorch names libraries for images, video and databases of which it calls nothing; to
# load them and the 200 that they need takes half of its start. The targets find empty ones of the same names first.
function(akgen_light_libtorch)
  if(AKGEN_TORCH_ROOT OR NOT TARGET torch_cpu)
    return()
  endif()
  set(folder ${CMAKE_BINARY_DIR}/lib/unused)
  get_target_property(configuration torch_cpu IMPORTED_CONFIGURATIONS)
  list(GET configuration 0 configuration)
  get_target_property(library torch_cpu IMPORTED_LOCATION_${configuration})
  if(NOT EXISTS ${folder} OR "${library}" IS_NEWER_THAN ${folder})
    execute_process(COMMAND ${CMAKE_SOURCE_DIR}/cmake/empty_libraries ${library} ${CMAKE_CXX_COMPILER} ${folder}
                    RESULT_VARIABLE failed)
    if(failed)
      message(WARNING "libtorch starts with all of its libraries: ${CMAKE_SOURCE_DIR}/cmake/empty_libraries failed")
    endif()
  endif()
  # DT_RPATH: what libtorch itself needs is looked for there too, which DT_RUNPATH does not do.
  foreach(target IN LISTS ARGN)
    set_property(TARGET ${target} APPEND PROPERTY BUILD_RPATH "$ORIGIN/../lib/unused")
    set_property(TARGET ${target} APPEND PROPERTY INSTALL_RPATH "$ORIGIN/unused")
    target_link_options(${target} PRIVATE LINKER:--disable-new-dtags)
  endforeach()
endfunction()
