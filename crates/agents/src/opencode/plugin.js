// Throughline for OpenCode: calls the program below where it matters. Written by `throughline init`; edits are lost.
import { execFile } from "node:child_process"
import { resolve } from "node:path"
const PROGRAM = "@PROGRAM@"
const WAIT_MS = { PreCompact: 5000, SessionEnd: 2000 }, REST_MS = 60_000, REPLY_MAX = 200_000, TEXTS_MAX = 4, TURNS = 10
const { HOME, XDG_DATA_HOME, OPENCODE_DB } = process.env
const DATABASE = resolve(XDG_DATA_HOME || `${HOME}/.local/share`, "opencode", OPENCODE_DB || "opencode.db")
const taken = (globalThis[Symbol.for("throughline.opencode")] ??= new Set())
const within = (promise, ms) => Promise.race([promise, new Promise((done) => setTimeout(done, ms).unref?.())])
const quiet = (hook) => async (input, output) => { try { await hook(input, output) } catch {} } // a hook never throws
export default async ({ client, directory }) => {
  if (taken.size === taken.add(directory).size) return {} // installed twice, it works once
  let rest = 0, compaction // when it may be called again after a hang; what the user set for compactions
  const sessions = new Map(), fresh = { said: [], late: "", turns: 0, step: 0, compacting: false }
  const of = (id) => sessions.get(id) ?? sessions.set(id, { id, queue: Promise.resolve(), context: {}, ...fresh }).get(id)
  const call = (event, session, more) => new Promise((done) => {
    const options = { cwd: directory, timeout: WAIT_MS[event] ?? 3000, killSignal: "SIGKILL", maxBuffer: REPLY_MAX }
    const child = execFile(PROGRAM, ["hook", "--agent", "opencode"], options, (error, out) => {
      if (error?.killed) rest = Date.now() + REST_MS
      try { done(JSON.parse(error ? "" : out)) } catch { done({}) }
    })
    child.stdin.on("error", () => {}).end(JSON.stringify({ hook_event_name: event, session_id: session.id, cwd: directory,
      transcript_path: `${DATABASE}/${session.id}`, client_pid: process.pid, compaction, ...session.context, ...more }))
  })
  const tell = (session, event, more) => (session.queue = session.queue.then(async () => { // one after the other
    session.info ??= (await within(client.session.get({ path: { id: session.id } }), 1000))?.data ?? {}
    if (session.info.parentID || Date.now() < rest) return "" // a subagent's session is a part of another one
    const { text, toast } = await call(event, session, more)
    if (toast) client.tui.showToast({ body: { message: toast, variant: "info" } }).catch(() => {})
    return typeof text === "string" ? text : ""
  }).catch(() => ""))
  const give = (session, event, more) => tell(session, event, more)
    .then((text) => { if (text) session.said = [...session.said, text].slice(0, TEXTS_MAX) })
  const happened = {
    "session.created": (session, { info }) => Object.assign(session, { info, isNew: true }),
    "session.deleted": (session) => sessions.delete(session.id) && session.began && tell(session, "SessionEnd"),
    "session.idle": (session) => Object.assign(session, { compacting: false }).began && tell(session, "Stop"),
    "session.compacted": (session) => {
      Object.assign(session, fresh, { began: true }).context.context_tokens = undefined
      tell(session, "PostCompact", { compact_summary: session.summary })
      give(session, "SessionStart", { source: "compact" })
    },
    "message.updated": (session, { info: { id, tokens, summary, modelID } }) => summary === true
      ? (session.summaryID = id)
      : tokens?.total && Object.assign(session.context, { context_tokens: tokens.total, model: modelID }),
    "message.part.updated": (session, { part }) => part.type === "compaction"
      ? (session.context.trigger = part.auto ? "auto" : "manual")
      : part.messageID === session.summaryID && part.type === "text" && (session.summary = part.text.slice(0, REPLY_MAX)),
  }
  return {
    config: quiet((config) => { compaction = config.compaction }),
    event: quiet(({ event }) => { happened[event.type]?.(of(event.properties.sessionID), event.properties) }),
    "chat.message": quiet(({ sessionID }, { message }) => { // not waited for: the reply is there before the first request
      const session = of(sessionID), event = session.began ? "UserPromptSubmit" : "SessionStart"
      Object.assign(session, { began: true }).context.model = message.model.modelID
      give(session, event, { source: session.isNew ? "startup" : "resume" })
    }),
    // What was said stands at one place in the system prompt of every later request, as in a conversation a message would.
    "experimental.chat.system.transform": quiet(async ({ sessionID, model }, { system }) => {
      const session = of(sessionID), isTitle = !system[0].includes("<env>") && /title/i.test(system[0])
      if (session.compacting || isTitle) return
      session.context.limit = model.limit
      await session.queue
      if (session.said.length) system.push(session.said.join("\n\n"))
    }),
    "experimental.session.compacting": quiet(async ({ sessionID }, { context }) => {
      const text = await tell(Object.assign(of(sessionID), { compacting: true, summary: "" }), "PreCompact")
      if (text) context.push(text)
    }),
    "tool.execute.after": quiet(({ sessionID }, output) => { // now and then; what it says comes with a later tool's output
      const session = of(sessionID), { context_tokens = 0, limit } = session.context, turns = ++session.turns
      if (session.late) output.output += `\n\n${session.late}`
      const step = Math.floor((40 * context_tokens) / (limit?.input || limit?.context || Infinity)), grew = step > Math.max(session.step, 11)
      if (grew || turns >= TURNS) tell(session, "PostToolUse", { turns }).then((text) => { session.late = text })
      Object.assign(session, { late: "", step, turns: grew || turns >= TURNS ? 0 : turns })
    }),
    dispose: quiet(() => taken.delete(directory) && within(Promise.all(
      [...sessions.values()].map((session) => session.began && tell(session, "SessionEnd"))), 4000)),
  }
}
