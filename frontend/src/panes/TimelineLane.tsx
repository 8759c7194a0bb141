/** One lane: the call, what runs in it, and its figures. */
import { namesBeside, titleBeside } from "../lib/compilers";
import { microseconds } from "../lib/format";
import type { Span } from "../lib/plot";
import { unprofiled, busy, rowsOf, spoken } from "../lib/timeline";
import { useRunView } from "../store/context";
import type { Timeline, TimelineEvent } from "../wire";
import { AXIS } from "./PlotFrame";
import { RowName } from "./RowName";

const BAR = 18;
/** A lane's bars, and the line below them with its figures. */
export const FOOT = 24;
/** An event that takes less than this is drawn as wide. */
const LEAST_PX = 1;

interface Placed {
  lane: Timeline;
  rows: number[];
  /** Pixels below the axis. */
  top: number;
  height: number;
}

export function placed(lanes: readonly Timeline[]): Placed[] {
  let top = 0;
  return lanes.map((lane) => {
    const rows = rowsOf(lane.events);
    const height = BAR * (Math.max(0, ...rows) + 1);
    const found = { lane, rows, top, height };
    top += height + FOOT;
    return found;
  });
}

interface LaneProps extends Placed {
  x: Span;
  room: number;
  active: number | null;
  id: (event: number) => string;
  onChoose: (event: number) => void;
  onHover: (event: TimelineEvent | null) => void;
}

export function TimelineLane({
  lane,
  rows,
  top,
  height,
  x,
  room,
  active,
  id,
  onChoose,
  onHover,
}: LaneProps) {
  const { selection, program } = useRunView();
  const { nodes } = selection.value;
  const { compiler, events, total_us, about } = lane;
  const [name, mode] = namesBeside(program.value!, compiler);
  const clip = (px: number) => Math.min(room, Math.max(0, px));
  const end = clip(x.at(total_us));
  const seen = ({ start_us, duration_us }: TimelineEvent) =>
    x.at(start_us) <= room && x.at(start_us + duration_us) >= 0;
  return (
    <g
      transform={`translate(0 ${AXIS + top})`}
      role="group"
      aria-label={`${titleBeside(program.value!, compiler)}: ${microseconds(total_us)}, ${unprofiled(lane)}`}
    >
      <title>{about}</title>
      <g aria-hidden="true">
        <RowName name={name} mode={mode} y={mode ? BAR : BAR - 5} />
      </g>
      <rect
        class="call"
        x={clip(x.at(0))}
        width={Math.max(0, end - clip(x.at(0)))}
        height={height}
      />
      {events.map((event, at) => {
        if (!seen(event)) return null;
        const [from, to] = [
          clip(x.at(event.start_us)),
          clip(x.at(event.start_us + event.duration_us)),
        ];
        const lit = event.nodes.some((node) => nodes.has(node));
        return (
          <rect
            key={at}
            id={id(at)}
            class={["event", event.kind, lit && "lit", at === active && "active"]
              .filter(Boolean)
              .join(" ")}
            role="option"
            aria-selected={at === active}
            aria-label={spoken(event)}
            x={from}
            y={rows[at]! * BAR + 2}
            width={Math.max(LEAST_PX, to - from)}
            height={BAR - 4}
            onClick={() => onChoose(at)}
            onPointerEnter={() => onHover(event)}
            onPointerLeave={() => onHover(null)}
          />
        );
      })}
      <foreignObject y={height} width={room} height={FOOT}>
        <ul class="chips" aria-hidden="true">
          {told(lane).map((figure) => (
            <li key={figure} class="chip">
              {figure}
            </li>
          ))}
        </ul>
      </foreignObject>
    </g>
  );
}

const told = (lane: Timeline): string[] => [
  microseconds(lane.total_us),
  `${microseconds(lane.total_us - busy(lane.events))} nothing known`,
  unprofiled(lane),
  ...(lane.left_out > 0 ? [`${lane.left_out} shorter events left out`] : []),
];
