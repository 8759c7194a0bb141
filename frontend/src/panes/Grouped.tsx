/** Choices under a heading, where there is one. */
import type { ComponentChildren } from "preact";

export const Grouped = ({ label, children }: { label: string; children: ComponentChildren }) =>
  label === "" ? <>{children}</> : <optgroup label={label}>{children}</optgroup>;
