# Writes a C++ source that defines `NAMESPACE::FUNCTION()`: the SHA-256 of sources and of how they are compiled.
#   cmake -DROOT=... -DLIST=FILE -DSETTINGS=TEXT -DNAMESPACE=kir::smt -DFUNCTION=engine_sources -DOUT=FILE.cpp -P source-digest.cmake
# LIST names one source a line, relative to ROOT. Equal sources and settings give equal digests, wherever they lie.
file(STRINGS ${LIST} names)
set(text "${SETTINGS}\n")
foreach(name ${names})
  file(SHA256 ${ROOT}/${name} digest)
  string(APPEND text "${digest} ${name}\n")
endforeach()
string(SHA256 digest "${text}")
file(WRITE ${OUT} "#include <string_view>

namespace ${NAMESPACE} {
std::string_view ${FUNCTION}();
std::string_view ${FUNCTION}() { return \"${digest}\"; }
}  // namespace ${NAMESPACE}
")
