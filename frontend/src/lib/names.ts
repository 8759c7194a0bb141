/**
 * Names of values that stay the same from pass to pass.
 *
 * A rewritten graph numbers its values anew, so a difference of the texts would show every line
 * below the first rewrite. Here a value that a pass only carried over keeps the name that it had:
 * one consistent renaming of the whole text, which changes nothing of what it says.
 */
import type { Artifact, Stage } from "../wire";
import { sidesOf } from "./artifacts";
import { commonLines } from "./linediff";

type Names = ReadonlyMap<string, string>;

interface Renamed {
  stage: Stage;
  /** From the compiler's names to those shown, in the stage's last text. */
  names: Names;
}

const NAME = /%\w+/g;
const DEFINITION = /^\s*(%\w+) = /;
const NONE: Names = new Map();

const done = new WeakMap<Stage, Renamed>();

/** The stages with steady names. A stage's result depends on the earlier ones only. */
export function steady(stages: readonly Stage[]): Stage[] {
  let names = NONE;
  return stages.map((stage) => {
    const found = done.get(stage) ?? renameStage(stage, names);
    done.set(stage, found);
    names = found.names;
    return found.stage;
  });
}

function renameStage(stage: Stage, names: Names): Renamed {
  const sides = sidesOf(stage);
  if (!sides) return { stage, names };
  if (!sides.before) return { stage, names: NONE };
  const before = renamed(sides.before.text, names);
  const next = carried(before, sides.after.text);
  const text = (artifact: Artifact) =>
    artifact === sides.before ? before : renamed(artifact.text, next);
  return {
    names: next,
    stage: {
      ...stage,
      artifacts: stage.artifacts.map((artifact) => ({ ...artifact, text: text(artifact) })),
      rewrites: stage.rewrites.map((rewrite) => ({
        ...rewrite,
        before: renamed(rewrite.before, names),
        after: renamed(rewrite.after, next),
      })),
    },
  };
}

function renamed(text: string, names: Names): string {
  return names.size === 0 ? text : text.replace(NAME, (name) => names.get(name) ?? name);
}

/** For the values of `after` the names of their counterparts in `before`, one for one. */
function carried(before: string, after: string): Names {
  const [a, b] = [before.split("\n"), after.split("\n")];
  const names = new Map<string, string>();
  for (const [i, j] of commonLines(a.map(nameless), b.map(nameless))) {
    const [was, is] = [defined(a[i]), defined(b[j])];
    if (was && is) names.set(is, was);
  }
  const taken = new Set(names.values());
  for (const name of b.map(defined)) {
    if (name && !names.has(name) && taken.has(name)) names.set(name, fresh(name, taken));
  }
  return names;
}

const nameless = (line: string): string => line.replace(NAME, "%");

const defined = (line: string | undefined): string | undefined => DEFINITION.exec(line ?? "")?.[1];

function fresh(name: string, taken: Set<string>): string {
  let made = `${name}n`;
  while (taken.has(made)) made += "n";
  taken.add(made);
  return made;
}
