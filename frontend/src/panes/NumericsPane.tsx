/** The error of every compiler, and what each was held against; then the error of every kernel. */
import { inOrder, titleBeside } from "../lib/compilers";
import { relativeError, scientific } from "../lib/format";
import { useRunView } from "../store/context";
import type { Numerics } from "../wire";
import { Icon } from "./Icon";
import { Empty } from "./Empty";
import { KernelErrors } from "./KernelErrors";

export function NumericsPane() {
  const program = useRunView().program.value;
  const names = inOrder(Object.keys(program?.numerics ?? {}));
  if (program === null || names.length === 0) return <Empty pane="numerics" />;
  return (
    <div class="pane scroll" tabIndex={0}>
      <table class="table cards numerics">
        <thead>
          <tr>
            <th scope="col">Compiler</th>
            <th scope="col" class="number">
              Largest absolute error
            </th>
            <th scope="col" class="number">
              Largest relative error
            </th>
            <th scope="col">Verdict</th>
            <th scope="col">Held against</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <Row key={name} title={titleBeside(program, name)} found={program.numerics[name]!} />
          ))}
        </tbody>
      </table>
      <KernelErrors />
    </div>
  );
}

function Row({ title, found }: { title: string; found: Numerics }) {
  const { max_abs_error, max_rel_error, ok, error, rule } = found;
  return (
    <tr>
      <th scope="row">{title}</th>
      <td class="number short" data-label="Absolute">
        {scientific(max_abs_error)}
      </td>
      <td class="number short" data-label="Relative">
        {relativeError(max_rel_error)}
      </td>
      <td class={ok ? "good" : "bad"} data-label="Verdict">
        <Icon name={ok ? "check" : "cross"} /> {ok ? "within" : "outside"}
      </td>
      <td class="wrap" data-label="Held against">
        {error || rule}
      </td>
    </tr>
  );
}
