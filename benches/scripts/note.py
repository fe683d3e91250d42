"""A hook of the kind people write: notes the event in a log and counts it in a state file. argv[1] is their folder."""

import json
import os
import sys
import time

folder = sys.argv[1]
payload = json.load(sys.stdin)
with open(os.path.join(folder, "log.jsonl"), "a") as log:
    line = {"at": time.time(), "event": payload["hook_event_name"], "session": payload["session_id"]}
    log.write(json.dumps(line) + "\n")
path = os.path.join(folder, "state.json")
try:
    with open(path) as file:
        state = json.load(file)
except (OSError, ValueError):
    state = {"events": 0}
state["events"] += 1
with open(path + ".tmp", "w") as file:
    json.dump(state, file)
os.replace(path + ".tmp", path)
