// The shell: signing in and out, which page is shown, whether it is live. Pages are fragments of the daemon's.

import { tick } from "./clock.js";
import { follow } from "./live.js";
import * as session from "./session.js";
import * as approvals from "./approvals.js";
import * as record from "./record.js";
import * as answers from "./answers.js";
import { load, toast } from "./fragments.js";

const by = (id) => document.getElementById(id);
const WORDS = { connecting: "Connecting…", live: "Live", reconnecting: "Reconnecting…", out: "Signed out" };
let stopFollowing = () => {};

let shown = "";

const pathOf = (path) => (path === "/" ? "/approvals" : path);
const here = () => location.pathname + location.search;

/** Show the page of a path of ours, with its query. */
async function show(path) {
  const [page, query] = pathOf(path).split(/(?=\?)/);
  const request = page.match(/^\/approvals(?:\/([^/]+))?$/);
  for (const link of document.querySelectorAll("[data-page]")) {
    const current = page === link.dataset.page || page.startsWith(`${link.dataset.page}/`);
    if (current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  by("more").toggleAttribute("data-here", Boolean(by("rest").querySelector("[aria-current]")));
  openMore(false);
  if (request && by("approvals")) return approvals.choose(request[1] ? decodeURIComponent(request[1]) : "");
  record.ended();
  if (shown !== page) {
    by("page").replaceChildren(by("waiting").content.cloneNode(true));
    by("page").scrollTo(0, 0);
  }
  shown = page;
  const response = await load(`/console${page}${query ?? ""}`, by("page"));
  if (by("approvals")) approvals.begun();
  else if (response) record.begun(go);
}

/** Where there is no room for all pages, those that are behind More. */
function openMore(isOpen) {
  by("rest").toggleAttribute("data-open", isOpen);
  by("more").setAttribute("aria-expanded", String(isOpen));
}
by("more").addEventListener("click", () => openMore(!by("rest").hasAttribute("data-open")));
document.addEventListener("click", ({ target }) => { if (!target.closest("#more, #rest")) openMore(false); });

function go(path) {
  if (path !== here()) history.pushState(null, "", path);
  return show(path);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='/']");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  go(link.getAttribute("href"));
});
addEventListener("popstate", () => { if (session.secret()) show(here()); });

// Signed in, or not

function enter(who) {
  by("who-name").textContent = who.name;
  by("who-role").textContent = who.role;
  by("starting").hidden = by("sign-in").hidden = true;
  by("app").hidden = false;
  by("token").value = "";
  show(here());
  stopFollowing = follow({
    onEvent: (kind, told) => {
      if (kind !== "approval") return;
      approvals.changed(told);
      answers.changed();
    },
    onOpen: () => approvals.refresh(),
    onState: (state) => {
      by("live").dataset.state = document.documentElement.dataset.live = state;
      by("live").querySelector(".live-word").textContent = WORDS[state];
    },
  });
}

function leave(why) {
  stopFollowing();
  record.ended();
  shown = "";
  by("page").replaceChildren();
  by("arrivals").replaceChildren();
  approvals.count(0);
  by("starting").hidden = by("app").hidden = true;
  by("sign-in").hidden = false;
  if (why) by("sign-in-why").textContent = why;
  by("sign-in-problem").hidden = true;
  by("token").focus();
}
session.onOver(leave);

async function trySigningIn(token) {
  try {
    enter(await session.signIn(token));
  } catch (error) {
    leave();
    by("sign-in-problem").textContent = error instanceof TypeError ? "The daemon can't be reached." : error.message;
    by("sign-in-problem").hidden = false;
  }
}

by("sign-in-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const token = by("token").value.trim();
  if (token) trySigningIn(token);
  else by("token").focus();
});
by("sign-out").addEventListener("click", async () => {
  if (!(await session.signOut().catch(() => false)) && session.secret()) toast("You are still signed in: the daemon can't be reached.", "trouble");
});
by("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const isDark = getComputedStyle(root).colorScheme === "dark" || (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  localStorage.setItem("guardhouse.theme", (root.dataset.theme = isDark ? "light" : "dark"));
});

// Keys

const isTyping = (element) => element.matches("input, textarea, select, [contenteditable]");
by("help-open").addEventListener("click", () => by("help").showModal());
document.addEventListener("keydown", (event) => {
  if (event.metaKey || event.altKey || by("app").hidden || by("help").open) return;
  if (event.key === "Escape" && by("rest").hasAttribute("data-open")) {
    openMore(false);
    return by("more").focus();
  }
  if (event.key === "?" && !isTyping(event.target)) return by("help").showModal();
  approvals.key(event, isTyping(event.target), go);
});

(async () => {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (location.hash) history.replaceState(null, "", here());
  try {
    const who = await session.resume();
    if (who) return enter(who);
  } catch {
    return leave("The daemon can't be reached. Load this page again.");
  }
  // A link of another place must not sign anybody in as somebody else.
  if (code && !("fromElsewhere" in document.documentElement.dataset)) return trySigningIn(code);
  leave(by("sign-in-why").textContent);
})();

setTimeout(tick);
