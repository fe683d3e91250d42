#!/usr/bin/env bash
# A hook of the kind people write: notes the event in a log and counts it in a state file. $1 is the folder of both.
set -euo pipefail
payload=$(cat)
event=$(jq -r '.hook_event_name' <<<"$payload")
session=$(jq -r '.session_id' <<<"$payload")
jq -cn --arg event "$event" --arg session "$session" '{at: now, event: $event, session: $session}' >>"$1/log.jsonl"
if [[ ! -s $1/state.json ]]; then echo '{"events": 0}' >"$1/state.json"; fi
jq '.events += 1' "$1/state.json" >"$1/state.json.tmp"
mv "$1/state.json.tmp" "$1/state.json"
