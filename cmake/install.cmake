# What an installation consists of. Programs lie in libexec/akgen, to which bin/akgen leads, and what they read in
# share/akgen, laid out as in this tree: base::HomeDir finds it relative to the program, so that a prefix can be moved.
# Components: `judge`, and `torch` with what links libtorch. tools/package makes packages out of them.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # the tests are most of `all`
set(programs libexec/akgen)
set(data share/akgen)

foreach(target akgen akgen-builder akgen-runner akgen-judge akgen-device akgen-prover akgen-source ascendc_host)
  if(TARGET ${target})
    install(TARGETS ${target} RUNTIME DESTINATION ${programs} COMPONENT judge LIBRARY DESTINATION ${programs} COMPONENT judge)
  endif()
endforeach()
# The one library whose name differs between the releases of Debian that akgen-judge is for.
install(IMPORTED_RUNTIME_ARTIFACTS fmt::fmt LIBRARY DESTINATION ${programs} COMPONENT judge)
foreach(target akgen-reference akgen-lm)
  if(TARGET ${target})
    install(TARGETS ${target} RUNTIME DESTINATION ${programs} COMPONENT torch)
  endif()
endforeach()
install(FILES ${CMAKE_BINARY_DIR}/bin/scripts.json DESTINATION ${programs} COMPONENT judge OPTIONAL)
install(DIRECTORY ${CMAKE_BINARY_DIR}/lib/unused DESTINATION ${programs} COMPONENT torch OPTIONAL)

install(DIRECTORY tasks data include docs examples DESTINATION ${data} COMPONENT judge PATTERN __pycache__ EXCLUDE)
install(DIRECTORY ${CMAKE_BINARY_DIR}/ranges DESTINATION ${data}/data COMPONENT judge OPTIONAL)  # tools/package makes them
install(DIRECTORY tests/cases DESTINATION ${data}/tests COMPONENT judge FILES_MATCHING PATTERN "*.cpp")
install(DIRECTORY python/akgen DESTINATION ${data}/python COMPONENT judge PATTERN __pycache__ EXCLUDE)
file(WRITE ${CMAKE_BINARY_DIR}/python/_version.py "__version__ = \"${AKGEN_VERSION}\"\n")
install(FILES ${CMAKE_BINARY_DIR}/python/_version.py DESTINATION ${data}/python/akgen COMPONENT judge)
install(DIRECTORY models DESTINATION ${data} COMPONENT torch)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION share/doc/akgen COMPONENT judge)

# The manual page and the completions, as the installed program prints them.
install(CODE "
  set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  file(MAKE_DIRECTORY \${prefix}/bin \${prefix}/share/man/man1 \${prefix}/share/bash-completion/completions
       \${prefix}/share/zsh/vendor-completions \${prefix}/share/fish/vendor_completions.d)
  file(CREATE_LINK ../libexec/akgen/akgen \${prefix}/bin/akgen SYMBOLIC)
  function(printed file)
    execute_process(COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} \${prefix}/libexec/akgen/akgen \${ARGN} OUTPUT_FILE \${prefix}/share/\${file} COMMAND_ERROR_IS_FATAL ANY)
  endfunction()
  printed(man/man1/akgen.1 manual)
  printed(bash-completion/completions/akgen completions bash)
  printed(zsh/vendor-completions/_akgen completions zsh)
  printed(fish/vendor_completions.d/akgen.fish completions fish)
  if(prefix MATCHES \"/usr\$\")  # where Debian's Python looks
    file(MAKE_DIRECTORY \${prefix}/lib/python3/dist-packages)
    file(CREATE_LINK ../../../share/akgen/python/akgen \${prefix}/lib/python3/dist-packages/akgen SYMBOLIC)
  endif()
" COMPONENT judge)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME akgen)
set(CPACK_PACKAGE_CONTACT "The akgen developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Judges Ascend C kernels on a simulated chip")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/bin)
# What sources include: the compiler's headers, those of C and C++; and the linker of their host code.
set(CPACK_DEBIAN_PACKAGE_DEPENDS
    "libclang-common-${AKGEN_LLVM_MAJOR}-dev, libstdc++-12-dev | libstdc++-13-dev | libstdc++-14-dev, binutils")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3")
if(TARGET torch_cpu AND NOT AKGEN_TORCH_ROOT)
  get_target_property(configuration torch_cpu IMPORTED_CONFIGURATIONS)
  get_target_property(library torch_cpu IMPORTED_LOCATION_${configuration})
  get_filename_component(CPACK_AKGEN_LIBTORCH ${library} DIRECTORY)
  set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/own_libtorch.cmake)
endif()
include(CPack)
