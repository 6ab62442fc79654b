# One compilation unit per folder (all presets but dev), since headers dominate compile time. Names within a folder must
# differ.
function(marrow_unity_by_folder target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  foreach(file IN LISTS ARGN)
    get_filename_component(folder ${file} DIRECTORY)
    get_filename_component(folder ${folder} NAME)
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${folder})
  endforeach()
endfunction()
