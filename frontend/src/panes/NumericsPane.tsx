/** The error of every compiler, and what each was held against; then the error of every kernel. */
import { scientific } from "../lib/format";
import { useRunView } from "../store/context";
import { Icon } from "./Icon";
import { Empty } from "./Empty";
import { KernelErrors } from "./KernelErrors";
import { inOrder } from "./TimingsPane";

export function NumericsPane() {
  const rows = inOrder(useRunView().program.value?.numerics ?? {});
  if (rows.length === 0) return <Empty pane="numerics" />;
  return (
    <div class="pane scroll" tabIndex={0}>
      <table class="table">
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
          {rows.map(([name, row]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{scientific(row.max_abs_error)}</td>
              <td class="number">{scientific(row.max_rel_error)}</td>
              <td class={row.ok ? "good" : "bad"}>
                <Icon name={row.ok ? "check" : "cross"} /> {row.ok ? "within" : "outside"}
              </td>
              <td class="wrap">{row.error || row.rule}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <KernelErrors />
    </div>
  );
}
