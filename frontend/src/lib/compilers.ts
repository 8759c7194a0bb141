/** What compilers are called, and which of them a snippet could be looked into. */
import {
  COMPILERS,
  INSIDES,
  type InsideInfo,
  type Options,
  type Program,
  type Stage,
} from "../wire";
import { TARGETS } from "./choices";
import { plural } from "./format";

const TITLES: ReadonlyMap<string, string> = new Map(
  [...COMPILERS, ...INSIDES].map(({ id, title }) => [id, title]),
);

/** A compiler as a person knows it; one that the page does not know as it stands. */
export const titleOf = (compiler: string): string => TITLES.get(compiler) ?? compiler;

/** What the others are held against. */
export const BASELINE = COMPILERS.find(({ role }) => role === "baseline")!.id;

/** A compiler as a person knows it beside a program: what JAX does without one is no eager mode. */
export const titleBeside = ({ framework }: Pick<Program, "framework">, compiler: string): string =>
  compiler === BASELINE && framework === "jax" ? "op by op" : titleOf(compiler);

type Names = [name: string, mode: string];

/** The same in two lines: its name, and the mode that it is asked in. */
export function partsBeside(program: Pick<Program, "framework">, compiler: string): Names {
  const mode = compiler.split(":")[1] ?? "";
  const title = titleBeside(program, compiler);
  return [mode === "" ? title : title.slice(0, -mode.length).trim(), mode];
}

/** The same for a plot's row, which has little room. */
export function namesBeside(program: Pick<Program, "framework">, compiler: string): Names {
  const [name, mode] = partsBeside(program, compiler);
  return [short(name), mode];
}

const short = (title: string): string => title.replace("Torch", "");

const modesOf = (compiler: string): string[] =>
  COMPILERS.flatMap(({ id }) => (id.startsWith(`${compiler}:`) ? id : []));

const own = COMPILERS.filter(({ role }) => role !== "reference");
const ORDER: readonly string[] = [...own, ...INSIDES, ...COMPILERS].flatMap(({ id }) => [
  id,
  ...modesOf(id),
]);

/** Compilers in the order in which a program goes through them; those that the page does not know
 * come last. */
export const inOrder = (compilers: Iterable<string>): string[] => {
  const place = (id: string) => (ORDER.indexOf(id) + ORDER.length + 1) % (ORDER.length + 1);
  return [...new Set(compilers)].sort((a, b) => place(a) - place(b));
};

/** The command that installs a compiler which no worker has; blank of one that is there, or where
 * workers were not asked yet. */
export function toInstall(install: string, extras: readonly string[] | null): string {
  const name = install.split("NAME=")[1] ?? "";
  return name === "" || extras === null || extras.includes(name) ? "" : install;
}

/** Whether a stage was found by looking into another compiler. */
export const isInside = ({ kind }: Pick<Stage, "kind">): boolean => kind === "insides";

/** Whether a stage ends such a look: its time and its summary are the whole look's. */
export const isEnd = (stage: Pick<Stage, "kind" | "name">): boolean =>
  isInside(stage) && stage.name === stage.kind;

type Framework = InsideInfo["frameworks"][number];

/** What a snippet imports whose programs are a framework's. */
const USES: Record<Framework, readonly string[]> = { torch: ["torch"], jax: ["jax", "tensorflow"] };

const imports = (source: string, module: string): boolean =>
  new RegExp(`^\\s*(?:import|from)\\s+${module}\\b`, "m").test(source);

/** Whether a snippet has programs of a framework, as far as its imports say. */
export const isOf = (framework: Framework, source: string): boolean =>
  USES[framework].some((module) => imports(source, module)) ||
  (framework === "jax" && isModule(source));

/** Whether a snippet is a module of StableHLO, whose program comes in as JAX's: the twin of
 * compiler_core/report/source.py's. */
export const isModule = (source: string): boolean =>
  /^\s*(?:(?:\/\/|#)[^\n]*\n\s*)*(?:module\b[^\n=(]*[{@]|func\.func\b|"builtin\.module")/.test(
    source,
  );

export type CompilerChoice = Exclude<Options["compilers"], "auto">[number];

/** The compilers that a snippet will be given to: the twin of Options.compilers_for. */
export function compilersFor(
  { compilers, measure }: Options,
  source: string,
): readonly CompilerChoice[] {
  if (compilers !== "auto") return compilers;
  const framework = isOf("jax", source) ? "jax" : "torch";
  const usual = COMPILERS.filter(({ usual }) => usual.includes(framework));
  const given = usual.filter(({ role }) => role === "own" || measure);
  return given.map(({ id }) => id as CompilerChoice);
}

/** What a run is asked to do, in a line: its compilers, and whatever is not as usual. In several
 * wordings, the fullest first: a narrow line has the first that it has room for. */
export function chosenInWords(options: Options, source: string): readonly string[] {
  const { device, target, devices, toolchain, timeline, trials, insides } = options;
  const unusual = [
    device !== "auto" && device.toUpperCase(),
    target !== "auto" && (target === "none" ? TARGETS.none : target),
    devices !== "auto" && `${devices} devices`,
    toolchain,
    timeline && "timeline",
    trials && "remedies tried",
  ].filter((each) => each !== false && each !== "");
  const compilers = compilersFor(options, source).map((each) => short(titleOf(each)));
  const named = compilers.join(", ") || "no compiler";
  const counted = compilers.length > 1 ? plural(compilers.length, "compiler") : named;
  const looks = (told: string) => (insides.length > 0 ? [`inside ${told}`] : []);
  const others = unusual.length + looks("").length;
  return [
    [named, ...unusual, ...looks(insides.map(titleOf).join(", "))].join(" · "),
    [named, ...unusual, ...looks(String(insides.length))].join(" · "),
    [counted, ...unusual, ...looks(String(insides.length))].join(" · "),
    others > 0 ? `${counted}, ${others} more` : counted,
  ];
}

/** What may be looked into for a snippet: of its frameworks, and what is asked for already. */
export function fitting(source: string, chosen: Options["insides"]): InsideInfo[] {
  const used = (["torch", "jax"] as const).filter((framework) => isOf(framework, source));
  return INSIDES.filter(
    ({ id, frameworks, imported }) =>
      chosen.includes(id) ||
      ((imported === "" || imports(source, imported)) &&
        (used.length === 0 || frameworks.some((f) => used.includes(f)))),
  );
}

/** The name of what a program came in by: TensorFlow's and StableHLO's come in as JAX's. */
export function cameBy({ framework }: Pick<Program, "framework">, source: string): string {
  if (framework === "torch") return "PyTorch";
  const front = INSIDES.find(({ imported }) => imported !== "" && imports(source, imported));
  return front?.title ?? (isModule(source) ? "StableHLO" : "JAX");
}
