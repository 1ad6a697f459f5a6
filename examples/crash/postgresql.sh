#!/bin/sh
# PostgreSQL under power cuts: each number that was printed belongs to a transaction that had been
# committed, and must be found again. `drivelab crash-test` sets DRIVELAB_DIR and DRIVELAB_OUTPUT.
#
#   drivelab crash-test --on sn850 --attach ext4 --prepare 'sh examples/crash/postgresql.sh prepare' \
#       --check 'sh examples/crash/postgresql.sh check' -- sh examples/crash/postgresql.sh work
#
# Debian: apt-get install postgresql
set -eu
data="$DRIVELAB_DIR/postgresql"
# Sockets and messages are outside the drive, in a directory of the user that PostgreSQL runs as.
outside=$(dirname "$DRIVELAB_OUTPUT")/postgresql
programs=$(echo /usr/lib/postgresql/*/bin | tr ' ' '\n' | tail -n 1)

# It does not run as root.
own="setpriv --reuid=postgres --regid=postgres --clear-groups --"

client() { "$programs/psql" -h "$outside" -U postgres -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }
ask() { client -c "$1"; }
. "$(dirname "$0")/bank.sh"

start() {
    $own "$programs/postgres" -D "$data" -k "$outside" -c listen_addresses= \
        -c shared_buffers=32MB > "$outside/log" 2>&1 &
    server=$!
    until ask "SELECT 1" > /dev/null 2>&1; do
        kill -0 "$server" 2> /dev/null || { tail -n 5 "$outside/log"; exit 1; }
        sleep 0.05
    done
}

stop() {
    kill -INT "$server"
    wait "$server" || true
}

prepare() {
    mkdir -p "$outside" "$data"
    chmod 711 "$(dirname "$outside")"
    chown postgres:postgres "$outside" "$data"
    $own "$programs/initdb" -D "$data" -U postgres -A trust --data-checksums > /dev/null
    start
    ask "
        CREATE EXTENSION amcheck;
        CREATE TABLE account AS SELECT i AS id, 1000 AS money FROM generate_series(1, 100) AS i;
        ALTER TABLE account ADD PRIMARY KEY (id);
        CREATE TABLE done (number INT PRIMARY KEY);
        INSERT INTO done VALUES (0);"
    stop
}

work() {
    start
    first=$(next)
    transactions "$first" | client
}

check() {
    start
    # Raises an error if an index or a table is damaged; checksums are checked by every read.
    ask "SELECT bt_index_check('account_pkey', true), bt_index_check('done_pkey', true)" \
        > /dev/null
    balance
    stop
}

"$1"
