/** Names of kernels or operations, broken into lines at underscores and between them alone. */
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
