/** The name of a plot's row, before its axis: a compiler, and below it the mode that it was asked in. */

const GAP = 14;

interface Props {
  name: string;
  /** Blank where it was asked in none. */
  mode: string;
  /** Where a name without a mode stands. */
  y: number;
}

export const RowName = ({ name, mode, y }: Props) => (
  <text class="compiler" text-anchor="end">
    <tspan x={-8} y={mode ? y - GAP / 2 : y}>
      {name}
    </tspan>
    {mode && (
      <tspan x={-8} y={y + GAP / 2}>
        {mode}
      </tspan>
    )}
  </text>
);
