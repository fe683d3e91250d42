#!/usr/bin/env bash
# A status line of the kind people write: one jq a value, git for the branch, a state file, a log line. Our own, written
# for this comparison; $1 is the folder of its state and its log.
set -euo pipefail
payload=$(cat)
value() { jq -r "$1" <<<"$payload"; }
model=$(value '.model.display_name // "?"')
session=$(value '.session_id // ""')
cwd=$(value '.cwd // ""')
size=$(value '.context_window.context_window_size // 200000')
input=$(value '.context_window.current_usage.input_tokens // 0')
output=$(value '.context_window.current_usage.output_tokens // 0')
created=$(value '.context_window.current_usage.cache_creation_input_tokens // 0')
read_back=$(value '.context_window.current_usage.cache_read_input_tokens // 0')
used=$((input + created + read_back))
percent=$((used * 100 / size))
state=$1/state.json
if [[ ! -s $state ]]; then echo '{}' >"$state"; fi
before=$(jq -r '.used // 0' "$state")
known=$(jq -r '.session // ""' "$state")
compacted=false
if [[ $known == "$session" ]] && ((used < before)); then compacted=true; fi
status=HEALTHY icon=""
if ((percent >= 95)); then
    status=EMERGENCY icon=" !!!"
elif ((percent >= 90)); then
    status=CRITICAL icon=" !!"
elif ((percent >= 70)); then
    status=WARNING icon=" !"
fi
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
jq -n --arg session "$session" --arg status "$status" --arg now "$now" --argjson used "$used" \
    '{session: $session, status: $status, used: $used, at: $now}' >"$state.tmp"
mv "$state.tmp" "$state"
jq -cn --arg ts "$now" --arg session "$session" --arg cwd "$cwd" --arg status "$status" --argjson used "$used" \
    --argjson size "$size" --argjson percent "$percent" --argjson output "$output" --argjson compaction "$compacted" \
    '{ts: $ts, session: $session, context_used: $used, context_size: $size, percent: $percent, output: $output,
      status: $status, compaction: $compaction, cwd: $cwd}' >>"$1/log.jsonl"
branch=$(git -C "$cwd" branch --show-current 2>/dev/null || true)
printf '[%s] %s%% (%st)%s %s\n' "$model" "$percent" "$used" "$icon" "$branch"
