/** How the times were taken: one thing a chip. */
import { microseconds, plural } from "../lib/format";
import { useRunView } from "../store/context";
import type { Measurement } from "../wire";

const DAY_AND_TIME = { dateStyle: "medium", timeStyle: "short" } as const;

export function Protocol() {
  const { program, report, run } = useRunView();
  const { device, protocol } = report.value;
  const measurement = program.value?.measurement ?? null;
  const when = run.value?.finished?.toLocaleString(undefined, DAY_AND_TIME) ?? "";
  const told = measurement ? chips(measurement) : protocol.split("; ");
  const where = [device.name, plural(device.threads, "thread"), when];
  return (
    <ul class="chips" aria-label="How it was measured">
      {measurement?.busy && <li class="chip busy">{load(measurement)}</li>}
      {[...told, ...where].filter(Boolean).map((text) => (
        <li key={text} class="chip">
          {text}
        </li>
      ))}
    </ul>
  );
}

function chips(m: Measurement): string[] {
  return [
    m.baseline && `against ${m.baseline}`,
    `${plural(m.rounds, "round")} in ${plural(m.blocks, "block")} over ${m.seconds.toFixed(1)} s`,
    "95 % intervals",
    m.busy ? "" : load(m),
    m.floor_us > 0 ? `at least ${microseconds(m.floor_us)}: ${m.floor_by}` : "",
    ...m.notes,
  ];
}

function load({ others, processors, busy }: Measurement): string {
  if (others === null) return "";
  const taken = `others took ${others.toFixed(2)} of ${plural(processors, "processor")}`;
  return busy ? `machine busy: ${taken}` : taken;
}
