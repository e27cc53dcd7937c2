// The pages about what happened: filters in the address, local times, a quiet word when there is news. Nothing moves by
// itself: what is new is shown when somebody wants it.

import * as chart from "./chart.js";
import { load, toast } from "./fragments.js";
import { ask } from "./session.js";

const LOOK_EVERY = 10_000;
const CHECK_EVERY = 1000;
const by = (id) => document.getElementById(id);
const times = new Intl.DateTimeFormat(undefined, { month: "short", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });

let go = () => {};
let looking = 0;
let kept = { focus: "", open: false };

/** A page was just put up; `travel` leads to another. */
export function begun(travel) {
  go = travel;
  localize();
  chart.begun(by("chart"));
  if (by("filter-box")) by("filter-box").open = kept.open;
  if (kept.focus) by(kept.focus)?.focus({ preventScroll: true });
  if (document.querySelector("[data-news-from]")) looking = setInterval(look, LOOK_EVERY);
  followChain();
}

/** Another page is about to come, or nobody is signed in any more. */
export function ended() {
  clearInterval(looking);
  looking = 0;
  kept = { focus: document.activeElement?.id ?? "", open: by("filter-box")?.open ?? false };
  chart.ended();
}

/** Times as clocks here show them. */
function localize(root = document) {
  for (const element of root.querySelectorAll("time[data-at]:not([datetime])")) {
    const at = new Date(Number(element.dataset.at) * 1000);
    if (!Number(element.dataset.at) || Number.isNaN(at.getTime())) continue;
    element.dateTime = at.toISOString();
    element.title = at.toLocaleString(undefined, { dateStyle: "full", timeStyle: "long" });
    element.textContent = times.format(at);
  }
}
document.addEventListener("htmx:after:swap", () => localize());

/** Whether there is news; a page that is not looked at does not ask, until it is again. */
async function look() {
  const page = document.querySelector("[data-news-from]");
  const chip = document.querySelector("[data-news]");
  const newest = document.querySelector("[data-newest]")?.dataset.newest;
  if (!page || !chip || !newest || document.hidden) return;
  const asked = new URLSearchParams(location.search);
  asked.set("after", newest);
  try {
    const response = await ask(`${page.dataset.newsFrom}?${asked}`, { byItself: true });
    const count = response.ok ? response.headers.get("guardhouse-new") ?? "0" : "0";
    if (!chip.isConnected || count === "0") return;
    chip.querySelector("[data-news-words]").textContent = `${count} new`;
    chip.hidden = false;
  } catch {
    // whether the daemon can be reached is shown elsewhere
  }
}

document.addEventListener("visibilitychange", () => look());

/** While the chain is being checked, look again until it was. */
function followChain() {
  if (!by("chain")?.hasAttribute("data-checking")) return;
  setTimeout(async () => {
    if (!by("chain")) return;
    try {
      const response = await ask("/console/audit/chain", { byItself: true });
      if (!response.ok || !by("chain")) return;
      await htmx.swap({ text: await response.text(), target: by("chain"), sourceElement: by("chain"), swap: "outerHTML" });
    } catch {
      return;
    }
    followChain();
  }, CHECK_EVERY);
}
document.addEventListener("htmx:after:swap", ({ target }) => {
  if (target?.id === "chain" || target?.closest?.("#chain") || by("chain")?.contains(target)) followChain();
});

document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-filters]");
  if (!form) return;
  event.preventDefault();
  const asked = new URLSearchParams(location.search);
  for (const field of form.querySelectorAll("input[name], select[name]")) {
    const isSame = field.matches("input") && field.value === field.defaultValue; // it may stand there escaped
    if (isSame) continue;
    if (field.value.trim()) asked.set(field.name, field.value.trim());
    else asked.delete(field.name);
  }
  if (event.submitter && by("filter-box")) by("filter-box").open = false; // a choice in a list leaves it open
  go(form.dataset.filters + (asked.size ? `?${asked}` : ""));
});
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-filters] select")) event.target.form.requestSubmit();
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-news]")) go(location.pathname + location.search);
  for (const menu of document.querySelectorAll("[data-menu][open]")) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  const menu = event.target.closest?.("[data-menu][open]");
  if (event.key !== "Escape" || !menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
document.addEventListener("toggle", (event) => {
  const fold = event.target;
  if (!fold.matches?.("[data-raw]") || !fold.open || fold.dataset.asked) return;
  fold.dataset.asked = "yes";
  load(fold.dataset.raw, fold.querySelector(".raw-box"));
}, true);
document.addEventListener("htmx:error", () => toast("That could not be done.", "trouble"));
