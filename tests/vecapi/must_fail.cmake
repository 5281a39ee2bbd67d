# Compiles SOURCE once per line of the form
#   CASE(number, body)  // expect: sentence
# with -DPICK=number (and no source excerpts, which would repeat the sentence); each compilation must fail, and its output must hold the sentence.
file(STRINGS ${SOURCE} lines REGEX "^CASE\\(")
set(count 0)
foreach(line IN LISTS lines)
  string(REGEX MATCH "^CASE\\(([0-9]+)," unused "${line}")
  set(number ${CMAKE_MATCH_1})
  string(REGEX MATCH "// expect: (.*)$" unused "${line}")
  set(sentence "${CMAKE_MATCH_1}")
  execute_process(COMMAND ${CLANG} ${FLAGS} -fsyntax-only -fno-caret-diagnostics -DPICK=${number} ${SOURCE}
                  RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE out)
  string(FIND "${out}" "${sentence}" at)
  if(result EQUAL 0)
    message(SEND_ERROR "case ${number} compiled; expected: ${sentence}")
  elseif(at EQUAL -1 OR sentence STREQUAL "")
    message(SEND_ERROR "case ${number} failed without saying \"${sentence}\":\n${out}")
  endif()
  math(EXPR count "${count} + 1")
endforeach()
if(count EQUAL 0)
  message(SEND_ERROR "${SOURCE} has no cases")
endif()
# Without any case the source is right: the failures above come from the cases.
execute_process(COMMAND ${CLANG} ${FLAGS} -fsyntax-only ${SOURCE} RESULT_VARIABLE result ERROR_VARIABLE out)
if(NOT result EQUAL 0)
  message(SEND_ERROR "${SOURCE} does not compile without cases:\n${out}")
endif()
