// Fragments of the daemon's, put into the page; and short notices.

import { tick } from "./clock.js";
import { ask, secret } from "./session.js";

const loading = new WeakMap();
const LATE = 15_000; // milliseconds after which an answer does not come any more: what waits for its turn must go on

/** Put what a path gives into `target`; the answer, or nothing if another load took its place, it failed, or when it came
 * `isWanted` said no. */
export async function load(path, target, { isWanted = () => true, ...options } = {}) {
  loading.get(target)?.abort();
  const abort = new AbortController();
  loading.set(target, abort);
  const late = setTimeout(() => abort.abort(), LATE);
  try {
    const response = await ask(path, { ...options, signal: abort.signal });
    const text = await response.text();
    if (abort.signal.aborted || response.status === 401 || !isWanted()) return null;
    await htmx.swap({ text, target, sourceElement: target, swap: "innerHTML" });
    tick(target);
    return response;
  } catch (error) {
    if (!abort.signal.aborted) toast("The daemon can't be reached.", "trouble");
    return null;
  } finally {
    clearTimeout(late);
  }
}

/** A notice that goes by itself. */
export function toast(words, kind = "done") {
  const shown = document.createElement("p");
  shown.className = `toast toast-${kind}`;
  shown.textContent = words;
  document.getElementById("toasts").append(shown);
  setTimeout(() => shown.remove(), 5000);
}

// What htmx asks for by itself, with the session.
document.addEventListener("htmx:config:request", ({ detail }) => {
  detail.ctx.request.headers.Authorization = `Bearer ${secret()}`;
  detail.ctx.request.credentials = "omit";
});
