# shellcheck shell=bash
# Steps: runs named parts one after the other, times them, and counts how they ended.

passed=0
failed=0
skipped=0
failed_names=""
# What each step came to, for close_steps in a table: "name|result|seconds" a line.
results=""

in_ci() { [[ ${CI:-} == true ]]; }

note_result() { results+="| $1 | $2 | $3 |"$'\n'; }

# table_of_steps: what each came to, in Markdown, for a note.
table_of_steps() {
    printf '\n| step | result | seconds |\n|---|---|---|\n%s' "$results"
}

# step <name> <command…>: a failure is counted and the next step still runs, so that one run shows everything.
# The command runs as a condition, where `set -e` is off: functions chain their commands with `&&` or `|| return`.
step() {
    local name=$1 started=$SECONDS
    shift
    printf '\n== %s\n' "$name"
    if "$@"; then
        passed=$((passed + 1))
        note_result "$name" passed $((SECONDS - started))
        printf -- '-- %s: passed, %d s\n' "$name" $((SECONDS - started))
    else
        failed=$((failed + 1))
        failed_names="$failed_names, $name"
        note_result "$name" FAILED $((SECONDS - started))
        printf -- '-- %s: FAILED, %d s\n' "$name" $((SECONDS - started))
    fi
}

# skip <name> <reason>: aloud, and never in CI: there a part that cannot run is a failure.
skip() {
    if in_ci; then
        failed=$((failed + 1))
        failed_names="$failed_names, $1"
        note_result "$1" "FAILED: $2" 0
        printf '\n-- %s: FAILED: %s (CI skips nothing)\n' "$1" "$2"
    else
        skip_optional "$1" "$2"
    fi
}

# skip_optional <name> <reason>: for a part that CI does not require.
skip_optional() {
    skipped=$((skipped + 1))
    note_result "$1" "skipped: $2" 0
    printf '\n-- %s: skipped: %s\n' "$1" "$2"
}

# close_steps: the closing line, and the exit code of the whole run.
close_steps() {
    printf '\n'
    if ((failed > 0)); then
        printf 'failed: %s\n' "${failed_names#, }"
    fi
    printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
    ((failed == 0))
}
