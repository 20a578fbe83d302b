#!/usr/bin/env bash
# tools/packages.sh TOOL…: installs the Debian packages of the tools that are missing on this machine.
# It prints what it installs, and updates the package lists if they lack one of the packages.
set -u

main() {
    local tool packages=()
    for tool in "$@"; do
        is_here "$tool" || packages+=($(name_packages "$tool"))
    done
    ((${#packages[@]} == 0)) && return
    command -v apt-get >/dev/null ||
        stop "Missing packages: ${packages[*]}. There is no apt-get on this machine; install them with its package manager, then try again."
    find_root || stop "Missing packages: ${packages[*]}. Run 'apt-get install ${packages[*]}' as root, then try again."
    echo "Missing packages: ${packages[*]}. Installing them with apt-get${root[1]:+ and sudo}."
    are_known "${packages[@]}" || update_lists
    install "${packages[@]}" || { update_lists && install "${packages[@]}"; } ||
        stop "The packages could not be installed: ${packages[*]}. See the output of apt-get above."
}

is_here() {
    case $1 in
        python) "${PYTHON:-python3}" -c 'import ensurepip, venv' 2>/dev/null ;;
        postgresql) [[ -n ${TENAX_TEST_POSTGRES:-} ]] || has initdb || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null ;;
        rabbitmq) [[ -n ${TENAX_TEST_RABBITMQ:-} ]] || has rabbitmq-server ;;
        redis) has redis-server ;;
        e2fsprogs) has mkfs.ext4 ;;
        *) has "$1" ;;
    esac
}

has() { command -v "$1" >/dev/null || test -x "/usr/sbin/$1"; }

# The packages of tools whose names differ.
name_packages() {
    case $1 in
        python) echo python3 python3-venv ;;
        rabbitmq) echo rabbitmq-server ;;
        redis) echo redis-server ;;
        ip) echo iproute2 ;;
        nginx) echo nginx-light ;;
        *) echo "$1" ;;
    esac
}

# Sets `root` to the command prefix that makes a command run as root.
find_root() {
    root=(env)
    ((EUID == 0)) && return
    command -v sudo >/dev/null || return
    root=(sudo env)
    # sudo can ask for a password only at a terminal.
    [[ -t 0 ]] || sudo -n true 2>/dev/null
}

# Whether every package has a version that can be installed.
are_known() {
    local package
    for package in "$@"; do
        apt-cache policy "$package" 2>/dev/null | grep -q 'Candidate: [^(]' || return 1
    done
}

update_lists() { run_apt "Updating the package lists" update; }

install() { run_apt "Installing $*" install -y "$@"; }

run_apt() {
    local what=$1
    shift
    "$(dirname "$0")/step.sh" "$what" "${root[@]}" DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@"
}

stop() {
    echo "$*" >&2
    exit 1
}

main "$@"
