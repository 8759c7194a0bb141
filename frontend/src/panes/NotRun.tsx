/** Which of the other compilers the program was not given to, or did not get through, and why. */
import { useRunView } from "../store/context";
import { COMPILERS } from "../wire";

const TITLES: ReadonlyMap<string, string> = new Map(COMPILERS.map(({ id, title }) => [id, title]));

export function NotRun() {
  const stages = useRunView().program.value?.stages ?? [];
  const left = stages.filter(({ kind, status }) => kind === "reference" && status !== "ok");
  return (
    <>
      {left.map(({ name, status, summary }) => (
        <p class="note" key={name}>
          {TITLES.get(name) ?? name} {status === "skipped" ? "did not run" : "failed"}: {summary}
        </p>
      ))}
    </>
  );
}
