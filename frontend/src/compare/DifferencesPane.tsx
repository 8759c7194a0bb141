/** What two runs say of the same things, as the command line's `compare` has it. */
import { figure, time } from "../lib/compared";
import type { Comparison, ComparedLine, ProgramComparison, StageDifference } from "../wire";

interface Props {
  found: Comparison;
  program: ProgramComparison | null;
  /** A stage's texts are asked for. */
  onStage: (name: string) => void;
}

export function DifferencesPane({ found, program, onStage }: Props) {
  const about = found.about.filter(({ differs }) => differs);
  return (
    <div class="pane scroll" tabIndex={0} data-pane="differences">
      <Lines title="Snippet, options, versions" lines={about} none="The same." />
      {program === null && <p class="note">Neither run has a program.</p>}
      {program !== null && program.at.includes(null) && (
        <p class="note">
          <code>{program.name}</code> is only in {program.at[0] === null ? "B" : "A"}.
        </p>
      )}
      {program !== null && !program.at.includes(null) && (
        <>
          <Lines
            title="Figures"
            lines={program.figures.filter(isSaid)}
            write={figure}
            none="None."
          />
          <Lines
            title="Time of a call, median"
            lines={program.times}
            write={time}
            none="Not measured."
          />
          <Stages stages={program.stages} onStage={onStage} />
        </>
      )}
    </div>
  );
}

const isSaid = ({ a, b }: ComparedLine): boolean => a !== "" || b !== "";

/** As much of a hash as is told. */
const HASH = /^[0-9a-f]{12}$/;

/** More letters than a column has beside another. */
const LONG = 48;

const shapeOf = (text: string): string =>
  HASH.test(text) ? "hash" : text.length > LONG ? "long" : "";

interface LinesProps {
  title: string;
  lines: readonly ComparedLine[];
  /** A thing and what is said of it, as the page writes it. */
  write?: (what: string, text: string) => string;
  none: string;
}

function Lines({ title, lines, write = (_, text) => text, none }: LinesProps) {
  return (
    <section class="compare-lines">
      <h2>{title}</h2>
      {lines.length === 0 ? (
        <p class="faint">{none}</p>
      ) : (
        <table class="table">
          <thead>
            <tr>
              <td />
              <th scope="col" class="number">
                A
              </th>
              <th scope="col" class="number">
                B
              </th>
              <th scope="col" class="number">
                A to B
              </th>
            </tr>
          </thead>
          <tbody>
            {lines.map(({ what, a, b, differs, change }) => (
              <tr key={what} class={differs ? "differs" : "same"}>
                <th scope="row">{what}</th>
                {[a, b].map((text, side) => (
                  <td key={side} class={`number ${shapeOf(text)}`}>
                    {write(what, text)}
                  </td>
                ))}
                <td class="number">{changed(change) || (differs ? "differs" : "=")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Stages({
  stages,
  onStage,
}: {
  stages: readonly StageDifference[];
  onStage: (name: string) => void;
}) {
  return (
    <section class="compare-lines">
      <h2>Stages that differ: {stages.length}</h2>
      {stages.length > 0 && (
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Stage</th>
              <th scope="col">Said</th>
              <th scope="col">Texts</th>
            </tr>
          </thead>
          <tbody>
            {stages.map((stage) => (
              <tr key={`${stage.name} ${stage.at.join()}`}>
                <th scope="row">{stage.name}</th>
                <td class="wrap">{wordsOf(stage)}</td>
                <td class="wrap">
                  {stage.texts.length > 0 && (
                    <button class="row" onClick={() => onStage(stage.name)}>
                      {stage.texts.join(", ")}
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** A ratio as the page writes it, where the command line has "1.25x". */
const changed = (change: string): string => change.replace(/x$/, "×");

function wordsOf({ at: [a, b], words }: StageDifference): string {
  if (a === null) return "only in B";
  return b === null ? "only in A" : words.replace(" -> ", " → ");
}
