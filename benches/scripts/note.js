// A hook of the kind people write: notes the event in a log and counts it in a state file. argv[2] is their folder.
const fs = require("node:fs");
const path = require("node:path");

const folder = process.argv[2];
const payload = JSON.parse(fs.readFileSync(0, "utf8"));
const line = { at: Date.now(), event: payload.hook_event_name, session: payload.session_id };
fs.appendFileSync(path.join(folder, "log.jsonl"), JSON.stringify(line) + "\n");
const file = path.join(folder, "state.json");
let state = { events: 0 };
try {
  state = JSON.parse(fs.readFileSync(file, "utf8"));
} catch {
  // The first event.
}
state.events += 1;
fs.writeFileSync(file + ".tmp", JSON.stringify(state));
fs.renameSync(file + ".tmp", file);
