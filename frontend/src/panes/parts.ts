/** What the page does not need to be seen and written in: each of these is a file of its own. */
import type { ComponentType } from "preact";
import { fetching } from "../net/modules";
import { later } from "./later";

function part<N extends string, P extends object>(
  load: () => Promise<Record<N, ComponentType<P>>>,
  name: N,
): () => Promise<ComponentType<P>> {
  const module = fetching(load);
  return async () => (await module())[name];
}

export const TextView = later(
  "the view of texts",
  part(() => import("./TextView"), "TextView"),
);

export const StagesTree = later(
  "the stages",
  part(() => import("./StagesTree"), "StagesTree"),
);

export const IrText = later(
  "the IR",
  part(() => import("./IrText"), "IrText"),
);

export const FusionGraph = later(
  "the fusion graph",
  part(() => import("./FusionGraph"), "FusionGraph"),
);

export const FileView = later(
  "the file",
  part(() => import("./FileView"), "FileView"),
);

export const OutputPane = later(
  "the output",
  part(() => import("./OutputPane"), "OutputPane"),
);

export const VerdictStrip = later(
  "the verdict",
  part(() => import("../shell/VerdictStrip"), "VerdictStrip"),
  "verdict-strip",
);

export const WhatIfBar = later(
  "what was decided by hand",
  part(() => import("../shell/WhatIfBar"), "WhatIfBar"),
  "what-if",
);

export const InputsSheet = later(
  "the inputs",
  part(() => import("./InputsSheet"), "InputsSheet"),
  "gallery-place",
);

export const Gallery = later(
  "the examples",
  part(() => import("../shell/Gallery"), "Gallery"),
  "gallery-place",
);

export const Welcome = later(
  "the examples",
  part(() => import("./Welcome"), "Welcome"),
);

export const NoteText = later(
  "a note",
  part(() => import("./Note"), "NoteText"),
  "callout",
);

export const Help = later(
  "the shortcuts",
  part(() => import("../shell/Help"), "Help"),
  "help",
);

export const ShareSheet = later(
  "what can be shared",
  part(() => import("../share/ShareSheet"), "ShareSheet"),
  "share",
);

export const DeskSheet = later(
  "your runs",
  part(() => import("../desk/DeskSheet"), "DeskSheet"),
  "share",
);

export const GraphBar = later(
  "the list of graphs",
  part(() => import("../shell/GraphBar"), "GraphBar"),
  "graph-bar",
);

export const Trail = later(
  "the way through the panes",
  part(() => import("../shell/Trail"), "Trail"),
  "trail",
);

export const ProblemList = later(
  "what is wrong",
  part(() => import("./ProblemList"), "ProblemList"),
  "problem",
);

export const WhyList = later(
  "the list of reasons",
  part(() => import("./WhyList"), "WhyList"),
);

export const TimingsPane = later(
  "the timings",
  part(() => import("./TimingsPane"), "TimingsPane"),
);

export const TimelinePane = later(
  "the timeline",
  part(() => import("./TimelinePane"), "TimelinePane"),
);

export const KernelsPane = later(
  "the table of kernels",
  part(() => import("./KernelsPane"), "KernelsPane"),
);

export const NumericsPane = later(
  "the errors",
  part(() => import("./NumericsPane"), "NumericsPane"),
);

export const MemoryPane = later(
  "the map of memory",
  part(() => import("./MemoryPane"), "MemoryPane"),
);

export const MeshPane = later(
  "the mesh",
  part(() => import("./MeshPane"), "MeshPane"),
);

export const AgreementPane = later(
  "the table of edges",
  part(() => import("./AgreementPane"), "AgreementPane"),
);

export const TablesPane = later(
  "the tables",
  part(() => import("./TablesPane"), "TablesPane"),
);

export const WorkshopBar = later(
  "the workshop",
  part(() => import("../workshop/Bar"), "WorkshopBar"),
  "workshop-bar",
);

export const RoomShare = later(
  "the workshop's link",
  part(() => import("../workshop/RoomShare"), "RoomShare"),
  "share-row",
);

export const TextTabs = later(
  "the workshop's text",
  part(() => import("../workshop/shared/TextTabs"), "TextTabs"),
  "text-tabs",
);

export const SharedText = later(
  "the workshop's text",
  part(() => import("../workshop/shared/SharedText"), "SharedText"),
  "no-room",
);

export const Exercises = later(
  "the exercises",
  part(() => import("../workshop/exercises/Exercises"), "Exercises"),
  "exercises",
);

export const Deck = later(
  "the deck",
  part(() => import("../workshop/deck/Deck"), "Deck"),
  "deck",
);
