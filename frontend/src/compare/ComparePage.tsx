/** Two runs beside each other: what differs, every text as a difference, every other pane twice. */
import { untracked, useSignalEffect } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { plural } from "../lib/format";
import { inWords } from "../lib/deciding";
import { pathOf, pathOfPair, runMeant } from "../lib/urlstate";
import { againMs } from "../net/again";
import { getComparison } from "../net/api";
import { isOver } from "../net/live";
import { PANES } from "../panes/registry";
import { ThemeButton, Logo } from "../shell/TopBar";
import { chooseProgram, select } from "../store/choosing";
import { RunProvider } from "../store/context";
import { toast } from "../store/page";
import type { RunView } from "../store/runview";
import type { Comparison, ProgramComparison } from "../wire";
import { DifferencesPane } from "./DifferencesPane";
import { TextsPane } from "./TextsPane";

/** Panes that are drawn twice: those of results, and of what led there. */
const TWICE = [
  ...["stages", "fusion", "why", "timings", "timeline", "kernels", "numerics"],
  ...["memory", "mesh", "agreement", "output"],
];

export interface Two {
  a: RunView;
  b: RunView;
}

export function ComparePage({ ids, a, b }: Two & { ids: readonly [string, string] }) {
  const { found, problem } = useComparison(ids, { a, b });
  const [pane, setPane] = useState(paneAsked);
  const [chosen, setPlace] = useState<number | null>(null);
  const [text, setText] = useState<string | null>(null);
  // Whoever has chosen none reads of the first that differs.
  const place = chosen ?? Math.max(0, found?.programs.findIndex((each) => countOf(each) > 0) ?? 0);
  const program = found?.programs[place] ?? null;
  const goingOn = ["A", "B"].filter((_, at) => goesOn([a, b][at]!));
  const go = (next: string) => {
    setPane(next);
    history.replaceState(null, "", `#${next}`);
  };
  // A link to another pane of the same two, which loads nothing.
  useEffect(() => {
    const follow = () => setPane(paneAsked());
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  useMirror(a, b);
  useEffect(() => show({ a, b }, program), [program]);
  return (
    <>
      <header class="top-bar compare-bar">
        <h1 class="brand">
          <a href="/">
            <Logo />
            Fuselab
          </a>
        </h1>
        <Named of={a} sign="A" ids={ids} at={0} />
        <a class="button" href={pathOfPair(ids[1], ids[0])} title="B before A">
          ⇄ <span class="wide-only">Swap</span>
        </a>
        <Named of={b} sign="B" ids={ids} at={1} />
        <span class="spacer" />
        <ThemeButton />
      </header>
      <main id="panes" class="workspace">
        {found && found.programs.length > 1 && (
          <div class="programs compare-programs" role="group" aria-label="Programs">
            {found.programs.map((each, at) => (
              <button
                key={at}
                class="program"
                aria-pressed={at === place}
                onClick={() => setPlace(at)}
              >
                <code>{each.name}</code>
                {countOf(each) > 0 && <small>{plural(countOf(each), "difference")}</small>}
              </button>
            ))}
          </div>
        )}
        <Tabs pane={pane} onPane={go} found={found} />
        <section class="compare-pane" role="tabpanel" id="compare-panel" aria-label={pane}>
          {problem !== null && (
            <p class="note" role="alert">
              {problem}
            </p>
          )}
          {pane === "differences" && goingOn.length > 0 && (
            <p class="note" role="status">
              {goingOn.join(" and ")} {goingOn.length > 1 ? "are" : "is"} not over: this is what
              there is so far.
            </p>
          )}
          {pane === "differences" && found === null && problem === null && (
            <p class="note faint later" role="status">
              Comparing the two
            </p>
          )}
          {pane === "differences" && found && (
            <DifferencesPane
              found={found}
              program={program}
              onStage={(name) => (setText(name), go("texts"))}
            />
          )}
          {pane === "texts" && <TextsPane a={a} b={b} wanted={text} />}
          {TWICE.includes(pane) && <Twice a={a} b={b} pane={pane} />}
        </section>
      </main>
      <div class="toast" role="status" hidden={toast.value === null}>
        {toast.value}
      </div>
    </>
  );
}

/** How many figures and stages of a program differ. */
const countOf = ({ figures, stages }: ProgramComparison): number =>
  figures.filter(({ differs }) => differs).length + stages.length;

const paneAsked = (): string => location.hash.slice(1) || "differences";

/** Which run a side is, a way to it, and a place to put another's link. */
function Named({
  of,
  sign,
  ids,
  at,
}: {
  of: RunView;
  sign: string;
  ids: readonly [string, string];
  at: 0 | 1;
}) {
  const run = of.run.value;
  const take = (other: string) =>
    (location.href = at === 0 ? pathOfPair(other, ids[1]) : pathOfPair(ids[0], other));
  return (
    <div class="compare-run">
      <a href={pathOf(ids[at])} title="This run by itself">
        <strong>{sign}</strong> {of.program.value?.name ?? of.complaint.value ?? "…"}
      </a>
      {run && <small title={told(of)}>{told(of)}</small>}
      <Another sign={sign} onRun={take} />
    </div>
  );
}

const MOST_CHARACTERS = 40;

/** A place to put another run's link. */
function Another({ sign, onRun }: { sign: string; onRun: (id: string) => void }) {
  const [wrong, setWrong] = useState("");
  const put = (text: string) => {
    const other = runMeant(text);
    setWrong(other === null ? text.trim().slice(0, MOST_CHARACTERS) : "");
    if (other !== null) onRun(other);
  };
  return (
    <>
      <input
        aria-label={`Another run as ${sign}: its link`}
        aria-invalid={wrong !== ""}
        aria-describedby={`compare-wrong-${sign}`}
        placeholder="another run's link"
        onChange={(event) => put(event.currentTarget.value)}
      />
      <span class="compare-wrong" id={`compare-wrong-${sign}`} role="alert">
        {wrong && `“${wrong}” is no run's link: paste the address of its page, or its id`}
      </span>
    </>
  );
}

/** How a run was made, as far as that is not what everybody starts with. */
function told({ run, report }: RunView): string {
  const { options, state } = run.value!;
  const { target, device, toolchain, inputs, overrides } = options;
  return [
    state === "done" ? "" : state,
    target === "auto" ? "" : target,
    device === "auto" ? "" : device,
    toolchain,
    options.compilers === "auto" ? "" : options.compilers.join(", "),
    inputs,
    ...overrides.map((each) => inWords(each, report.value.programs)),
  ]
    .filter(Boolean)
    .join(" · ");
}

interface TabsProps {
  pane: string;
  onPane: (pane: string) => void;
  found: Comparison | null;
}

function Tabs({ pane, onPane, found }: TabsProps) {
  const count = found?.programs.reduce((sum, each) => sum + countOf(each), 0);
  const entries: [string, string][] = [
    ["differences", count ? `Differences ${count}` : "Differences"],
    ["texts", "Texts"],
    ...PANES.filter(({ id }) => TWICE.includes(id)).map(({ id, title }): [string, string] => [
      id,
      title,
    ]),
  ];
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = entries.findIndex(([id]) => id === pane);
    const [next] = entries[(at + step + entries.length) % entries.length]!;
    onPane(next);
    document.getElementById(`compare-tab-${next}`)?.focus();
  };
  return (
    <div class="phone-tabs compare-tabs" role="tablist" aria-label="Comparisons" onKeyDown={walk}>
      {entries.map(([id, title]) => (
        <button
          key={id}
          id={`compare-tab-${id}`}
          role="tab"
          aria-selected={id === pane}
          aria-controls="compare-panel"
          tabIndex={id === pane ? 0 : -1}
          onClick={() => onPane(id)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

function Twice({ a, b, pane }: Two & { pane: string }) {
  const { Component } = PANES.find(({ id }) => id === pane)!;
  return (
    <div class="compare-twice" role="group" aria-label="Both runs" tabIndex={0}>
      {[a, b].map((view, at) => (
        <RunProvider key={`${pane} ${view.prefix}`} value={view}>
          <div class="compare-side" data-pane={pane} data-side={"AB"[at]}>
            <h2>
              {"AB"[at]}{" "}
              <span class="faint">
                {plural(view.kernelsOf(view.onePlan.value).length, "launch")}
              </span>
            </h2>
            <Component />
          </div>
        </RunProvider>
      ))}
    </div>
  );
}

const goesOn = ({ run }: RunView): boolean => run.value !== null && !isOver(run.value.state);

/** What the server says of the two, again once either is over. */
function useComparison([idA, idB]: readonly [string, string], { a, b }: Two) {
  const [found, setFound] = useState<Comparison | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const over = [a, b].map(({ run }) => run.value !== null && isOver(run.value.state)).join();
  useEffect(() => {
    let isWanted = true;
    let again: ReturnType<typeof setTimeout> | undefined;
    const ask = async (attempt: number) => {
      const answer = await getComparison(idA, idB);
      if (!isWanted) return;
      if (answer.ok) setFound(answer.value);
      setProblem(answer.ok ? null : answer.error);
      const wait = againMs(answer, attempt);
      if (wait !== null) again = setTimeout(() => void ask(attempt + 1), wait);
    };
    void ask(0);
    return () => {
      isWanted = false;
      clearTimeout(again);
    };
  }, [idA, idB, over]);
  return { found, problem };
}

/** Shows a program in both runs, where both have it. */
function show({ a, b }: Two, program: ProgramComparison | null): void {
  const [atA, atB] = program?.at ?? [null, null];
  if (atA !== null) chooseProgram(a, atA);
  if (atB !== null) chooseProgram(b, atB);
}

/** Of one snippet the captured operations are the same: what is chosen in one run is in the other. */
function useMirror(a: RunView, b: RunView): void {
  useSignalEffect(() => mirror(a, b));
  useSignalEffect(() => mirror(b, a));
}

function mirror(from: RunView, to: RunView): void {
  const { nodes, values, origin } = from.selection.value;
  const isSame = from.report.value.snippet.sha256 === to.report.peek().snippet.sha256;
  if (isSame) untracked(() => select(to, nodes, origin, values));
}
