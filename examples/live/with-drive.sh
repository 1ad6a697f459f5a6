#!/bin/bash
# A command on a modelled drive. The drive is served in step with the clock, and the command finds
# two directories on it: DRIVELAB_DIR for data, and DRIVELAB_LOG (1 GiB) for a log. When it ends, or
# on Ctrl-C, all is taken down again.
#
#   examples/live/with-drive.sh DRIVE COMMAND [ARGUMENT...]
#
# What may be set before it:
#   SIZE=16GiB     the part of the drive that is served
#   STATE=steady   what was written to it before: fresh, filled or steady
#   TIME=1x        how many times slower than the clock the drive runs
#   FROM=FOLDER    what the two hold at first, in FROM/data and FROM/log; the drive is not asked for
#                  the copy
#   REPORT=FILE    where it is written what the drive did; otherwise on standard error
#   DRIVELAB=FILE  the program
#
# Each directory is an ext4 file system on a loop device of its own: such a device does nothing else
# while it waits for a flush, and reads of data shall not wait for the flushes of a log.
#
# It needs root, for loop devices and mounts, and mounts in a namespace of its own: other programs
# of the machine see nothing of it, and if this is killed the system takes all of it down but its
# folder in /dev/shm.
set -euo pipefail
shopt -s inherit_errexit
export PATH=$PATH:/usr/sbin:/sbin
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

if [ $# -lt 2 ] || [ "$1" = --help ]; then
    sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "$0"
    exit 2
fi
needs_root
needs nbdfuse:libnbd-bin fusermount3:fuse3 mkfs.ext4:e2fsprogs losetup:mount unshare:util-linux
drivelab=$(find_drivelab)
if [ -z "${WITH_DRIVE_NAMESPACE:-}" ]; then
    export WITH_DRIVE_NAMESPACE=1
    exec unshare --mount -- "$BASH" "$0" "$@"
fi
unset WITH_DRIVE_NAMESPACE

drive=$1
shift
size=${SIZE:-16GiB} state=${STATE:-steady} time=${TIME:-1x} from=${FROM:-}
[ -z "$from" ] || from=$(cd "$from" && pwd)
work=$(work_folder)
socket=$work/drive.sock
image=$work/drive.img
# Where each file system begins and what it is called.
parts=(log data)
log=$((1 << 30))
command="" server="" loop="" fuses=()

# Each layer is taken down before the one below it; a step that fails does not keep the others. A
# loop device goes with its mount.
finish() {
    local part fuse
    trap '' INT TERM HUP
    [ -z "$command" ] || end "$command"
    for part in "${parts[@]}"; do until_gone "$work/$part"; done
    [ -z "$loop" ] || losetup --detach "$loop" || true
    for part in "${parts[@]}"; do until_gone "$work/fuse-$part"; done
    for fuse in "${fuses[@]}"; do end "$fuse"; done
    [ -z "$server" ] || end "$server"
    rm -rf --one-file-system "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# serve STATE: starts the server and waits until it answers.
serve() {
    on_its_own "$drivelab" serve "$drive" --size "$size" --state "$1" --time "$time" \
        --store "$image" --socket "$socket" > "$work/served.txt" 2>&1 &
    server=$!
    until "$drivelab" control "$socket.control" health > /dev/null 2>&1; do
        kill -0 "$server" 2> /dev/null || fail "$(cat "$work/served.txt")"
        sleep 0.1
    done
}

# place PART: offset and bytes of it.
place() {
    case $1 in
        log) echo 0 "$log" ;;
        data) echo "$log" $(($(stat --format=%s "$image") - log)) ;;
    esac
}

# make PART: its file system, in the image of the drive while nobody serves it. Nothing is left for
# the kernel to do later, and nothing is discarded: the drive stays as full as its state says.
make() {
    local offset bytes
    read -r offset bytes <<< "$(place "$1")"
    mkfs.ext4 -q -F -b 4096 -m 0 -T largefile -J size=64 \
        -E "nodiscard,lazy_itable_init=0,lazy_journal_init=0,offset=$offset" \
        "$image" $((bytes / 4096))
    if [ -n "$from" ] && [ -d "$from/$1" ]; then
        mount -t ext4 -o "loop,offset=$offset,sizelimit=$bytes" "$image" "$work/$1"
        cp -a "$from/$1/." "$work/$1/"
        until_gone "$work/$1"
    fi
}

# attach PART: the drive as a file, a device of a part of it, and the mount. Sets `device`.
attach() {
    local offset bytes file=$work/fuse-$1/drive
    read -r offset bytes <<< "$(place "$1")"
    on_its_own nbdfuse "$file" --unix "$socket" > "$work/fuse.txt" 2>&1 &
    fuses+=($!)
    until [ -e "$file" ]; do
        kill -0 $! 2> /dev/null || fail "nbdfuse: $(cat "$work/fuse.txt")"
        sleep 0.05
    done
    loop=$(losetup --find --show --direct-io=on --offset "$offset" --sizelimit "$bytes" "$file")
    device=/sys/block/${loop#/dev/}
    [ "$(cat "$device/loop/backing_file")" = "$file" ] || fail "$loop is no device of the drive"
    mount -t ext4 -o noatime "$loop" "$work/$1"
    losetup --detach "$loop"
    loop=""
}

for part in "${parts[@]}"; do mkdir "$work/$part" "$work/fuse-$part"; done
serve fresh
"$drivelab" control "$socket.control" stop > /dev/null
wait "$server" || fail "$(cat "$work/served.txt")"
server=""
for part in "${parts[@]}"; do make "$part"; done

serve "$state"
grep -E '^warning' "$work/served.txt" >&2 || true
for part in "${parts[@]}"; do attach "$part"; done
# reads_so_far: reads, their number and us, by the model; and those of data as the block device
# counts them from the request to its answer (fields 0 and 3: number and milliseconds). All in time
# of the drive.
reads_so_far() {
    local stat
    "$drivelab" control "$DRIVELAB_CONTROL" health --json > "$work/health.json"
    read -r -a stat < "$device/stat"
    awk -v n="$(json read requests < "$work/health.json")" \
        -v mean="$(json read mean_us < "$work/health.json")" -v times="${time%x}" \
        -v seen="${stat[0]}" -v ms="${stat[3]}" \
        'BEGIN { printf "%d %.1f %d %.1f\n", n, n * mean, seen, ms * 1e3 / times }'
}

export DRIVELAB_DIR=$work/data DRIVELAB_LOG=$work/log DRIVELAB_CONTROL=$socket.control
# What the way to the drive costs while nothing else is asked of it.
first=$(reads_so_far)
dd if="$(findmnt --noheadings --output SOURCE "$work/data")" of=/dev/null bs=16k count=500 \
    iflag=direct status=none
begin=$(reads_so_far)
on_its_own "$@" <&0 &
command=$!
status=0
wait "$command" || status=$?
command=""
last=$(reads_so_far)

{
    printf '%s\n' "$first" "$begin" "$last" | awk '
        function mean(us, n) { return n > 0 ? us / n : 0 }
        NR > 1 {
            model = mean($2 - us, $1 - n)
            seen = mean($4 - seen_us, $3 - seen_n)
            if (NR == 2) print "way_us", (seen > model ? seen - model : 0)
            if (NR == 3) print "read_mean_us", model "\nread_seen_us", seen
        }
        { n = $1; us = $2; seen_n = $3; seen_us = $4 }'
    for kind in read write flush; do
        printf '%s_p99_us %s\n' $kind "$(json $kind p99_us < "$work/health.json")"
    done
    for value in p50_us p99_us; do
        printf 'late_%s %s\n' $value "$(json lateness $value < "$work/health.json")"
    done
} > "$work/report.txt"
if [ -n "${REPORT:-}" ]; then
    cp "$work/report.txt" "$REPORT"
else
    cat "$work/report.txt" >&2
fi
exit "$status"
