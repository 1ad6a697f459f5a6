# What the scripts of this folder do alike; they read this file.

fail() {
    printf '%s: %s\n' "$(basename "$0")" "$1" >&2
    exit 1
}

needs_root() {
    [ "$(id -u)" = 0 ] ||
        fail "a loop device and a mount need root: sudo $0"
}

# needs PROGRAM:PACKAGE...: all of them are there, or one line says how to install what is missing.
needs() {
    local pair missing=()
    for pair; do
        command -v "${pair%:*}" > /dev/null || missing+=("${pair#*:}")
    done
    [ ${#missing[@]} = 0 ] ||
        fail "programs are missing: apt-get install --no-install-recommends ${missing[*]}"
    [ -e /dev/fuse ] || fail "there is no /dev/fuse: modprobe fuse"
    [ -e /dev/loop-control ] || fail "there is no /dev/loop-control: modprobe loop"
}

# The program: named, installed, or as built here.
find_drivelab() {
    local place
    for place in "${DRIVELAB:-}" "$(command -v drivelab || true)" \
        "$here/../../target/release/drivelab"; do
        [ -z "$place" ] || [ ! -x "$place" ] || { realpath "$place"; return; }
    done
    fail "there is no drivelab: cargo build --release, or DRIVELAB=FILE"
}

# A new folder, in memory if there is room: the machine's own disk is then no part of the times.
work_folder() {
    local place=/tmp
    [ "$(df --output=avail -B1M /dev/shm 2> /dev/null | tail -n 1)" -lt 6000 ] || place=/dev/shm
    mktemp -d "${TMPDIR:-$place}/drivelab-live.XXXXXX"
}

# A program that Ctrl-C does not reach, since it is ended in its turn, and that ends with this one.
on_its_own() { exec setsid setpriv --pdeathsig TERM -- "$@"; }

# end PROCESS [SECONDS]: asks what was started on its own to end, and makes it end if it does not.
end() {
    local i
    kill -- "-$1" 2> /dev/null || true
    for i in $(seq $((${2:-60} * 10))); do
        kill -0 "$1" 2> /dev/null || break
        sleep 0.1
    done
    kill -KILL -- "-$1" 2> /dev/null || true
    wait "$1" 2> /dev/null || true
}

# until_gone FOLDER: unmounts what we have mounted there. What was killed may hold it for a moment.
until_gone() {
    local i
    for i in $(seq 100); do
        mountpoint -q "$1" 2> /dev/null || return 0
        umount "$1" 2> /dev/null || sleep 0.1
    done
    umount --lazy "$1" || true
}

# json OBJECT KEY: the first value of that key in or behind the object; 0 without the object.
json() {
    awk -v object="\"$1\": {" -v key="\"$2\":" '
        index($0, object) { inside = 1 }
        inside && $1 == key { value = $2; sub(/,$/, "", value); exit }
        END { print value == "" ? 0 : value }'
}
