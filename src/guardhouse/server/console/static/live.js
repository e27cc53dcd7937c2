// Changes of requests as they happen, by /v1/events: with the session in a header, which EventSource can't send.
// Whatever ends the stream is shown, and tried again; what was missed meanwhile is asked for by its number.

import { ask } from "./session.js";

const SILENT_FOR = 40_000; // the daemon says something every 15 s
const PAUSES = [500, 1000, 2000, 4000, 8000, 15_000];

/** Follow events until `stop()`. `onState` hears live, reconnecting or out; `onOpen` that it has begun, or begun again. */
export function follow({ onEvent, onState, onOpen }) {
  const stopping = new AbortController();
  let last = "";
  let tries = 0;

  async function once() {
    const silent = new AbortController();
    let timer;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), SILENT_FOR);
    };
    heard();
    try {
      const headers = { Accept: "text/event-stream", ...(last ? { "Last-Event-ID": last } : {}) };
      const signal = AbortSignal.any([stopping.signal, silent.signal]);
      const response = await ask("/v1/events", { headers, signal, byItself: true });
      if (response.status === 401) return stopping.abort();
      if (!response.ok) throw new Error(`The daemon answered ${response.status}.`);
      tries = 0;
      onState("live");
      onOpen();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        heard();
        const parts = (rest + value).split(/\r\n\r\n|\n\n/);
        rest = parts.pop();
        parts.forEach(tell);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  function tell(part) {
    const fields = { data: "", event: "", id: "" };
    for (const line of part.split(/\r\n|\n/)) {
      const [, name, text] = line.match(/^([a-z]+): ?(.*)$/) ?? [];
      if (name in fields) fields[name] += text;
    }
    if (fields.id) last = fields.id;
    if (fields.data) onEvent(fields.event, JSON.parse(fields.data));
  }

  (async () => {
    while (!stopping.signal.aborted) {
      try {
        await once();
      } catch (error) {
        if (!stopping.signal.aborted) console.info("The stream of events ended:", error.message);
      }
      if (stopping.signal.aborted) break;
      onState("reconnecting");
      const pause = PAUSES[Math.min(tries++, PAUSES.length - 1)];
      await new Promise((resolve) => setTimeout(resolve, pause * (0.8 + Math.random() * 0.4)));
    }
    onState("out");
  })();

  return () => stopping.abort();
}
