#!/usr/bin/env bash
# Installs what building and testing samara takes on a Debian or Ubuntu system, and fetches the two
# source archives that Meson's wraps look for in subprojects/packagecache/.
#
#   toolchains/setup.sh [build] [cross] [lint] [sources]
#
#   build    compiler, Meson, libraries of the desk tool and of the tests; includes "sources". Both OpenBLAS and BLIS
#            (with a LAPACK, which it lacks) are installed: -Dblas=auto takes the quicker one for the processor
#   cross    compilers and emulators for every file in toolchains/*.ini
#   lint     clang, clang-tidy, clang-format, shellcheck, git
#   sources  KissFFT's and xsimd's source archives only (needs no root)
#
# Without arguments: build. It asks nothing, and does nothing where nothing is missing.
set -euo pipefail
unset CDPATH

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=$root/subprojects/packagecache

build_packages=(
    meson ninja-build pkg-config gcc g++ binutils python3 cmake
    libxsimd-dev doctest-dev libopenblas-dev libblis-openmp-dev liblapack-dev
    zlib1g-dev libssl-dev libeigen3-dev nlohmann-json3-dev liblbfgs-dev python3-numpy
    dpkg-dev ca-certificates
)
cross_packages=(
    gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib
    gcc-aarch64-linux-gnu g++-aarch64-linux-gnu
    gcc-arm-linux-gnueabihf g++-arm-linux-gnueabihf
    gcc-riscv64-linux-gnu g++-riscv64-linux-gnu
    qemu-user qemu-system-arm
)
lint_packages=(clang clang-tidy clang-format shellcheck git)

say() { printf 'setup: %s\n' "$*"; }
die() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "installing packages takes root or sudo"
    fi
}

apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 "$@"
}

installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

install_packages() {
    local package missing=()
    for package in "$@"; do
        installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "to install: ${missing[*]}"

    # A fresh container has no package lists; one that is old may have lists that name versions long gone.
    local updated=no
    for package in "${missing[@]}"; do
        if [ "$updated" = no ] && ! apt-cache show --no-all-versions "$package" 2>/dev/null | grep -q '^Version:'; then
            apt_get update >/dev/null
            updated=yes
        fi
    done
    # The simulation is only there to say how much will be fetched; --assume-no makes it exit 1.
    { LC_ALL=C apt-get -q --assume-no --no-install-recommends install "${missing[@]}" 2>/dev/null || true; } |
        grep -E '^(Need to get|After this operation)' | sed 's/^/setup: /' || true
    if ! apt_get --no-install-recommends install "${missing[@]}" >/dev/null; then
        [ "$updated" = no ] || die "apt-get could not install: ${missing[*]}"
        apt_get update >/dev/null
        apt_get --no-install-recommends install "${missing[@]}" >/dev/null
    fi
}

# One line "file hash" for a wrap.
wrap_archive() {
    awk -F ' *= *' '$1 == "source_filename" { file = $2 } $1 == "source_hash" { hash = $2 } END { print file, hash }' \
        "$root/subprojects/$1.wrap"
}

archive_present() {
    local file hash
    read -r file hash < <(wrap_archive "$1")
    [ -f "$cache/$file" ] && printf '%s  %s\n' "$hash" "$cache/$file" | sha256sum --check --status
}

# The system's own package sources of this release, turned into source-package entries. Other
# repositories that happen to be configured often carry no sources, so they are left out.
source_lists() {
    local directory=$1 codename file
    # shellcheck source=/dev/null
    codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
    [ -n "$codename" ] || die "this system does not say which release it is"
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -f "$file" ] || continue
        awk -v codename="$codename" '
            BEGIN { RS = ""; FS = "\n" }
            {
                wanted = 0
                text = ""
                for (i = 1; i <= NF; i++) {
                    line = $i
                    if (line ~ /^#/) continue
                    if (line ~ /^Suites:/ && index(line, codename)) wanted = 1
                    if (line ~ /^Types:/) line = "Types: deb-src"
                    if (line ~ /^Enabled: *no/) wanted = -1
                    text = text line "\n"
                }
                if (wanted == 1) print text
            }' "$file" >"$directory/$(basename "$file")"
    done
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -f "$file" ] || continue
        sed -n -E "s/^deb(-src)?[[:space:]]+(.*[[:space:]/]$codename.*)\$/deb-src \2/p" "$file" | sort -u \
            >"$directory/$(basename "$file")"
    done
}

# Meson itself fetches an archive that is missing here; this keeps builds working where only the package
# mirror can be reached. Everything apt writes goes to a directory of our own.
fetch_sources() {
    local missing=() wrap
    for wrap in samara-kissfft xsimd; do
        # Installed headers of xsimd serve all builds, so its archive is for systems without them.
        if [ "$wrap" = xsimd ] && [ -f /usr/include/xsimd/xsimd.hpp ]; then
            continue
        fi
        archive_present "$wrap" || missing+=("$wrap")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "fetching the sources of: ${missing[*]}"
    mkdir -p "$cache"

    local work
    work=$(mktemp -d)
    # shellcheck disable=SC2064  # the directory is known now, and the variable is local
    trap "rm -rf '$work'" EXIT
    # apt drops its rights to a user of its own when run by root; that user must reach the directory.
    chmod 755 "$work"
    mkdir -p "$work/parts" "$work/state/lists/partial" "$work/cache/archives/partial" "$work/download"
    source_lists "$work/parts"
    local options=(
        -q -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work/parts"
        -o "Dir::State=$work/state" -o "Dir::State::lists=$work/state/lists" -o "Dir::Cache=$work/cache"
        -o Dir::State::status=/var/lib/dpkg/status -o APT::Sandbox::User=
    )
    apt-get "${options[@]}" update >"$work/log" 2>&1 || say "some package sources could not be read"
    for wrap in "${missing[@]}"; do
        (cd "$work/download" && apt-get "${options[@]}" source --download-only --only-source "${wrap#samara-}") \
            >>"$work/log" 2>&1 || true
        local file hash
        read -r file hash < <(wrap_archive "$wrap")
        if [ ! -f "$work/download/$file" ]; then
            say "this release does not carry $file; Meson will look for it at its own address"
            continue
        fi
        printf '%s  %s\n' "$hash" "$work/download/$file" | sha256sum --check --status ||
            die "$file is not the archive that subprojects/$wrap.wrap asks for"
        mv "$work/download/$file" "$cache/$file"
    done
    rm -rf "$work"
    trap - EXIT
}

[ $# -gt 0 ] || set -- build
for group in "$@"; do
    case $group in
    build)
        install_packages "${build_packages[@]}"
        fetch_sources
        ;;
    cross) install_packages "${cross_packages[@]}" ;;
    lint) install_packages "${lint_packages[@]}" ;;
    sources) fetch_sources ;;
    *) die "unknown group '$group' (known: build, cross, lint, sources)" ;;
    esac
done
