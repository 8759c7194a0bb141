/** Run times: every sample as a dot, quartiles and median over them, and the same as numbers. */
import { BASELINE, inOrder, partsBeside, titleBeside } from "../lib/compilers";
import { microseconds, milliseconds, plural, times } from "../lib/format";
import { useRunView } from "../store/context";
import { COMPILERS, type Program, type Timing } from "../wire";
import { CompilePlot } from "./CompilePlot";
import { Empty } from "./Empty";
import { NotRun } from "./NotRun";
import { Protocol } from "./Protocol";
import { TimingPlot } from "./TimingPlot";

const ABOUT: ReadonlyMap<string, string> = new Map(COMPILERS.map(({ id, about }) => [id, about]));

export function TimingsPane() {
  const program = useRunView().program.value;
  if (program === null || Object.keys(program.timings).length === 0)
    return <Empty pane="timings" />;
  return (
    <div class="pane scroll" tabIndex={0}>
      <div class="timings">
        <TimingPlot program={program} />
        <TimingTable program={program} />
      </div>
      <NotRun />
      <Protocol />
      <CompilePlot program={program} />
    </div>
  );
}

function TimingTable({ program }: { program: Program }) {
  return (
    <div class="timing-table" tabIndex={0}>
      <table class="table cards">
        <thead>
          <tr>
            <th scope="col">Compiler</th>
            <th scope="col" class="number" title="Over the quartiles">
              Median
            </th>
            <th scope="col" class="number" title="Over the 95 % interval">
              Against {titleBeside(program, BASELINE)}
            </th>
            <th scope="col">Verdict</th>
            <th scope="col" class="number" title="The framework's tracing">
              Capture
            </th>
            <th scope="col" class="number" title="From the captured graph">
              Compile
            </th>
            <th scope="col" class="number">
              First call
            </th>
            <th scope="col" class="number" title="Calls after which compiling has paid for itself">
              Pays after
            </th>
          </tr>
        </thead>
        <tbody>
          {inOrder(Object.keys(program.timings)).map((name) => (
            <TimingRow key={name} name={name} program={program} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TimingRow({ name, program }: { name: string; program: Program }) {
  const timing = program.timings[name]!;
  const [title, mode] = partsBeside(program, name);
  const { median_us, p25_us, p75_us, samples, verdict } = timing;
  return (
    <tr>
      <th scope="row" title={ABOUT.get(name)}>
        {title} {mode && <small>{mode}</small>}
      </th>
      <td class="number" data-label="Median" title={plural(samples, "sample")}>
        {microseconds(median_us)}
        <small>{range(p25_us, p75_us)}</small>
      </td>
      <td class="number" data-label={`Against ${titleBeside(program, BASELINE)}`}>
        <SpeedUp timing={timing} />
      </td>
      <td class={`verdict ${verdict.split(" ")[0] ?? ""}`} data-label="Verdict">
        {verdict}
      </td>
      <td class="number short" data-label="Capture">
        {optional(timing.capture_ms)}
      </td>
      <td class="number short" data-label="Compile">
        {optional(timing.compile_ms)}
      </td>
      <td class="number short" data-label="First call">
        {optional(timing.first_call_ms)}
      </td>
      <td class="number short" data-label="Pays after">
        {paysAfter(timing)}
      </td>
    </tr>
  );
}

function SpeedUp({ timing: { speedup, speedup_low, speedup_high } }: { timing: Timing }) {
  if (speedup === null) return <>–</>;
  const known = speedup_low !== null && speedup_high !== null;
  return (
    <>
      {times(speedup)}
      {known && (
        <small>
          {times(speedup_low)} – {times(speedup_high)}
        </small>
      )}
    </>
  );
}

const range = (...ends: [number, number]): string => ends.map(microseconds).join(" – ");

const optional = (ms: number | null): string => (ms === null ? "–" : milliseconds(ms));

const UNDECIDED: ReadonlySet<string> = new Set(["same within noise", "not compiled"]);

function paysAfter({ pays_after_calls, speedup, verdict }: Timing): string {
  if (speedup === null || UNDECIDED.has(verdict)) return "–";
  return pays_after_calls === null ? "never" : plural(pays_after_calls, "call");
}
