/** Asks the worker that formats Python, which is started with the first text. */
import type { ChangeSpec } from "@codemirror/state";
import type { Formatted } from "./ruff.worker";

const AWAY = "The page could not fetch the formatter. Check the connection and try again.";

let worker: Worker | null = null;

/** The formatted text, or why there is none. One at a time. */
export function formatted(text: string): Promise<Formatted> {
  const asked = (worker ??= new Worker(new URL("./ruff.worker.ts", import.meta.url), {
    type: "module",
  }));
  return new Promise((resolve) => {
    asked.onmessage = ({ data }: MessageEvent<Formatted>) => resolve(data);
    asked.onerror = () => {
      worker = null;
      resolve({ ok: false, error: AWAY });
    };
    asked.postMessage(text);
  });
}

/** What differs, so that the cursor stays where it was before and after it; null where nothing does. */
export function difference(before: string, after: string): ChangeSpec | null {
  if (before === after) return null;
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from++;
  let left = 0;
  while (left < most - from && before.at(-1 - left) === after.at(-1 - left)) left++;
  return { from, to: before.length - left, insert: after.slice(from, after.length - left) };
}
