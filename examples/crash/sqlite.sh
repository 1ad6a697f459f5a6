#!/bin/sh
# SQLite under power cuts: each number that was printed belongs to a transaction that had been
# committed, and must be found again. `drivelab crash-test` sets DRIVELAB_DIR and DRIVELAB_OUTPUT.
#
#   drivelab crash-test --on sn850 --attach ext4 --prepare 'sh examples/crash/sqlite.sh prepare' \
#       --check 'sh examples/crash/sqlite.sh check' -- sh examples/crash/sqlite.sh work
set -eu
db="$DRIVELAB_DIR/bank.db"
# The journal that SQLite uses: `delete`, `truncate`, `persist` or `wal`. With `delete` a transaction
# is committed when the journal is deleted, and only `SYNCHRONOUS=EXTRA` waits for that to be durable.
journal="${JOURNAL:-wal}"
synchronous="${SYNCHRONOUS:-FULL}"

# Two accounts of each of 100 rows move money: the sum must never change.
prepare() {
    sqlite3 -bail "$db" "
        PRAGMA journal_mode = $journal;
        CREATE TABLE account (id INTEGER PRIMARY KEY, money INTEGER NOT NULL);
        CREATE TABLE done (number INTEGER PRIMARY KEY);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
        INSERT INTO account SELECT i, 1000 FROM n;
        INSERT INTO done VALUES (0);" > /dev/null
}

# Transactions one after the other; the number of each is printed once it is committed.
work() {
    first=$(sqlite3 -bail "$db" "SELECT max(number) + 1 FROM done;")
    {
        echo "PRAGMA synchronous = $synchronous;"
        i=$first
        while [ "$i" -lt $((first + ${TRANSACTIONS:-300})) ]; do
            from=$((i * 7 % 100 + 1))
            to=$((i * 13 % 100 + 1))
            echo "BEGIN IMMEDIATE;"
            echo "UPDATE account SET money = money - 1 WHERE id = $from;"
            echo "UPDATE account SET money = money + 1 WHERE id = $to;"
            echo "INSERT INTO done VALUES ($i);"
            echo "COMMIT;"
            echo "SELECT $i;"
            i=$((i + 1))
        done
    } | sqlite3 -bail "$db"
}

check() {
    promised=$(tail -n 1 "$DRIVELAB_OUTPUT")
    sound=$(sqlite3 -bail "$db" "PRAGMA integrity_check;")
    [ "$sound" = ok ] || { echo "the database is damaged: $sound"; exit 1; }
    sum=$(sqlite3 -bail "$db" "SELECT sum(money) FROM account;")
    [ "$sum" = 100000 ] || { echo "the accounts hold $sum instead of 100000"; exit 1; }
    found=$(sqlite3 -bail "$db" "SELECT max(number) FROM done;")
    [ "$found" -ge "${promised:-0}" ] || {
        echo "transaction $promised was committed, and the last one found is $found"
        exit 1
    }
}

"$1"
