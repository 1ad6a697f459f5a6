#!/bin/bash
# MariaDB on drives that you do not own: the same database on one modelled drive after the other,
# and sysbench's read-write transactions on it. Prints a row for each drive.
#
#   examples/live/mariadb.sh DRIVE...
#
# What may be set before it:
#   LOAD=30        seconds that are measured on each drive
#   WARM=10        seconds of the same load before them
#   THREADS=8      clients
#   TABLES=4 ROWS=250000     tables, and rows of each
#   POOL=32M       InnoDB's buffer pool
# and SIZE, STATE, TIME and DRIVELAB of with-drive.sh. Times are those of the drive: with TIME=10x
# its second takes ten, and LOAD=30 measures three.
#
# It needs root. Debian: apt-get install --no-install-recommends mariadb-server-core sysbench \
#     libnbd-bin fuse3
set -euo pipefail
shopt -s inherit_errexit
export PATH=$PATH:/usr/sbin:/sbin
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

if [ $# = 0 ] || [ "$1" = --help ]; then
    sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "$0"
    exit 2
fi
load=${LOAD:-30} warm=${WARM:-10} threads=${THREADS:-8} tables=${TABLES:-4} rows=${ROWS:-250000}
pool=${POOL:-32M} times=${TIME:-1x}
times=${times%x}
# Pages that the server writes a second in the background: it counts seconds of the clock.
pages=$((1000 / times > 100 ? 1000 / times : 100))
work=${MARIADB_WORK:-} mariadbd="" child="" marked=""

# start DATA LOG OPTIONS...: the server with its data and its log in these folders.
start() {
    local data=$1/mariadb log=$2/mariadb
    shift 2
    printf 'CREATE DATABASE IF NOT EXISTS sbtest;\n' > "$work/init.sql"
    mkdir -p "$data" "$log"
    on_its_own mariadbd --no-defaults --user="$(id -un)" --datadir="$data" \
        --innodb-log-group-home-dir="$log" --socket="$work/mariadb.sock" --tmpdir="$work" \
        --pid-file="$work/mariadb.pid" --log-error="$work/mariadb.log" \
        --init-file="$work/init.sql" \
        --skip-networking --skip-grant-tables --skip-log-bin --loose-performance-schema=OFF \
        --innodb-log-file-size=64M --innodb-io-capacity="$pages" \
        --innodb-lru-scan-depth="$pages" \
        --loose-innodb-buffer-pool-dump-at-shutdown=OFF \
        --loose-innodb-buffer-pool-load-at-startup=OFF "$@" > /dev/null 2>&1 &
    mariadbd=$!
    until [ -S "$work/mariadb.sock" ] && grep -q 'ready for connections' "$work/mariadb.log"; do
        kill -0 "$mariadbd" 2> /dev/null || fail "mariadbd: $(tail -n 5 "$work/mariadb.log")"
        sleep 0.1
    done
}

stop() {
    [ -z "$mariadbd" ] || end "$mariadbd"
    mariadbd=""
    rm -f "$work/mariadb.log"
}

client() {
    sysbench oltp_read_write --db-driver=mysql --mysql-socket="$work/mariadb.sock" \
        --mysql-user=root --mysql-db=sbtest --tables="$tables" --table-size="$rows" \
        --rand-type=uniform --percentile=99 "$@" > "$work/sysbench.txt" 2>&1 ||
        fail "sysbench: $(tail -n 5 "$work/sysbench.txt")"
}

# The load, on the drive: with-drive.sh calls this script with DRIVELAB_DIR.
on_drive() {
    start "$DRIVELAB_DIR" "$DRIVELAB_LOG" --innodb-buffer-pool-size="$pool" \
        --innodb-flush-method=O_DIRECT --innodb-fast-shutdown=2
    [ "$warm" = 0 ] || client --threads="$threads" --time="$warm" run
    client --threads="$threads" --time="$load" run
    stop
}

# The database is made once, in a folder of this machine.
make_database() {
    start "$work/database/data" "$work/database/log" --innodb-buffer-pool-size=1G \
        --innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=OFF
    client --threads="$tables" prepare
    stop
}

line() { printf '%-15s  %8s %8s %8s  %9s %8s %9s %9s  %5s %8s %s\n' "$@"; }

title() {
    printf '%-15s  %-26s  %-38s  %s\n' "" "   Transactions" "Drive, us" "Machine, us"
    line Drive "a second" "mean, ms" "p99, ms" "read mean" "read p99" "write p99" "flush p99" \
        way "late p99" ""
}

# row REPORT DRIVE: from the report of the drive, and from what sysbench printed by the clock.
row() {
    awk -v drive="$2" -v times="$times" '
        FNR == NR { of[$1] = $2; next }
        /transactions:/ { sub(/[(]/, "", $3); rate = $3 * times }
        /avg:/ { mean = $2 / times }
        /99th percentile:/ { p99 = $3 / times }
        END {
            spoilt = of["way_us"] > of["read_mean_us"] / 4 ||
                of["late_p99_us"] > of["read_p99_us"] / 4
            printf "%s %.1f %.2f %.2f %.0f %.0f %.0f %.0f %.0f %.0f %s\n", drive, rate, mean, p99,
                of["read_mean_us"], of["read_p99_us"], of["write_p99_us"], of["flush_p99_us"],
                of["way_us"], of["late_p99_us"], (spoilt ? "*" : "-")
        }' "$1" "$work/sysbench.txt"
}

finish() {
    trap '' INT TERM HUP
    [ -z "$child" ] || end "$child" 300
    stop
    [ -n "${MARIADB_WORK:-}" ] || rm -rf "$work"
}

if [ -n "$work" ]; then
    trap finish EXIT
    trap 'exit 143' TERM HUP
    on_drive
    exit
fi
needs_root
needs mariadbd:mariadb-server-core sysbench:sysbench nbdfuse:libnbd-bin fusermount3:fuse3 \
    mkfs.ext4:e2fsprogs losetup:mount unshare:util-linux
DRIVELAB=$(find_drivelab)
for drive; do "$DRIVELAB" show "${drive%%@*}" > /dev/null; done
work=$(work_folder)
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
export DRIVELAB MARIADB_WORK=

printf 'making %s tables of %s rows\n' "$tables" "$rows" >&2
make_database
title
for drive; do
    on_its_own env MARIADB_WORK="$work" FROM="$work/database" REPORT="$work/report" \
        "$here/with-drive.sh" "$drive" "$0" --on-drive &
    child=$!
    wait "$child"
    child=""
    read -r -a fields <<< "$(row "$work/report" "$drive")"
    [ "${fields[-1]}" = "*" ] || fields[-1]=""
    line "${fields[@]}"
    marked+=${fields[-1]}
done
[ -z "$marked" ] || printf '%s\n' \
    "* The machine is in it: the way to the drive takes more than a quarter of a read, or answers" \
    "  are late (p99) by more than a quarter of its p99. Let the drive run slower: TIME=10x."
