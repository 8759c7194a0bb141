/** Scales and places of the timing plot; drawing is the pane's. */

export interface Scale {
  at: (value: number) => number;
  ticks: number[];
  log: boolean;
}

/** Pixels that the name of a tick takes, with what keeps it from the next. */
const NAMED = 56;
const MOST_STEPS = 4;

/** From zero while that can be read; logarithmic when the largest hides the smallest. */
export function scale(values: readonly number[], width: number): Scale {
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (low > 0 && high / low > 30) return logarithmic(low, high, width);
  const step = niceStep(high / Math.min(MOST_STEPS, Math.max(1, Math.floor(width / NAMED))));
  const end = Math.max(step, Math.ceil(high / step) * step);
  const ticks = Array.from({ length: Math.round(end / step) + 1 }, (_, i) => i * step);
  return { at: (value) => (value / end) * width, ticks, log: false };
}

/** Decades, as many as there is room to name: two numbers above zero and the pixels between them. */
export function logarithmic(low: number, high: number, width: number): Scale {
  const from = Math.floor(Math.log10(low));
  const to = Math.max(from + 1, Math.ceil(Math.log10(high)));
  const step = Math.max(1, Math.ceil((to - from) / Math.max(1, width / NAMED)));
  const count = Math.floor((to - from) / step) + 1;
  const ticks = Array.from({ length: count }, (_, i) => 10 ** (from + i * step));
  return { at: (value) => ((Math.log10(value) - from) / (to - from)) * width, ticks, log: true };
}

/** A part of a line, and the way back from a place to what is there. */
export interface Span extends Scale {
  from: (place: number) => number;
}

export function span(from: number, to: number, width: number): Span {
  const step = niceStep((to - from) / Math.max(2, width / 100));
  const first = Math.ceil(from / step);
  const count = Math.floor(to / step) - first + 1;
  return {
    at: (value) => ((value - from) / (to - from)) * width,
    from: (place) => from + (place / width) * (to - from),
    ticks: Array.from({ length: count }, (_, i) => (first + i) * step),
    log: false,
  };
}

/** The next of 1, 2, 2.5, 5 times a power of ten. */
export function niceStep(rough: number): number {
  if (!(rough > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find((f) => f * power >= rough * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** Heights in [-1, 1] that keep dots apart, the same at every drawing. */
export function jitter(index: number): number {
  return ((index * 0.6180339887) % 1) * 2 - 1;
}
