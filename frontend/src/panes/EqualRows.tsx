/** Equal launches: one row that says how often, and when it is opened a row for each. */
import { useState } from "preact/hooks";
import type { Equal } from "../lib/equal";
import { Icon } from "./Icon";
import { KernelRow, type Props as RowProps } from "./KernelRow";

type Props = Omit<RowProps, "launches" | "children"> & { equal: Equal };

export function EqualRows({ equal: { first, others }, ...shared }: Props) {
  const [open, setOpen] = useState(false);
  if (others.length === 0) return <KernelRow launches={[first]} {...shared} />;
  const times = `${others.length + 1} times`;
  return (
    <>
      <KernelRow launches={open ? [first] : [first, ...others]} {...shared}>
        <button
          class="disclose times"
          aria-expanded={open}
          aria-label={`${first.id}, ${times}`}
          title="Launches that do the same to other buffers: one function, compiled once"
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? "down" : "right"} /> {times}
        </button>
      </KernelRow>
      {open &&
        others.map((kernel) => <KernelRow key={kernel.id} launches={[kernel]} {...shared} />)}
    </>
  );
}
