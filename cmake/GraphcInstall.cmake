# cmake --install build/release --prefix DIR: a tree that may be moved. bin/ has the tools,
# lib/cmake/graphc what find_package(graphc) reads; graph-opt and graph-lsp-server only where they
# were built. cpack --config build/release/CPackConfig.cmake: three tarballs, graphrun with every
# library that it needs but glibc's, oneDNN, and graphc with its libraries.
# Components: runtime (graphrun), tools (graphc, graph-opt, graph-lsp-server), development (headers,
# libraries, the package), and only where asked for by name: libraries (what graphrun links),
# onednn, llvm (what graphc links).
include(CMakePackageConfigHelpers)
set(package lib/cmake/graphc)

# RPATH and not RUNPATH: it counts for the libraries' own libraries too, so that a tarball needs no
# environment variable. The same in the build tree: CMake would leave room for it there in empty
# entries, each of which means the current folder.
set_target_properties(graphrun PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/graphc" BUILD_WITH_INSTALL_RPATH TRUE)
target_link_options(graphrun PRIVATE -Wl,--disable-new-dtags -Wl,--gc-sections)
install(TARGETS graphrun EXPORT graphcTools RUNTIME_DEPENDENCY_SET graphc_needs
  RUNTIME DESTINATION bin COMPONENT runtime)
install(TARGETS graphc_onednn RUNTIME_DEPENDENCY_SET graphc_onednn_needs
  LIBRARY DESTINATION lib/graphc COMPONENT runtime)
install(FILES LICENSE SECURITY.md DESTINATION share/doc/graphc COMPONENT runtime)

# glibc is the machine's: its parts belong together, and with the kernel's loader.
install(RUNTIME_DEPENDENCY_SET graphc_needs
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv)\\.so"
  LIBRARY DESTINATION lib/graphc COMPONENT libraries EXCLUDE_FROM_ALL)
# oneDNN, and what it loads besides: OpenMP, Debian's OpenCL. C++'s own libraries come with the
# runtime.
install(RUNTIME_DEPENDENCY_SET graphc_onednn_needs
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv|stdc\\+\\+|gcc_s)\\.so"
  LIBRARY DESTINATION lib/graphc COMPONENT onednn EXCLUDE_FROM_ALL)

if(NOT GRAPHC_RUNTIME_ONLY)
  foreach(tool graphc graph-opt graph-lsp-server)
    # LLVM and MLIR: the tarball's, else where the distribution has them
    set_target_properties(${tool} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/graphc" INSTALL_RPATH_USE_LINK_PATH TRUE)
    target_link_options(${tool} PRIVATE -Wl,--disable-new-dtags) # as for graphrun
  endforeach()
  install(TARGETS graphc EXPORT graphcTools RUNTIME_DEPENDENCY_SET graphc_llvm_needs
    RUNTIME DESTINATION bin COMPONENT tools)
  install(TARGETS graph-opt graph-lsp-server RUNTIME DESTINATION bin COMPONENT tools OPTIONAL)
  # With oneDNN, which graphc asks how it shares products among threads.
  foreach(needs graphc_llvm_needs graphc_onednn_needs)
    install(RUNTIME_DEPENDENCY_SET ${needs}
      PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv)\\.so"
      LIBRARY DESTINATION lib/graphc COMPONENT llvm EXCLUDE_FROM_ALL)
  endforeach()
  install(TARGETS graphc_onednn LIBRARY DESTINATION lib/graphc COMPONENT llvm EXCLUDE_FROM_ALL)
  # These two look beside where the distribution has them, and not where graphc does.
  install(CODE [[
    file(GLOB libraries "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/graphc/libLLVM.so*"
      "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/graphc/libMLIR.so*")
    foreach(library ${libraries})
      file(RPATH_SET FILE "${library}" NEW_RPATH "$ORIGIN")
    endforeach()]] COMPONENT llvm EXCLUDE_FROM_ALL)
  # The compiler as a library. These headers name no MLIR; those that do are the passes' own.
  install(FILES passes/compiler/Compiler.h passes/compiler/Diagnostic.h
    DESTINATION include/graphc/passes/compiler COMPONENT development)
  install(EXPORT graphcCompilerTargets NAMESPACE graphc::
    DESTINATION ${package} COMPONENT development)
endif()

install(DIRECTORY runtime DESTINATION include/graphc COMPONENT development FILES_MATCHING PATTERN "*.h")
install(DIRECTORY ${CMAKE_BINARY_DIR}/runtime DESTINATION include/graphc COMPONENT development
  FILES_MATCHING PATTERN "*.pb.h" PATTERN "CMakeFiles" EXCLUDE PATTERN "*.dir" EXCLUDE)
install(FILES graphc.h DESTINATION include/graphc COMPONENT development)
# graphc_public_header(NAME HEADER EARLIER...): programs include graphc/NAME. That path stays when
# HEADER moves in the sources, and so does each EARLIER path, which some release had.
function(graphc_public_header name header)
  foreach(path ${name} ${ARGN})
    set(made ${CMAKE_BINARY_DIR}/include/graphc/${path})
    cmake_path(GET path PARENT_PATH folder)
    file(CONFIGURE OUTPUT ${made} CONTENT "#pragma once\n#include \"${header}\" // IWYU pragma: export\n")
    install(FILES ${made} DESTINATION include/graphc/${folder} COMPONENT development)
  endforeach()
endfunction()
graphc_public_header(ClusterOptions.h runtime/api/ClusterOptions.h runtime/session/ClusterOptions.h)
graphc_public_header(Device.h runtime/device/Device.h)
graphc_public_header(Hook.h runtime/api/Hook.h runtime/session/Hook.h)
graphc_public_header(LibraryAbi.h runtime/common/abi/LibraryAbi.h runtime/kernels/LibraryAbi.h)
graphc_public_header(PlanFile.h runtime/common/plan/PlanFile.h runtime/plan/PlanFile.h)
graphc_public_header(PlanTypes.h runtime/common/plan/PlanTypes.h runtime/plan/Types.h)
graphc_public_header(Run.h runtime/api/Run.h runtime/session/Run.h)
graphc_public_header(Session.h runtime/api/Session.h runtime/session/Session.h)
if(NOT GRAPHC_RUNTIME_ONLY)
  graphc_public_header(Compiler.h passes/compiler/Compiler.h)
  graphc_public_header(Diagnostic.h passes/compiler/Diagnostic.h)
endif()
install(FILES runtime/common/cluster/cluster.schema.json
  DESTINATION share/graphc COMPONENT development)
install(EXPORT graphcTargets NAMESPACE graphc:: DESTINATION ${package} COMPONENT development)
install(EXPORT graphcTools NAMESPACE graphc:: DESTINATION ${package} COMPONENT development)
configure_package_config_file(cmake/graphcConfig.cmake.in ${CMAKE_BINARY_DIR}/graphcConfig.cmake
  INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/graphcConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/graphcConfig.cmake ${CMAKE_BINARY_DIR}/graphcConfigVersion.cmake
  cmake/graphc.map
  DESTINATION ${package} COMPONENT development)

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME graphc)
set(CPACK_PACKAGE_FILE_NAME graphc-${PROJECT_VERSION}-x86_64)
set(CPACK_STRIP_FILES ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL runtime libraries onednn)
if(NOT GRAPHC_RUNTIME_ONLY)
  list(APPEND CPACK_COMPONENTS_ALL tools llvm)
endif()
set(CPACK_COMPONENT_RUNTIME_GROUP runtime)
set(CPACK_COMPONENT_LIBRARIES_GROUP runtime)
set(CPACK_COMPONENT_ONEDNN_GROUP onednn)
set(CPACK_COMPONENT_TOOLS_GROUP tools)
set(CPACK_COMPONENT_LLVM_GROUP tools)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON) # packs what was built
include(CPack)
