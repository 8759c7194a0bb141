/** The lanes: what runs in a call and when. It is moved through by keys, made larger and smaller by
 * keys, buttons and the wheel, and drawn along with the pointer. */
import { useMemo, useRef, useState } from "preact/hooks";
import { span, type Span } from "../lib/plot";
import {
  KINDS,
  panned,
  revealing,
  spoken,
  whole,
  zoomed,
  type EventKind,
  type Extent,
} from "../lib/timeline";
import { select } from "../store/choosing";
import { useRunView } from "../store/context";
import type { Timeline, TimelineEvent } from "../wire";
import { PlotFrame } from "./PlotFrame";
import { FOOT, placed, TimelineLane } from "./TimelineLane";

const LABEL = 104;
const ORIGIN = "timeline";
const IN = 0.5;
const OUT = 2;

/** A lane, and the place of an event in it. */
interface At {
  lane: number;
  event: number;
}

export function TimelinePlot({ lanes }: { lanes: readonly Timeline[] }) {
  const view = useRunView();
  const beside = view.beside?.program.value?.timelines;
  const all = useMemo(() => whole([...lanes, ...(beside ?? [])]), [lanes, beside]);
  const places = useMemo(() => placed(lanes), [lanes]);
  // Null for all: what is all grows when the run beside comes.
  const [part, setShown] = useState<Extent | null>(null);
  const shown = part ?? all;
  const [active, setActive] = useState<At | null>(null);
  const [under, setUnder] = useState<TimelineEvent | null>(null);
  const scale = useRef<Span>(span(all.from, all.to, 1));
  const drag = useDrag((us) => setShown(panned(shown, us, all)), scale);
  const eventAt = (at: At) => lanes[at.lane]!.events[at.event]!;
  const shownEvent = under ?? (active && eventAt(active));
  const id = ({ lane, event }: At) => `${view.prefix}-event-${lane}-${event}`;

  const choose = (at: At) => {
    const event = eventAt(at);
    setActive(at);
    setUnder(null);
    setShown(revealing(shown, event, all));
    select(view, new Set(event.nodes), ORIGIN);
  };
  const zoom = (factor: number, at = (shown.from + shown.to) / 2) =>
    setShown(zoomed(shown, factor, at, all));
  const act = (event: KeyboardEvent) => {
    const to = moved(lanes, active, event.key);
    if (to) choose(to);
    else if (event.key === "+" || event.key === "=") zoom(IN);
    else if (event.key === "-") zoom(OUT);
    else if (event.key === "0") setShown(null);
    else if (event.key === "Enter" && active && eventAt(active).line !== null)
      view.navigation.goToLine(eventAt(active).line!);
    else return;
    event.preventDefault();
  };

  return (
    <div class="timeline">
      <div class="timeline-head">
        <Legend lanes={lanes} />
        <span class="spacer" />
        <div class="switch" role="group" aria-label="Part of the call">
          <button aria-label="Longer part" title="Longer part (-)" onClick={() => zoom(OUT)}>
            −
          </button>
          <button title="The whole call (0)" onClick={() => setShown(null)}>
            Fit
          </button>
          <button aria-label="Shorter part" title="Shorter part (+)" onClick={() => zoom(IN)}>
            +
          </button>
        </div>
      </div>
      <PlotFrame
        left={LABEL}
        height={places.at(-1)!.top + places.at(-1)!.height + FOOT}
        scale={(room) => (scale.current = span(shown.from, shown.to, room))}
        file="timeline"
        caption={() => (
          <span class="event-text" aria-live="polite">
            {shownEvent
              ? spoken(shownEvent)
              : "Arrow keys go from event to event, + and - change the part."}
          </span>
        )}
        svg={{
          role: "listbox",
          tabindex: 0,
          "aria-label": "What runs in one call, by compiler",
          "aria-activedescendant": active ? id(active) : undefined,
          onKeyDown: act,
          onWheel: (event: WheelEvent & { currentTarget: Element }) => {
            if (!event.ctrlKey && !event.metaKey) return;
            event.preventDefault();
            const box = event.currentTarget.getBoundingClientRect();
            const at = scale.current.from(event.clientX - box.left - LABEL);
            zoom(event.deltaY > 0 ? 1.25 : 0.8, at);
          },
          onDblClick: () => setShown(null),
          ...drag,
        }}
      >
        {(x, room) =>
          places.map((place, lane) => (
            <TimelineLane
              key={place.lane.compiler}
              {...place}
              x={x}
              room={room}
              active={active?.lane === lane ? active.event : null}
              id={(event) => id({ lane, event })}
              onChoose={(event) => choose({ lane, event })}
              onHover={setUnder}
            />
          ))
        }
      </PlotFrame>
    </div>
  );
}

/** Where a key leads from an event: to the next one, or to that of another lane at the same time. */
function moved(lanes: readonly Timeline[], at: At | null, key: string): At | null {
  const first = lanes.findIndex(({ events }) => events.length > 0);
  if (!/^(Arrow|Home|End)/.test(key) || first === -1) return null;
  if (at === null) return { lane: first, event: 0 };
  const last = lanes[at.lane]!.events.length - 1;
  const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[key];
  if (step !== undefined) return { ...at, event: Math.min(last, Math.max(0, at.event + step)) };
  const lane = at.lane + (key === "ArrowDown" ? 1 : -1);
  const events = lanes[lane]?.events ?? [];
  if (events.length === 0) return at;
  const begins = lanes[at.lane]!.events[at.event]!.start_us;
  const away = events.map(({ start_us }) => Math.abs(start_us - begins));
  return { lane, event: away.indexOf(Math.min(...away)) };
}

/** Moves the part that is seen along with a pressed pointer. */
function useDrag(move: (us: number) => void, scale: { current: Span }) {
  const from = useRef<number | null>(null);
  return {
    onPointerDown: (event: PointerEvent) => {
      from.current = event.clientX;
    },
    onPointerMove: (event: PointerEvent) => {
      if (from.current === null || event.buttons === 0) return;
      move(scale.current.from(from.current) - scale.current.from(event.clientX));
      from.current = event.clientX;
    },
    onPointerUp: () => {
      from.current = null;
    },
  };
}

function Legend({ lanes }: { lanes: readonly Timeline[] }) {
  const met = new Set(lanes.flatMap(({ events }) => events.map(({ kind }) => kind)));
  return (
    <ul class="legend">
      {(Object.keys(KINDS) as EventKind[])
        .filter((kind) => met.has(kind))
        .map((kind) => (
          <li key={kind}>
            <span class={`swatch ${kind}`} aria-hidden="true" /> {KINDS[kind]}
          </li>
        ))}
      <li>
        <span class="swatch gap" aria-hidden="true" /> nothing known
      </li>
    </ul>
  );
}
