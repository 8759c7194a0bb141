/** What the page does not need to be seen and written in: each of these is a file of its own. */
import { later } from "./later";

export const TextView = later(
  "the view of texts",
  async () => (await import("./TextView")).TextView,
);

export const StagesTree = later(
  "the stages",
  async () => (await import("./StagesTree")).StagesTree,
);

export const IrText = later("the IR", async () => (await import("./IrText")).IrText);

export const FusionGraph = later(
  "the fusion graph",
  async () => (await import("./FusionGraph")).FusionGraph,
);

export const FileView = later("the file", async () => (await import("./FileView")).FileView);

export const OutputPane = later(
  "the output",
  async () => (await import("./OutputPane")).OutputPane,
);

export const VerdictStrip = later(
  "the verdict",
  async () => (await import("../shell/VerdictStrip")).VerdictStrip,
  "verdict-strip",
);

export const WhatIfBar = later(
  "what was decided by hand",
  async () => (await import("../shell/WhatIfBar")).WhatIfBar,
  "what-if",
);

export const InputsSheet = later(
  "the inputs",
  async () => (await import("./InputsSheet")).InputsSheet,
  "gallery-place",
);

export const Gallery = later(
  "the examples",
  async () => (await import("../shell/Gallery")).Gallery,
  "gallery-place",
);

export const Welcome = later("the examples", async () => (await import("./Welcome")).Welcome);

export const NoteText = later("a note", async () => (await import("./Note")).NoteText, "callout");

export const Help = later(
  "the shortcuts",
  async () => (await import("../shell/Help")).Help,
  "help",
);

export const ShareSheet = later(
  "what can be shared",
  async () => (await import("../share/ShareSheet")).ShareSheet,
  "share",
);

export const DeskSheet = later(
  "your runs",
  async () => (await import("../desk/DeskSheet")).DeskSheet,
  "share",
);

export const GraphBar = later(
  "the list of graphs",
  async () => (await import("../shell/GraphBar")).GraphBar,
  "graph-bar",
);

export const Trail = later(
  "the way through the panes",
  async () => (await import("../shell/Trail")).Trail,
  "trail",
);

export const ProblemList = later(
  "what is wrong",
  async () => (await import("./ProblemList")).ProblemList,
  "problem",
);

export const WhyList = later(
  "the list of reasons",
  async () => (await import("./WhyList")).WhyList,
);

export const TimingsPane = later(
  "the timings",
  async () => (await import("./TimingsPane")).TimingsPane,
);

export const TimelinePane = later(
  "the timeline",
  async () => (await import("./TimelinePane")).TimelinePane,
);

export const KernelsPane = later(
  "the table of kernels",
  async () => (await import("./KernelsPane")).KernelsPane,
);

export const NumericsPane = later(
  "the errors",
  async () => (await import("./NumericsPane")).NumericsPane,
);

export const MemoryPane = later(
  "the map of memory",
  async () => (await import("./MemoryPane")).MemoryPane,
);

export const MeshPane = later("the mesh", async () => (await import("./MeshPane")).MeshPane);

export const AgreementPane = later(
  "the table of edges",
  async () => (await import("./AgreementPane")).AgreementPane,
);

export const TablesPane = later(
  "the tables",
  async () => (await import("./TablesPane")).TablesPane,
);

export const WorkshopBar = later(
  "the workshop",
  async () => (await import("../workshop/Bar")).WorkshopBar,
  "workshop-bar",
);

export const TextTabs = later(
  "the workshop's text",
  async () => (await import("../workshop/shared/TextTabs")).TextTabs,
  "text-tabs",
);

export const SharedText = later(
  "the workshop's text",
  async () => (await import("../workshop/shared/SharedText")).SharedText,
  "no-room",
);

export const Exercises = later(
  "the exercises",
  async () => (await import("../workshop/exercises/Exercises")).Exercises,
  "exercises",
);

export const Deck = later(
  "the deck",
  async () => (await import("../workshop/deck/Deck")).Deck,
  "deck",
);
