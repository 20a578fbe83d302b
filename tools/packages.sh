#!/usr/bin/env bash
# tools/packages.sh TOOL…: installs the Debian packages of those tools that this machine does not have.
# It says first what it installs, and fetches the lists of packages when one cannot be found in them.
set -u

main() {
    local tool packages=()
    for tool in "$@"; do
        is_here "$tool" || packages+=($(name_packages "$tool"))
    done
    ((${#packages[@]} == 0)) && return
    command -v apt-get >/dev/null ||
        stop "This needs ${packages[*]}, and there is no apt-get here: install them with this system's own tool, then try again."
    find_root || stop "This needs the packages ${packages[*]}, which only root may install: run 'apt-get install ${packages[*]}' as root, then try again."
    echo "This machine lacks ${packages[*]}: apt-get installs them now${root[1]:+, through sudo}."
    are_known "${packages[@]}" || update_lists
    install "${packages[@]}" || { update_lists && install "${packages[@]}"; } ||
        stop "The packages ${packages[*]} could not be installed; apt-get says above why."
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

# Where the packages of a tool have other names.
name_packages() {
    case $1 in
        python) echo python3 python3-venv ;;
        rabbitmq) echo rabbitmq-server ;;
        redis) echo redis-server ;;
        nginx) echo nginx-light ;;
        *) echo "$1" ;;
    esac
}

# How to become root, as the words before a command.
find_root() {
    root=(env)
    ((EUID == 0)) && return
    command -v sudo >/dev/null || return
    root=(sudo env)
    # A password can be asked for only at a terminal.
    [[ -t 0 ]] || sudo -n true 2>/dev/null
}

# Every package has a version that could be installed.
are_known() {
    local package
    for package in "$@"; do
        apt-cache policy "$package" 2>/dev/null | grep -q 'Candidate: [^(]' || return 1
    done
}

update_lists() { run_apt "Fetching the lists of packages" update; }

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
