# graphc_alone(NAME): what library NAME uses is in its DEPS. A program of nothing but all of its
# objects is linked against these, by `ninja alone`, which test/tools/targets.test calls. Whether
# each file waits for the generated headers that it includes tells `ninja -t missingdeps` there;
# with both, every target builds alone in an empty build folder.
function(graphc_alone name)
  if(NOT GRAPHC_TESTS)
    return()
  endif()
  if(NOT TARGET alone)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/alone/main.cpp CONTENT "int main() {}\n") # written only where it is not so
    add_library(graphc_alone_main OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/alone/main.cpp)
    add_custom_target(alone)
  endif()
  add_executable(${name}_alone EXCLUDE_FROM_ALL $<TARGET_OBJECTS:graphc_alone_main>)
  target_link_libraries(${name}_alone PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,${name}>)
  set_target_properties(${name}_alone
    PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/alone LINKER_LANGUAGE CXX)
  add_dependencies(alone ${name}_alone)
endfunction()
