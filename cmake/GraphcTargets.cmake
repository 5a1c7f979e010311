# Which mutex guards what is said in the sources (runtime/common/base/Mutex.h) and checked, and
# warnings are errors. --compile-no-warning-as-error for another compiler than the presets', which
# may warn of more.
macro(graphc_check_locks)
  add_compile_options(-Wthread-safety -Wthread-safety-beta)
  set(CMAKE_COMPILE_WARNING_AS_ERROR ON)
endmacro()

# graphc_library(NAME SOURCES... [DEPS libs...] [PUBLIC_DEPS...])
# A static library of one folder. The one-way rule of the house is checked here: nothing below
# runtime/ may link LLVM, MLIR, a dialect or a pass.
function(graphc_check_layer name)
  file(RELATIVE_PATH here ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  if(here MATCHES "^(runtime|tools/graphrun)")
    foreach(dep ${ARGN})
      if(dep MATCHES "^(MLIR|LLVM|lld|Graph|Dist)")
        message(FATAL_ERROR "${here}: target ${name} links ${dep}; the runtime links no compiler library (docs/architecture.md)")
      endif()
    endforeach()
  endif()
  if(here MATCHES "^dialects")
    foreach(dep ${ARGN})
      if(dep MATCHES "^(GraphcPasses|graphc_executor|graphc_transport|graphc_service|graphc_session|graphc_launch|graphc_api)")
        message(FATAL_ERROR "${here}: target ${name} links ${dep}; dependencies run dialects <- passes <- tools")
      endif()
    endforeach()
  endif()
endfunction()

# graphc_protobuf(RESULT NAME): NAME.proto of this folder; RESULT: NAME.pb.cc and NAME.pb.h, made in
# the build tree at the same path, so that #include "runtime/common/plan/plan.pb.h" works.
function(graphc_protobuf result name)
  file(RELATIVE_PATH proto ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${name}.proto)
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${name}.pb)
  add_custom_command(
    OUTPUT ${made}.h ${made}.cc
    COMMAND protobuf::protoc --proto_path=${CMAKE_SOURCE_DIR} --cpp_out=${CMAKE_BINARY_DIR} ${proto}
    DEPENDS ${CMAKE_SOURCE_DIR}/${proto}
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    COMMENT "protoc ${proto}")
  set(${result} ${made}.cc ${made}.h PARENT_SCOPE)
endfunction()

function(graphc_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  graphc_check_layer(${name} ${ARG_DEPS})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_DEPS})
  graphc_unity(${name} ${ARG_SOURCES})
  file(RELATIVE_PATH here ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  if(GRAPHC_SANITIZER STREQUAL "address" AND here MATCHES "^runtime/(common/base|common/cluster|common/plan|kernels|data|checkpoint|transport|service|session|trace|http|observe)$")
    # What reads bytes from outside: libFuzzer looks for its coverage (-fsanitize=fuzzer-no-link,
    # which no precompiled header may differ in).
    target_compile_options(${name}
      PRIVATE -fsanitize-coverage=inline-8bit-counters,indirect-calls,trace-cmp,pc-table)
  endif()
  if(here MATCHES "^tools/graphrun" AND GRAPHC_SANITIZER)
    # instrumented, the templates of its flags take half a minute a file
    target_compile_options(${name} PRIVATE -O0)
  elseif(here MATCHES "^tools/graphrun")
    graphc_precompile(${name} graphrun)
  elseif(here MATCHES "^runtime/(service|session|trace|launch|api)")
    graphc_precompile(${name} service)
  elseif(here MATCHES "^runtime/(common/plan|checkpoint|data|executor|observe)")
    graphc_precompile(${name} plan)
  elseif(here MATCHES "^runtime")
    graphc_precompile(${name} runtime)
  elseif(here MATCHES "^dialects/graph")
    graphc_precompile(${name} graph)
  elseif(here MATCHES "^dialects")
    graphc_precompile(${name} dialect)
  else()
    graphc_precompile(${name} pass)
  endif()
  if(here MATCHES "^runtime")
    graphc_install_library(${name} graphcTargets)
  elseif(here MATCHES "^(dialects|passes)")
    graphc_install_library(${name} graphcCompilerTargets)
  endif()
  graphc_alone(${name})
endfunction()

# A library as find_package(graphc) gives it: graphc_plan is graphc::plan, GraphcCompiler
# graphc::compiler, and #include "graphc/PlanFile.h" works there (GraphcInstall.cmake lists such
# headers). `set`: of exported targets, that of the runtime or the compiler's.
function(graphc_install_library name set)
  string(REGEX REPLACE "^(graphc_|Graphc)" "" exported ${name})
  string(TOLOWER ${exported} exported)
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${exported})
  target_compile_features(${name} INTERFACE cxx_std_20)
  target_include_directories(${name}
    INTERFACE $<INSTALL_INTERFACE:include/graphc> $<INSTALL_INTERFACE:include>)
  install(TARGETS ${name} EXPORT ${set} ARCHIVE DESTINATION lib/graphc COMPONENT development)
endfunction()

function(graphc_executable name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  graphc_check_layer(${name} ${ARG_DEPS})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
endfunction()

# graphc_gtest(NAME SOURCES... DEPS...): a GoogleTest binary in build/<preset>/test/bin; test/run.sh
# runs every one of them.
function(graphc_gtest name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  graphc_unity(${name} ${ARG_SOURCES})
  # what a test tests is elsewhere; this halves the time that it takes to build
  target_compile_options(${name} PRIVATE -O0)
  graphc_precompile(${name} test)
  add_dependencies(${name} graphc_plan) # whose header is precompiled
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/bin)
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# graphc_fuzzer(NAME SOURCES... DEPS...): a libFuzzer target in build/asan/test/fuzz (address
# sanitizer build only; the libraries that read bytes from outside are instrumented for coverage
# there, by graphc_library). test/run.sh runs each for 30 s (10 minutes with --long) on the seeds in
# build/fuzz-seeds/NAME, which test/ci/fuzz_seeds.sh makes from real files.
function(graphc_fuzzer name)
  if(NOT GRAPHC_SANITIZER STREQUAL "address")
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/fuzz)
endfunction()
