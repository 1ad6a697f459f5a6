# Adds up what `cargo test` prints. `skips` names the file of tests that skipped themselves (see
# tests/needs): such a test returned early, which cargo calls passed.
{ print; fflush() }
/^running [0-9]+ tests?$/ { crash(); open = 1 }
/^test result: / { passed += $4; failed += $6; skipped += $8; open = 0 }

# A binary that ended before it said how its tests went: cargo names it at the end.
function crash() { failed += open; open = 0 }

END {
    crash()
    while (skips != "" && (getline line < skips) > 0) {
        if (!early++) { print "" }
        print line
    }
    passed -= early
    skipped += early
    printf "\ntests: %d passed, %d failed, %d skipped\n", passed, failed, skipped
}
