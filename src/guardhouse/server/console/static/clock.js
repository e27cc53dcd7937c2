// Ages and countdowns, by the daemon's clock.

import { now } from "./session.js";

const spoken = (seconds) => {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min`;
  if (whole < 86_400) return `${Math.floor(whole / 3600)} h`;
  return `${Math.floor(whole / 86_400)} d`;
};
const digits = (seconds) => {
  const whole = Math.max(0, Math.ceil(seconds));
  if (whole >= 3600) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

/** Bring every time under `root` up to date. */
export function tick(root = document) {
  const moment = now();
  for (const element of root.querySelectorAll("[data-ago]")) {
    const at = Number(element.dataset.ago);
    const text = moment - at < 5 ? "now" : "words" in element.dataset ? `${spoken(moment - at)} ago` : spoken(moment - at);
    if (element.textContent !== text) element.textContent = text;
    if (!element.title) element.title = new Date(at * 1000).toLocaleString();
  }
  for (const element of root.querySelectorAll("[data-until]")) {
    const until = Number(element.dataset.until);
    const left = until - moment;
    const part = Math.max(0, Math.min(1, left / (until - Number(element.dataset.from))));
    const text = left > 0 ? digits(left) : "0:00";
    const words = element.querySelector(".left-words");
    if (words.textContent !== text) words.textContent = text;
    element.querySelector(".ring-left")?.setAttribute("stroke-dashoffset", String(100 - part * 100));
    element.classList.toggle("soon", left < 60);
  }
}

setInterval(tick, 1000);
document.addEventListener("visibilitychange", () => tick());
