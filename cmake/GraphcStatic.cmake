# graphc_prefer_archives(): gRPC, Abseil, protobuf and what they need are linked as archives where
# the distribution has them beside its shared libraries. 50 shared libraries with 17,000 symbols to
# look up are two thirds of a process's start (docs/decisions/2026-11-21-archives.md). Called in the
# folder whose find_package made the imported targets. OpenSSL stays shared, so that its repairs
# arrive without a new build; the sanitizers know gRPC by its library's name and keep it as well.
function(graphc_prefer_archives)
  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS targets)
    if(NOT target MATCHES "^(absl|gRPC|protobuf|re2|c-ares)::")
      continue()
    endif()
    get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
    foreach(suffix IN LISTS configurations ITEMS "")
      set(property IMPORTED_LOCATION)
      if(suffix)
        string(APPEND property _${suffix})
      endif()
      get_target_property(shared ${target} ${property})
      if(NOT shared)
        continue()
      endif()
      string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive "${shared}")
      if(EXISTS "${archive}")
        set_target_properties(${target} PROPERTIES ${property} "${archive}")
      endif()
    endforeach()
  endforeach()
endfunction()
