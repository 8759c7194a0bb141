/** A kernel's name, which may be broken into lines at its underscores and nowhere else. */
import { Fragment } from "preact";

export function Name({ of }: { of: string }) {
  return (
    <code>
      {of.split(/(?<=_)/).map((part, index) => (
        <Fragment key={index}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </code>
  );
}
