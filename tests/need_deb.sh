# Sourced by the scripts that run tests; they define `fail MESSAGE`, which prints it and exits.

# need_deb PACKAGE BINARY: makes sure that BINARY is there, on Debian by installing PACKAGE.
need_deb() {
    local package=$1 binary=$2 as_root=()
    command -v "$binary" >/dev/null && return
    command -v apt-get >/dev/null || fail "\`$binary\` is missing; install it with your package manager"
    if [[ $(id -u) -ne 0 ]]; then
        command -v sudo >/dev/null || fail "\`$binary\` is missing; as root: apt-get install $package"
        as_root=(sudo)
    fi
    printf 'installing %s for %s\n' "$package" "$binary" >&2
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$package"
}
