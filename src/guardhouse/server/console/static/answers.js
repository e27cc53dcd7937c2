// The answer form: how far a yes goes, which arguments were changed, and what is answered with it. What is chosen is said
// beside the button, so that nobody grants what is out of sight.

import { load } from "./fragments.js";

const SOON = 800;
const FEW = 3;
let refreshing = 0;

/** A request has changed: so may have what a page of grants, or of what was denied, says. Not while somebody is in it. */
export function changed() {
  const sheet = document.querySelector("[data-sheet]");
  if (!sheet || refreshing) return;
  refreshing = setTimeout(async () => {
    refreshing = 0;
    const still = document.querySelector("[data-sheet]");
    if (!still || still.contains(document.activeElement)) return;
    const page = document.getElementById("page");
    const isWanted = () => document.querySelector("[data-sheet]") === still;
    await load(`/console${still.dataset.sheet}${location.search}`, page, { byItself: true, isWanted });
  }, SOON);
}

const form = () => document.querySelector("#card [data-answer]");

/** Say what a yes would be good for. */
function say() {
  const at = form();
  if (!at) return;
  const chosen = (name) => at.querySelector(`input[name="${name}"]:checked`);
  const scope = chosen("scope");
  const show = chosen("show");
  const lasts = at.querySelector("[data-lasts-field]");
  if (lasts) {
    const isLasting = Boolean(scope && "lasts" in scope.dataset);
    lasts.hidden = !isLasting;
    lasts.querySelector("select").disabled = !isLasting;
  }
  const good = [...goodFor(scope), ...(lasts && !lasts.hidden ? [` for ${lasts.querySelector("select").selectedOptions[0].textContent}`] : [])];
  if (show?.dataset.says) good.push(`; the agent sees ${show.dataset.says.replace("#", at.querySelector("input[name=lines]").value || "?")}`);
  const isUsual = good.length === 1 && good[0] === "this once";
  at.querySelector("[data-terms-says]")?.replaceChildren(...good);
  const edits = editedIn(at);
  const editing = at.querySelector("[data-edit-says]");
  if (editing) editing.textContent = edits ? `${edits} changed` : "as they are";
  const yes = at.querySelectorAll('[data-alike] input[value="approve"]:checked').length;
  const no = at.querySelectorAll('[data-alike] input[value="deny"]:checked').length;
  const parts = [];
  if (!isUsual) parts.push("A yes is good for ", ...good.map((one) => one.cloneNode?.(true) ?? one), ". ");
  if (edits) parts.push(`With ${edits} changed argument${edits > 1 ? "s" : ""}. `);
  if (yes || no) parts.push(`Also ${[yes && `${yes} approved`, no && `${no} denied`].filter(Boolean).join(" and ")}.`);
  const all = at.querySelector("[data-says-all]");
  all.replaceChildren(...parts);
  all.hidden = !parts.length;
  const words = at.querySelector("[data-approve-words]");
  if (!words.closest("[data-confirming]")) words.textContent = edits ? "Approve as changed" : "Approve";
}

/** How far the yes goes, in words; places by their names, which are not ours and look so. */
function goodFor(scope) {
  if (!scope) return ["this once"];
  const names = [...new Set([...scope.closest("label").querySelectorAll(".place .theirs")].map((one) => one.textContent))];
  if (!names.length) return [scope.dataset.says];
  const shown = names.slice(0, FEW).flatMap((name, at) => [at ? ", " : " ", theirs(name)]);
  return [scope.dataset.says, ...shown, ...(names.length > FEW ? [` and ${names.length - FEW} more`] : [])];
}

function theirs(text) {
  const made = document.createElement("code");
  made.className = "theirs inline";
  made.textContent = text;
  return made;
}

function editedIn(at) {
  return [...at.querySelectorAll("textarea[data-was]")].filter((one) => !one.disabled && one.value !== one.defaultValue).length;
}

document.addEventListener("change", ({ target }) => { if (target.closest?.("[data-answer]")) say(); });
document.addEventListener("input", ({ target }) => { if (target.closest?.("[data-answer]")) say(); });
document.addEventListener("toggle", ({ target }) => {
  // Closed, nothing is sent of it: what is out of sight must not change the call.
  if (!target.matches?.("[data-edit]")) return;
  for (const one of target.querySelectorAll("textarea")) one.disabled = !target.open;
  say();
}, true);
document.addEventListener("click", ({ target }) => {
  const all = target.closest?.("[data-all]");
  if (!all) return;
  for (const one of all.closest("[data-alike]").querySelectorAll(`input[value="${all.dataset.all}"]`)) {
    one.checked = true;
    one.dispatchEvent(new Event("change", { bubbles: true }));
  }
});
