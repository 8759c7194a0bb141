/** Every pane: its name, its place at first, and what draws it. */
import type { ComponentType } from "preact";
import type { TextPaneId } from "../lib/artifacts";
import type { RunView } from "../store/runview";
import { ArtifactPane } from "./ArtifactPane";
import { IrPane } from "./IrPane";
import {
  AgreementPane,
  FusionGraph,
  KernelsPane,
  MemoryPane,
  MeshPane,
  NumericsPane,
  OutputPane,
  TablesPane,
  TimelinePane,
  TimingsPane,
} from "./parts";
import { SourcePane } from "./SourcePane";
import { StagesPane } from "./StagesPane";
import { WhyPane } from "./WhyPane";

/** Groups of the first arrangement; panes of a group share it as tabs. */
export type Place = "source" | "stages" | "ir" | "code" | "results";

export interface PaneInfo {
  id: string;
  title: string;
  place: Place;
  Component: ComponentType;
  /** How many entries it has, where its tab says so. */
  count?: (view: RunView) => number;
}

const text = (id: TextPaneId, title: string, place: Place): PaneInfo => ({
  id,
  title,
  place,
  Component: () => <ArtifactPane pane={id} title={title} />,
});

/** In the order of the tabs. */
export const PANES: readonly PaneInfo[] = [
  { id: "source", title: "Source", place: "source", Component: SourcePane },
  { id: "stages", title: "Stages", place: "stages", Component: StagesPane },
  { id: "ir", title: "IR", place: "ir", Component: IrPane },
  { id: "fusion", title: "Fusion", place: "ir", Component: FusionGraph },
  text("captured", "Captured", "ir"),
  text("loops", "Loops", "ir"),
  text("triton", "Triton", "code"),
  text("c", "C", "code"),
  text("assembly", "PTX", "code"),
  text("reference", "Reference", "code"),
  {
    id: "why",
    title: "Why",
    place: "results",
    Component: WhyPane,
    count: (view) => view.reasons.value.length,
  },
  { id: "timings", title: "Timings", place: "results", Component: TimingsPane },
  { id: "timeline", title: "Timeline", place: "results", Component: TimelinePane },
  { id: "kernels", title: "Kernels", place: "results", Component: KernelsPane },
  { id: "numerics", title: "Numerics", place: "results", Component: NumericsPane },
  { id: "memory", title: "Memory", place: "results", Component: MemoryPane },
  { id: "mesh", title: "Mesh", place: "results", Component: MeshPane },
  { id: "agreement", title: "Agreement", place: "results", Component: AgreementPane },
  { id: "tables", title: "Tables", place: "results", Component: TablesPane },
  { id: "output", title: "Output", place: "results", Component: OutputPane },
];

export const paneOf = (id: string): PaneInfo | undefined => PANES.find((pane) => pane.id === id);

/** What stands on a pane's tab: its name, and how many entries it has. */
export const labelOf = ({ title, count }: PaneInfo, view: RunView): string => {
  const entries = count?.(view) ?? 0;
  return entries > 0 ? `${title} ${entries}` : title;
};
