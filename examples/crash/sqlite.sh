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

ask() { sqlite3 -bail "$db" "$1"; }
. "$(dirname "$0")/bank.sh"

prepare() {
    ask "
        PRAGMA journal_mode = $journal;
        CREATE TABLE account (id INTEGER PRIMARY KEY, money INTEGER NOT NULL);
        CREATE TABLE done (number INTEGER PRIMARY KEY);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
        INSERT INTO account SELECT i, 1000 FROM n;
        INSERT INTO done VALUES (0);" > /dev/null
}

work() {
    first=$(next)
    { echo "PRAGMA synchronous = $synchronous;"; transactions "$first"; } | sqlite3 -bail "$db"
}

check() {
    sound=$(ask "PRAGMA integrity_check;")
    [ "$sound" = ok ] || { echo "the database is damaged: $sound"; exit 1; }
    balance
}

"$1"
