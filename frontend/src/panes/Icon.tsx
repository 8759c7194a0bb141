/** The page's few icons, drawn on a 16-pixel grid in the colour of the text beside them. */

const PATHS = {
  run: "M5 3.5v9l7-4.5z",
  stop: "M4.5 4.5h7v7h-7z",
  share:
    "M6.5 9.5 9.5 6.5M7 5l1.5-1.5a2.5 2.5 0 0 1 3.6 3.6L10.5 8.6M9 11l-1.5 1.5a2.5 2.5 0 0 1-3.6-3.6L5.5 7.4",
  copy: "M5.5 5.5v-2h7v7h-2M3.5 5.5h7v7h-7z",
  check: "M3.5 8.5l3 3 6-7",
  cross: "M4 4l8 8M12 4l-8 8",
  dash: "M4 8h8",
  dot: "M8 5.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z",
  left: "M10 3.5 5.5 8l4.5 4.5",
  right: "M6 3.5 10.5 8 6 12.5",
  undo: "M5.5 3 2.5 6l3 3M2.5 6h7a3.5 3.5 0 0 1 0 7H6",
  down: "M4 6l4 4 4-4",
  up: "M4 10l4-4 4 4",
  download: "M8 2.5v7.5M5 7l3 3 3-3M3.5 13h9",
  warning: "M8 2.5 14 13H2zM8 6.5v3M8 11.2v.3",
  info: "M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zM8 7.5v3.5M8 5v.3",
  light:
    "M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7",
  dark: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z",
  system: "M2.5 3.5h11v7.5h-11zM6 13.5h4M8 11v2.5",
  beside: "M2.5 3.5h11v9h-11zM8 3.5v9M10.8 6.5v3M9.3 8h3",
  wrap: "M2.5 4h11M2.5 8h8.5a2 2 0 0 1 0 4H8M9.5 10.5 8 12l1.5 1.5M2.5 12h3",
  search: "M7 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM10 10l3.5 3.5",
  maximise: "M9.5 2.5h4v4M6.5 13.5h-4v-4M13.5 2.5 9 7M2.5 13.5 7 9",
  more: "M3.5 7a1 1 0 1 1 0 2 1 1 0 0 1 0-2zM8 7a1 1 0 1 1 0 2 1 1 0 0 1 0-2zM12.5 7a1 1 0 1 1 0 2 1 1 0 0 1 0-2z",
  pin: "M6 2.5h4l-.5 4 2 2.5h-7l2-2.5zM8 9v4.5",
  help: "M5.8 6.2a2.2 2.2 0 1 1 3.2 2c-.7.4-1 .8-1 1.6M8 12v.3",
} as const;

export type IconName = keyof typeof PATHS;

const FILLED: ReadonlySet<IconName> = new Set(["run", "stop", "dot", "more"]);

/** Silent to a screen reader unless it has a label of its own. */
export function Icon({ name, label }: { name: IconName; label?: string }) {
  const named = label ? { role: "img" as const, "aria-label": label } : { "aria-hidden": true };
  return (
    <svg class={FILLED.has(name) ? "icon filled" : "icon"} viewBox="0 0 16 16" {...named}>
      <path d={PATHS[name]} />
    </svg>
  );
}
