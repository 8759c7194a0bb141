/**
 * What is drawn of a graph (parts.ts), from its text and its kernels. Pure: layout gives the places,
 * the pane the look.
 */
import { groupBy } from "../lib/group";
import { VIEWS } from "../wire";
import { bytesOf, type IrGraph, type Operation, type Value } from "./irtext";
import type { Box, Drawing, Grouping, Line } from "./parts";

export interface Wanted {
  /** Whether views are boxes; else lines say what they are read through. */
  views: boolean;
  /** Whether the graph's arguments are boxes. */
  inputs: boolean;
}

const IS_VIEW: ReadonlySet<string> = new Set(VIEWS);

/** A value where it is computed: in a hull, or in none. */
interface Place {
  operation: Operation | null;
  value: Value;
  hull: string | null;
}

const keyOf = (hull: string | null, value: number): string => `${hull ?? ""}/${value}`;

export function drawingOf(graph: IrGraph, grouping: Grouping, wanted: Wanted): Drawing {
  return new Drafting(graph, grouping, wanted).run();
}

class Drafting {
  private readonly literals = new Map<number, string>();
  /** By value the places that it is computed in, the first of them first. */
  private readonly places = new Map<number, Place[]>();
  private readonly boxes = new Map<string, Box>();
  private readonly lines = new Map<string, Line>();
  private readonly hidden = new Set<string>();

  constructor(
    private readonly graph: IrGraph,
    private readonly grouping: Grouping,
    private readonly wanted: Wanted,
  ) {}

  run(): Drawing {
    this.findPlaces();
    this.hideViews();
    this.drawBoxes();
    this.drawOutputs();
    this.refuse();
    const boxes = this.connected();
    const used = new Set(boxes.map(({ hull }) => hull));
    const hulls = this.grouping.hulls.filter(({ id }) => used.has(id));
    return { boxes, lines: [...this.lines.values()], hulls };
  }

  private findPlaces(): void {
    for (const value of this.graph.inputs)
      this.places.set(value.id, [{ operation: null, value, hull: null }]);
    for (const operation of this.graph.operations) {
      const literal = literalOf(operation);
      const found = this.grouping.of(operation);
      const hulls = found.length > 0 ? found : [null];
      for (const value of operation.results) {
        if (literal !== null) this.literals.set(value.id, literal);
        else
          this.places.set(
            value.id,
            hulls.map((hull) => ({ operation, value, hull })),
          );
      }
    }
  }

  /** Views are no boxes, but where a hull would have no other. */
  private hideViews(): void {
    if (this.wanted.views) return;
    const all = [...this.places.values()].flat().filter(({ operation }) => operation !== null);
    const shows = (place: Place) => !isView(place);
    const busy = new Set(all.filter(shows).map(({ hull }) => hull));
    const last = new Map(all.map((place) => [place.hull, place]));
    for (const place of all.filter(isView)) {
      const isNeeded =
        place.hull !== null && !busy.has(place.hull) && last.get(place.hull) === place;
      if (!isNeeded) this.hidden.add(keyOf(place.hull, place.value.id));
    }
  }

  private drawBoxes(): void {
    for (const places of this.places.values()) {
      for (const place of places) {
        const { operation, value, hull } = place;
        const isFirst = operation === null || operation.results[0]?.id === value.id;
        if (this.hidden.has(keyOf(hull, value.id)) || !isFirst) continue;
        if (operation === null && !this.wanted.inputs) continue;
        const id = keyOf(hull, value.id);
        this.boxes.set(id, {
          id,
          kind: operation === null ? "input" : "operation",
          label: operation === null ? `%${value.id}` : this.labelOf(operation),
          detail: detailOf(operation, value),
          hull,
          nodes: operation?.nodes ?? [],
          value: value.id,
          isAgain: places[0] !== place,
          hue: null,
        });
        for (const operand of new Set(operation?.operands)) this.drawLine(operand, hull, id);
      }
    }
  }

  private labelOf({ op, operands, attributes }: Operation): string {
    const telling = attributes.get("monoid") ?? attributes.get("direction");
    const literals = operands.flatMap((operand) => this.literals.get(operand) ?? []);
    return [op, telling, ...literals].filter(Boolean).join(" ");
  }

  /** The line from where `operand` is computed, past the views that are no boxes. */
  private drawLine(operand: number, hull: string | null, to: string): void {
    const through: string[] = [];
    let at = this.placeOf(operand, hull);
    let bytes = at && bytesOf(at.value.type, this.graph.hints);
    while (at?.operation && this.hidden.has(keyOf(at.hull, at.value.id))) {
      through.unshift(`${at.operation.op} ${at.value.type}`);
      const [base] = at.operation.operands;
      at = base === undefined ? undefined : this.placeOf(base, at.hull);
      const size = at ? bytesOf(at.value.type, this.graph.hints) : null;
      bytes = size === null ? bytes : Math.min(size, bytes ?? size);
    }
    const first = at?.operation?.results[0] ?? at?.value;
    if (!at || !first) return;
    const from = keyOf(at.hull, first.id);
    if (from === to || (at.operation === null && !this.wanted.inputs)) return;
    const id = `${from}→${to}`;
    const known = this.lines.get(id);
    this.lines.set(id, {
      id,
      from,
      to,
      bytes: Math.max(bytes ?? 0, known?.bytes ?? 0),
      through: known && known.through.length > 0 ? known.through : through,
      reasons: [],
      isApart: false,
    });
  }

  /** Where a reader in `hull` has a value from: from there, else from the first that computes it. */
  private placeOf(value: number, hull: string | null): Place | undefined {
    const places = this.places.get(value) ?? [];
    return places.find((place) => place.hull === hull) ?? places[0];
  }

  private drawOutputs(): void {
    for (const [index, id] of this.graph.returned.entries()) {
      const place = this.placeOf(id, null);
      if (!place) continue;
      const box = `out/${index}`;
      this.boxes.set(box, {
        id: box,
        kind: "output",
        label: this.graph.returned.length > 1 ? `result ${index}` : "result",
        detail: place.value.type,
        hull: null,
        nodes: place.operation?.nodes ?? [],
        value: id,
        isAgain: false,
        hue: null,
      });
      this.drawLine(id, null, box);
    }
  }

  /** Each refusal at the line that it is of; where the two have none, a line of its own. */
  private refuse(): void {
    const crossing = groupBy(
      [...this.lines.values()].filter((line) => this.hullOf(line.from) !== this.hullOf(line.to)),
      ({ from }) => this.boxes.get(from)?.value ?? -1,
    );
    for (const { from, to, reason } of this.grouping.refused) {
      const hulls = new Set((this.places.get(to) ?? []).map(({ hull }) => hull));
      const lines = (crossing.get(this.baseOf(from)) ?? []).filter(({ to: box }) =>
        hulls.has(this.hullOf(box)),
      );
      if (lines.length > 0) for (const line of lines) this.addReason(line.id, reason);
      else this.apart(from, to, reason);
    }
    for (const line of [...crossing.values()].flat()) this.refuseAsCaptured(line);
  }

  private refuseAsCaptured({ id, from, to }: Line): void {
    const [start, end] = [this.boxes.get(from), this.boxes.get(to)];
    if (start?.kind !== "operation" || end?.kind !== "operation") return;
    const reasons = this.grouping.reasonsOf?.(start.nodes, end.nodes) ?? [];
    for (const reason of reasons) this.addReason(id, reason);
  }

  private addReason(id: string, reason: string): void {
    const line = this.lines.get(id)!;
    const reasons = [...new Set([...line.reasons, reason])];
    this.lines.set(id, { ...line, reasons });
  }

  /** The value that a view which is no box shows. */
  private baseOf(value: number): number {
    const place = this.places.get(value)?.[0];
    const base = place?.operation?.operands[0];
    const isHidden = place && this.hidden.has(keyOf(place.hull, value));
    return isHidden && base !== undefined ? this.baseOf(base) : value;
  }

  private apart(from: number, to: number, reason: string): void {
    const [start, end] = [from, to].map((value) => {
      const place = this.places.get(this.baseOf(value))?.[0];
      return place ? keyOf(place.hull, place.operation?.results[0]?.id ?? place.value.id) : "";
    }) as [string, string];
    if (!this.boxes.has(start) || !this.boxes.has(end)) return;
    if (start === end || this.hullOf(start) === this.hullOf(end)) return;
    const id = `${start}⇢${end}`;
    const reasons = [...new Set([...(this.lines.get(id)?.reasons ?? []), reason])];
    const line = { id, from: start, to: end, bytes: null, through: [], reasons, isApart: true };
    this.lines.set(id, line);
  }

  private hullOf(box: string): string | null {
    return this.boxes.get(box)?.hull ?? null;
  }

  /** Without what nobody reads and that reads nothing: an unused argument. */
  private connected(): Box[] {
    const used = new Set([...this.lines.values()].flatMap(({ from, to }) => [from, to]));
    return [...this.boxes.values()].filter(({ id, kind }) => kind !== "input" || used.has(id));
  }
}

const isView = ({ operation }: Place): boolean => operation !== null && IS_VIEW.has(operation.op);

/** The number that a constant is; null of any other operation. */
const literalOf = ({ operands, attributes, regions }: Operation): string | null =>
  operands.length + regions.length === 0 ? short(attributes.get("value")) : null;

// A constant of full precision tells no more than its first digits.
const DIGITS = 4;

function short(text: string | undefined): string | null {
  if (text === undefined) return null;
  const number = Number(text);
  return text.length > DIGITS + 4 && Number.isFinite(number)
    ? String(Number(number.toPrecision(DIGITS)))
    : text;
}

function detailOf(operation: Operation | null, value: Value): string {
  if (!operation) return value.type;
  const types = operation.results.map(({ type }) => type);
  const shown = types.length > 2 ? `${types[0]} and ${types.length - 1} more` : types.join(", ");
  const inside = operation.regions.reduce((sum, { operations }) => sum + operations.length, 0);
  return inside > 0 ? `${inside} operations → ${shown}` : shown;
}
