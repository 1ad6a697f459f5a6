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

ask() { mariadb --no-defaults --socket="$socket" --skip-column-names --batch "$@"; }

start() {
    mariadbd --no-defaults --user="$(id -un)" --datadir="$data" --socket="$socket" \
        --pid-file="$outside/mariadb.pid" --log-error="$outside/mariadb.log" \
        --skip-networking --skip-grant-tables --innodb-buffer-pool-size=32M \
        --innodb-log-file-size=16M > /dev/null 2>&1 &
    server=$!
    until ask -e "SELECT 1" > /dev/null 2>&1; do
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
    ask -e "
        CREATE DATABASE bank;
        CREATE TABLE bank.account (id INT PRIMARY KEY, money INT NOT NULL) ENGINE = InnoDB;
        CREATE TABLE bank.done (number INT PRIMARY KEY) ENGINE = InnoDB;
        INSERT INTO bank.done VALUES (0);"
    for i in $(seq 100); do echo "INSERT INTO bank.account VALUES ($i, 1000);"; done | ask
    stop
}

work() {
    start
    first=$(ask -e "SELECT max(number) + 1 FROM bank.done")
    i=$first
    while [ "$i" -lt $((first + ${TRANSACTIONS:-300})) ]; do
        from=$((i * 7 % 100 + 1))
        to=$((i * 13 % 100 + 1))
        echo "BEGIN;"
        echo "UPDATE bank.account SET money = money - 1 WHERE id = $from;"
        echo "UPDATE bank.account SET money = money + 1 WHERE id = $to;"
        echo "INSERT INTO bank.done VALUES ($i);"
        echo "COMMIT;"
        echo "SELECT $i;"
        i=$((i + 1))
    done | ask --unbuffered
}

check() {
    promised=$(tail -n 1 "$DRIVELAB_OUTPUT")
    start
    sound=$(ask -e "CHECK TABLE bank.account, bank.done" | grep -v 'status.OK$' || true)
    [ -z "$sound" ] || { echo "a table is damaged: $sound"; exit 1; }
    sum=$(ask -e "SELECT sum(money) FROM bank.account")
    [ "$sum" = 100000 ] || { echo "the accounts hold $sum instead of 100000"; exit 1; }
    found=$(ask -e "SELECT max(number) FROM bank.done")
    [ "$found" -ge "${promised:-0}" ] || {
        echo "transaction $promised was committed, and the last one found is $found"
        exit 1
    }
    stop
}

"$1"
