#!/bin/sh
# MariaDB under power cuts: each number that was printed belongs to a transaction that had been
# committed, and must be found again. `drivelab crash-test` sets DRIVELAB_DIR and DRIVELAB_OUTPUT.
#
#   drivelab crash-test --on sn850 --attach ext4 --prepare 'sh examples/crash/mariadb.sh prepare' \
#       --check 'sh examples/crash/mariadb.sh check' -- sh examples/crash/mariadb.sh work
#
# Debian: apt-get install mariadb-server-core mariadb-client-core
set -eu
data="$DRIVELAB_DIR/mariadb"
# Sockets and messages are outside the drive.
outside=$(dirname "$DRIVELAB_OUTPUT")
socket="$outside/mariadb.sock"

client() { mariadb --no-defaults --socket="$socket" --skip-column-names --batch "$@"; }
ask() { client bank -e "$1"; }
. "$(dirname "$0")/bank.sh"

start() {
    mariadbd --no-defaults --user="$(id -un)" --datadir="$data" --socket="$socket" \
        --pid-file="$outside/mariadb.pid" --log-error="$outside/mariadb.log" \
        --skip-networking --skip-grant-tables --innodb-buffer-pool-size=32M \
        --innodb-log-file-size=16M > /dev/null 2>&1 &
    server=$!
    until client -e "SELECT 1" > /dev/null 2>&1; do
        kill -0 "$server" 2> /dev/null || { tail -n 5 "$outside/mariadb.log"; exit 1; }
        sleep 0.05
    done
}

stop() {
    kill "$server"
    wait "$server" || true
}

prepare() {
    mariadb-install-db --no-defaults --user="$(id -un)" --datadir="$data" \
        --skip-test-db --auth-root-authentication-method=normal > /dev/null
    start
    client -e "
        CREATE DATABASE bank;
        CREATE TABLE bank.account (id INT PRIMARY KEY, money INT NOT NULL) ENGINE = InnoDB;
        CREATE TABLE bank.done (number INT PRIMARY KEY) ENGINE = InnoDB;
        INSERT INTO bank.done VALUES (0);"
    for i in $(seq 100); do echo "INSERT INTO account VALUES ($i, 1000);"; done | client bank
    stop
}

work() {
    start
    first=$(next)
    transactions "$first" | client --unbuffered bank
}

check() {
    start
    sound=$(ask "CHECK TABLE account, done" | grep -v 'status.OK$' || true)
    [ -z "$sound" ] || { echo "a table is damaged: $sound"; exit 1; }
    balance
    stop
}

"$1"
