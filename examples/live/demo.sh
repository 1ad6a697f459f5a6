#!/bin/bash
# Modelled drives under real programs in about a minute; `make live-demo` runs it. As root MariaDB
# runs on a fast drive and on a disk, and loses power; without root fio does what it can.
#
#   examples/live/demo.sh
set -euo pipefail
shopt -s inherit_errexit
export PATH=$PATH:/usr/sbin:/sbin
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

needs_fio() { command -v fio > /dev/null && fio --enghelp 2> /dev/null | grep -qw nbd; }
drivelab=$(find_drivelab)
export DRIVELAB=$drivelab
work=$(work_folder)
child="" server=""

finish() {
    trap '' INT TERM HUP
    [ -z "$child" ] || end "$child" 300
    [ -z "$server" ] || end "$server"
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# run COMMAND...: so that Ctrl-C ends it in order.
run() {
    local status=0
    on_its_own "$@" &
    child=$!
    wait "$child" || status=$?
    child=""
    return "$status"
}

# serve DRIVE OPTIONS...
serve() {
    on_its_own "$drivelab" serve "$1" --size 16GiB --time 1x --socket "$work/drive.sock" "${@:2}" \
        > "$work/served.txt" 2>&1 &
    server=$!
    until "$drivelab" control "$work/drive.sock.control" health > /dev/null 2>&1; do
        kill -0 "$server" 2> /dev/null || fail "$(cat "$work/served.txt")"
        sleep 0.1
    done
}

control() { "$drivelab" control "$work/drive.sock.control" "$@"; }

stop() {
    control stop > /dev/null
    wait "$server" || true
    server=""
}

by_fio() {
    run fio --name=demo --ioengine=nbd --uri="nbd+unix:///?socket=$work/drive.sock" --thread \
        --verify_state_save=0 "$@" > "$work/fio.txt" 2>&1
}

# What keeps MariaDB from running on a modelled drive here; nothing if it can.
obstacle() {
    if [ "$(id -u)" != 0 ]; then
        echo "not root, so there is no file system on the drive"
    elif [ ! -e /dev/loop-control ] || [ ! -e /dev/fuse ]; then
        echo "no loop devices or no FUSE here, so there is no file system on the drive"
    else
        for program in mariadbd mariadb mariadb-install-db sysbench nbdfuse fusermount3 \
            mkfs.ext4; do
            command -v $program > /dev/null || { echo "$program is missing"; return; }
        done
    fi
}

# A table of the drives under fio: reads, and writes of which each is flushed.
fio_table() {
    local drive
    printf '%-17s %12s %12s %12s %12s %14s\n' Drive "reads mean" p99 "writes mean" \
        "flushes mean" "late p99, us"
    for drive in d7-p5520-7.68tb dt01aca200; do
        serve "$drive" --store none --state steady
        by_fio --rw=randrw --bs=4k --size=8g --iodepth=1 --fsync=1 --time_based --runtime=8 ||
            fail "$(cat "$work/fio.txt")"
        control health --json > "$work/health.json"
        set -- "$drive"
        for value in "read mean_us" "read p99_us" "write mean_us" "flush mean_us" \
            "lateness p99_us"; do
            # shellcheck disable=SC2086
            set -- "$@" "$(printf '%.0f' "$(json $value < "$work/health.json")")"
        done
        printf '%-17s %12s %12s %12s %12s %14s\n' "$@"
        stop
    done
}

# Data that fio was told is safe, a power cut, and what is left of them.
power_cut() {
    local left
    serve sn850 --flush "$1"
    by_fio --rw=write --bs=64k --size=64m --iodepth=4 --verify=crc32c --do_verify=0 --end_fsync=1 ||
        fail "$(cat "$work/fio.txt")"
    control cut-power > /dev/null
    control restore > "$work/cut.txt"
    left="all of it is there"
    by_fio --rw=write --bs=64k --size=64m --verify=crc32c --verify_only --verify_fatal=1 ||
        left="part of it is gone"
    printf '  flushes %s: %s (%s)\n' "$1" "$left" "$(sed -n 's/^Last cut: //p' "$work/cut.txt")"
    stop
}

why=$(obstacle)
if [ -z "$why" ]; then
    printf 'MariaDB on two drives that are not here: sysbench, 10 s on each\n\n'
    run env LOAD=10 WARM=3 ROWS=50000 POOL=8M "$here/mariadb.sh" d7-p5520-7.68tb dt01aca200
    printf '\nA transaction reads rows, and most are not in the small pool: the drive is read. A\n'
    printf 'flush commits it. The disk seeks and turns for each of them.\n\n'
    printf 'MariaDB loses power three times on a drive whose buffer is volatile\n\n'
    run "$drivelab" crash-test --on sn850 --size 2GiB --attach ext4 --cuts 3 --work 3s --quiet \
        --prepare "sh $here/../crash/mariadb.sh prepare" \
        --check "sh $here/../crash/mariadb.sh check" -- sh "$here/../crash/mariadb.sh" work
    printf '\nNo transaction is missing that was reported as committed.\n'
else
    printf 'MariaDB does not run here: %s.\n' "$why"
    needs_fio || fail "and fio with its nbd engine is missing: apt-get install fio"
    printf 'fio reads and writes at random, and flushes each write: 8 s on each drive; us by the\n'
    printf 'model\n\n'
    fio_table
fi
if needs_fio; then
    printf '\nfio writes 64 MiB to an SN850, flushes, and power fails\n\n'
    power_cut honoured
    power_cut ignored
fi
printf '\nThe guide goes on from here: docs/guide/your-database.md\n'
