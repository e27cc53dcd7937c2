// The page of approvals: rows come and go as requests do, and a card can be answered once all of it was shown.

import { tick } from "./clock.js";
import { load, toast } from "./fragments.js";
import { ask, over, secret } from "./session.js";

const by = (id) => document.getElementById(id);
const INERT_FOR = 700; // milliseconds in which a card that just came can't be approved: the click was meant for another
const TOGETHER = 120;
const AGAIN_AFTER = 5000;
const SOON = 1000;
const MOST_AT_ONCE = 50;
const RISKS = ["low", "medium", "high", "critical"];
const WORDS = { approved: "Approved", consumed: "Approved", denied: "Denied" };

let arrived = new Set();
let flushing = 0;
let turn = Promise.resolve();

/** One look at the list after the other: a second one must not take the place of the first, whose rows would be lost. */
const inTurn = (work) => (turn = turn.then(work, work));

/** Of those that are put together on one card, show the gravest, the newest of these first, and say how many more there
 * are: nothing harmless may stand in front of what is not. */
function fold() {
  const groups = new Map();
  for (const row of document.querySelectorAll("#rows .row:not(.gone)")) {
    row.querySelector(".row-more").textContent = "";
    row.classList.remove("folded");
    const group = row.dataset.group;
    if (group) groups.set(group, [...(groups.get(group) ?? []), row]);
  }
  for (const rows of groups.values()) {
    if (rows.length === 1) continue;
    const rank = (row) => RISKS.indexOf(row.dataset.risk);
    const first = rows.reduce((best, row) => (rank(row) > rank(best) ? row : best));
    for (const row of rows) row.classList.toggle("folded", row !== first);
    first.querySelector(".row-more").textContent = `+${rows.length - 1} alike`;
  }
}

/** How many wait, wherever that is shown. */
export function count(number) {
  for (const id of ["count", "list-count"]) if (by(id)) by(id).textContent = String(number);
  by("count").hidden = !number;
  document.title = number ? `(${number}) Guardhouse` : "Guardhouse";
}

/** The page was just put up. */
export function begun() {
  count(Number(by("approvals").dataset.count));
  fold();
  arm();
}

/** A request has changed, or is new. */
export function changed(outline) {
  const row = by(`row-${outline.id}`);
  if (outline.status === "pending") {
    if (!row) arrived.add(outline.id);
    // Where several must agree, somebody may have: nobody agrees to terms that their card does not show.
    if (outline.needed > 1 && document.querySelector("#card article")?.dataset.id === outline.id) recheck(outline.id);
  } else {
    arrived.delete(outline.id);
    if (row) leave(row);
    const card = document.querySelector("#card article");
    if (card?.dataset.id === outline.id && card.dataset.status !== outline.status) {
      showCard(outline.id, (shown) => shown.dataset.status !== outline.status);
    }
  }
  flushing ||= setTimeout(flush, TOGETHER);
}

/** Look at the whole list again: something may have been missed. */
export const refresh = () => inTurn(async () => {
  arrived = new Set();
  await bring("/console/approvals/more", (rows) => {
    const list = by("rows");
    if (!list) return;
    announce(merge(list, rows));
    mark(by("approvals").dataset.chosen);
  });
  const card = document.querySelector("#card article");
  if (card?.dataset.status === "pending") await recheck(card.dataset.id);
});

/** Make `list` hold `rows`, and give those that were not there. A row that is there already stays as it is: somebody may
 * be about to click it. */
function merge(list, rows) {
  const has = new Map([...list.querySelectorAll(".row")].map((row) => [row.dataset.id, row]));
  const wanted = rows.map((row) => has.get(row.dataset.id) ?? row);
  for (const old of [...list.children]) if (!wanted.includes(old)) old.remove();
  wanted.forEach((row, at) => {
    if (list.children[at] !== row) list.insertBefore(row, list.children[at] ?? null);
  });
  return rows.filter((row) => row.matches(".row") && !has.has(row.dataset.id));
}

/** Say what has come, to who does not see the list. */
function announce(fresh) {
  if (!fresh.length) return;
  const of = (name) => fresh[0].querySelector(name)?.textContent.trim();
  by("news").textContent = fresh.length === 1
    ? `New request: ${of(".row-tool")}, risk ${of(".risk")}`
    : `${fresh.length} new requests`;
}

const flush = () => inTurn(async () => {
  flushing = 0;
  const ids = [...arrived];
  arrived = new Set();
  if (ids.length > MOST_AT_ONCE) return void refresh();
  await bring(`/console/approvals/rows?ids=${ids.map(encodeURIComponent).join(",")}`, (rows) => {
    const list = by("rows");
    const fresh = rows.filter((row) => !list || !by(row.id) || by("arrivals").contains(by(row.id)));
    if (list) {
      for (const row of fresh) row.classList.add("fresh");
      list.prepend(...fresh);
    }
    announce(fresh);
  });
});

async function bring(path, put) {
  const response = await load(path, by("arrivals"), { byItself: true });
  if (!response?.ok) {
    if (response) toast("The list can't be brought up to date; trying again.", "trouble");
    if (secret()) setTimeout(refresh, AGAIN_AFTER);
    return;
  }
  const rows = [...by("arrivals").children];
  put(rows);
  by("arrivals").replaceChildren();
  fold();
  const pending = Number(response.headers.get("guardhouse-pending"));
  count(pending);
  // They are counted after the list is read: one that came in between is on the next list.
  const list = by("rows");
  const shown = list?.querySelectorAll(".row:not(.gone)").length ?? pending;
  if (shown < pending && !list.querySelector("[hx-get]")) setTimeout(refresh, SOON);
}

function leave(row) {
  if (row.contains(document.activeElement)) neighbour(row, 1)?.querySelector("a").focus();
  row.classList.add("gone");
  fold();
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  setTimeout(() => row.remove(), still ? 0 : 260);
}

// Choosing

/** Show the card of a request; of none, if it is empty. */
export async function choose(id) {
  by("approvals").dataset.chosen = id;
  mark(id);
  if (!id) return by("card").replaceChildren(by("no-card").content.cloneNode(true));
  await showCard(id);
  if (matchMedia("(max-width: 820px)").matches) scrollTo(0, 0);
}

function mark(id) {
  for (const link of document.querySelectorAll("#rows [aria-current]")) link.removeAttribute("aria-current");
  by(`row-${id}`)?.querySelector("a").setAttribute("aria-current", "true");
}

/** Put the card of a request up; by itself, if `isStale` says of the one that is there whether it still shows what is no
 * longer so. What was typed stays. */
async function showCard(id, isStale = null) {
  const byItself = Boolean(isStale);
  if (!byItself) by("card").replaceChildren(by("waiting").content.cloneNode(true));
  // An answer of one's own may have come meanwhile, with words that say more than the card alone.
  let restore = () => {};
  const isWanted = () => {
    const card = document.querySelector("#card article");
    if (!isStale) return true;
    if (card?.dataset.id !== id || !isStale(card)) return false;
    restore = typed();
    return true;
  };
  if (await load(`/console/approvals/${encodeURIComponent(id)}/card`, by("card"), { byItself, isWanted })) {
    restore();
    arm();
  }
  if (!byItself) by("card-pane").scrollTop = 0;
}

/** What is typed into the message now; call what it gives to have it in the card that came in its place. */
function typed() {
  const old = by("comment");
  const { value, selectionStart, selectionEnd } = old ?? {};
  const isThere = old === document.activeElement;
  return () => {
    const fresh = by("comment");
    if (!old || !fresh) return;
    fresh.value = value;
    if (!isThere) return;
    fresh.focus({ preventScroll: true });
    fresh.setSelectionRange(selectionStart, selectionEnd);
  };
}

/** Whether the card that is open is still as it is shown; it stays where it is, if so, with what was typed into it. */
async function recheck(id) {
  const path = `/v1/approvals/${encodeURIComponent(id)}`;
  const response = await ask(path, { byItself: true }).catch(() => null); // live.js says so, and looks again
  if (!response?.ok) return;
  const { status, consents = [] } = await response.json();
  const isStale = (card) => card.dataset.status !== status || Number(card.dataset.consents) !== consents.length;
  const card = document.querySelector("#card article");
  if (card?.dataset.id !== id || !isStale(card)) return;
  await showCard(id, isStale);
  const shown = document.querySelector("#card article");
  if (status === "pending" && shown?.dataset.id === id && !("consented" in shown.dataset)) {
    toast("Somebody else has said yes. Look at it anew.");
  }
}

// Answering

/** A card has just come: it can be approved in a moment, and once all of it was opened. */
function arm() {
  const approve = document.querySelector("#card [data-approve]");
  if (!approve) return;
  approve.disabled = true;
  const closed = unopened();
  document.querySelector("#card [data-hint]").textContent = "never" in approve.dataset
    ? approve.dataset.never
    : closed ? `Open ${closed === 1 ? "the folded value" : `all ${closed} folded values`} to approve.` : "";
  setTimeout(() => {
    if (approve.isConnected) approve.disabled = "never" in approve.dataset || unopened() > 0;
  }, INERT_FOR);
}

/** Folded values that were not opened yet: of this request, and of those that are answered with it. */
function unopened() {
  return [...document.querySelectorAll("#card [data-must-open]:not([data-opened])")].filter((one) => {
    const other = one.closest(".other");
    return !other || Boolean(other.querySelector('input[value="approve"]:checked'));
  }).length;
}

document.addEventListener("toggle", ({ target }) => {
  if (!target.matches?.("[data-must-open]") || !target.open || "opened" in target.dataset) return;
  target.dataset.opened = "";
  arm();
}, true);

document.addEventListener("change", ({ target }) => {
  if (!target.dataset?.opens) return;
  if (target.checked && target.value === "approve") by(target.dataset.opens).open = true;
  arm();
});

document.addEventListener("htmx:after:request", ({ detail }) => {
  if (detail.ctx.response.status === 401) over("Your session is over. Sign in again.");
});
document.addEventListener("htmx:error", () => toast("The daemon can't be reached. Nothing was answered.", "trouble"));
document.addEventListener("htmx:after:swap", ({ target, detail }) => {
  tick();
  if (!detail.ctx.request?.action?.endsWith("/answer")) return;
  const card = document.querySelector("#card article");
  if (detail.ctx.response.status === 200 && card) toast(WORDS[card.dataset.status] ?? card.dataset.status, card.dataset.status);
  // Somebody who is at the next one already is not called back: the news of it may have been faster than the answer.
  if ([document.body, null].includes(document.activeElement)) by("card-title")?.focus({ preventScroll: true });
  by("card-pane").scrollTop = 0;
  arm();
});

// Keys

const neighbour = (row, step) => {
  const rows = [...document.querySelectorAll("#rows .row:not(.gone, .folded)")];
  const at = rows.indexOf(row);
  return rows[at === -1 ? (step > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(rows.length - 1, at + step))];
};

function confirming(button, isIt) {
  button.toggleAttribute("data-confirming", isIt);
  button.querySelector("[data-approve-words]").textContent = isIt ? "Press again to approve" : "Approve";
  if (!isIt) button.dispatchEvent(new Event("input", { bubbles: true })); // what it says depends on what was changed
  if (isIt) button.addEventListener("blur", () => confirming(button, false), { once: true });
}

/** A key was pressed, not in a dialog. */
export function key(event, isTyping) {
  if (!by("approvals")) return;
  const deny = document.querySelector("#card .deny");
  if (isTyping) {
    if (event.key === "Escape") event.target.blur();
    if (event.key === "Enter" && event.ctrlKey && event.target.id === "comment") deny?.click();
    return;
  }
  if (event.ctrlKey) return;
  const approve = document.querySelector("#card [data-approve]");
  const current = document.activeElement.closest?.(".row") ?? document.querySelector("#rows [aria-current]")?.closest(".row");
  const steps = { j: 1, k: -1 };
  if (event.key in steps) {
    const row = neighbour(current, steps[event.key]);
    row?.querySelector("a").focus();
    row?.scrollIntoView({ block: "nearest" });
  } else if (event.key === "a" && approve && !approve.disabled && !event.repeat) {
    if ("confirming" in approve.dataset) return approve.click();
    approve.focus();
    confirming(approve, true);
  } else if (event.key === "d" && by("comment")) {
    by("comment").focus();
  } else if (event.key === "Escape") {
    (document.querySelector("#rows [aria-current]") ?? document.querySelector("#rows a"))?.focus();
    return;
  } else {
    return;
  }
  event.preventDefault();
}
