# What the three databases do alike. The script that reads this file defines `ask`, which gives SQL
# to its database and prints the answer.

# SQL of transactions one after the other, from this number on: each moves money between two of 100
# accounts, and its number is asked for once it is committed, so that it is printed then.
transactions() {
    i=$1
    while [ "$i" -lt $(($1 + ${TRANSACTIONS:-300})) ]; do
        from=$((i * 7 % 100 + 1))
        to=$((i * 13 % 100 + 1))
        echo "BEGIN;"
        echo "UPDATE account SET money = money - 1 WHERE id = $from;"
        echo "UPDATE account SET money = money + 1 WHERE id = $to;"
        echo "INSERT INTO done VALUES ($i);"
        echo "COMMIT;"
        echo "SELECT $i;"
        i=$((i + 1))
    done
}

# The number of the next transaction.
next() { ask "SELECT max(number) + 1 FROM done"; }

# The sum never changes, and no transaction is missing whose number was printed.
balance() {
    promised=$(tail -n 1 "$DRIVELAB_OUTPUT")
    sum=$(ask "SELECT sum(money) FROM account")
    [ "$sum" = 100000 ] || { echo "the accounts hold $sum instead of 100000"; exit 1; }
    found=$(ask "SELECT max(number) FROM done")
    [ "$found" -ge "${promised:-0}" ] || {
        echo "transaction $promised was committed, and the last one found is $found"
        exit 1
    }
}
