/** Somebody by their name, which is cut where it is long: a room's bar and an editor's are a line. */
export const Called = ({ name }: { name: string }) => (
  <span class="called" title={name}>
    {name}
  </span>
);
