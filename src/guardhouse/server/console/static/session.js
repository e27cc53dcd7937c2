// Who is signed in, in this tab. The session's secret is kept in sessionStorage and sent as a header, never as a cookie:
// cookies are not kept apart by port. Another tab of this very origin asks for it over a channel.

const KEY = "guardhouse.session";
const channel = new BroadcastChannel("guardhouse");
const listeners = new Set();
const ACTIVE_EVERY = 60_000;

let offset = 0; // of the daemon's clock, in seconds
let lastTold = Date.now();

export const secret = () => sessionStorage.getItem(KEY) ?? "";
export const now = () => Date.now() / 1000 + offset;
export const onOver = (listener) => listeners.add(listener);

const idOf = (text) => text.split("_").slice(0, 3).join("_");

channel.addEventListener("message", ({ data }) => {
  if (data.ask && secret()) channel.postMessage({ session: secret() });
  if (data.over && secret() && idOf(secret()) === data.over) over("You have signed out in another tab.");
});

/** A request with the session. `byItself`: nobody did anything for it, so it does not keep the session from ending. */
export async function ask(path, { byItself = false, headers = {}, ...options } = {}) {
  const sent = { ...headers, Authorization: `Bearer ${secret()}` };
  if (byItself) sent["Guardhouse-By-Itself"] = "1";
  const response = await fetch(path, { ...options, headers: sent, credentials: "omit", cache: "no-store", mode: "same-origin" });
  if (response.status === 401) over("Your session is over. Sign in again.");
  return response;
}

/** Who is signed in already, here or in another tab; nothing if nobody is. */
export async function resume() {
  if (!secret()) await fromOtherTab();
  if (!secret()) return null;
  const response = await ask("/v1/console/session");
  return response.ok ? begun(await response.json()) : null;
}

/** Sign in with a token or a code; who it is. An error has words for people. */
export async function signIn(token) {
  const response = await fetch("/v1/console/sign-in", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token }),
    credentials: "omit",
    mode: "same-origin",
  });
  const told = await response.json();
  if (!response.ok) throw new Error([told.error.message, told.error.fix].filter(Boolean).join(" "));
  sessionStorage.setItem(KEY, told.session);
  return begun(told);
}

export async function signOut() {
  channel.postMessage({ over: idOf(secret()) });
  const response = await ask("/v1/console/sign-out", { method: "POST" });
  if (response.ok) over("You have signed out.");
  return response.ok;
}

/** The session is over: nothing that was shown stays. */
export function over(why) {
  if (!secret()) return;
  sessionStorage.removeItem(KEY);
  for (const listener of listeners) listener(why);
}

function begun(told) {
  offset = told.now - Date.now() / 1000;
  lastTold = Date.now();
  return told;
}

function fromOtherTab() {
  return new Promise((resolve) => {
    const heard = ({ data }) => {
      if (!data.session) return;
      sessionStorage.setItem(KEY, data.session);
      done();
    };
    const timer = setTimeout(done, 200);
    function done() {
      clearTimeout(timer);
      channel.removeEventListener("message", heard);
      resolve();
    }
    channel.addEventListener("message", heard);
    channel.postMessage({ ask: true });
  });
}

// Somebody who reads is there, too: tell the daemon now and then, so that the session does not become idle.
for (const kind of ["pointerdown", "pointermove", "keydown", "wheel"]) {
  addEventListener(kind, () => {
    if (!secret() || Date.now() - lastTold < ACTIVE_EVERY) return;
    lastTold = Date.now();
    ask("/v1/console/session").catch(() => {}); // what is wrong with the connection is shown by live.js
  }, { passive: true });
}
