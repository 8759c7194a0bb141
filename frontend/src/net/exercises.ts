/** The exercises of a workshop. */
import { call } from "./api";

/** What one check saw, in words. */
export interface CheckResult {
  wants: string;
  passed: boolean;
  says: string;
  /** Whether that is not over yet. */
  pending: boolean;
}

export interface Attempt {
  run: string;
  passed: boolean;
  /** Whether it is not judged to the end: the same attempt is then asked for again. */
  pending: boolean;
  /** Whether its own run has not ended. */
  runs: boolean;
  results: CheckResult[];
  /** While what compares waits: the runs before it, and about how many seconds; null: not known. */
  ahead: number | null;
  wait_s: number | null;
  /** Why no run begins now; blank where they do. */
  waits_for: string;
}

export interface Exercise {
  name: string;
  title: string;
  /** As HTML that the server has made of Markdown. */
  text: string;
  /** What is put into the editor. */
  start: string;
  /** What each check wants, in words. */
  wants: string[];
  /** What they are about: "softmax(f32[1024,512])"; "" for one that cannot be checked. */
  call: string;
  /** How many hints there are, and those that were opened, as HTML. */
  hints: number;
  opened: string[];
  attempts: number;
  passed: boolean;
  last: Attempt | null;
}

export interface Files {
  toml: string;
  start: string;
  reference: string;
}

export interface Standing {
  name: string;
  checks: number;
  of: number;
  exercises: number;
  speedup: number | null;
  attempts: number;
  hints: number;
}

const at = (code: string): string => `workshops/${encodeURIComponent(code)}`;
const one = (code: string, name: string): string =>
  `${at(code)}/exercises/${encodeURIComponent(name)}`;

export const getExercises = (code: string) =>
  call<{ exercises: Exercise[] }>("GET", `${at(code)}/exercises`);

export const putExercise = (code: string, name: string, files: Files) =>
  call<null>("PUT", one(code, name), files);

export const removeExercise = (code: string, name: string) => call<null>("DELETE", one(code, name));

export const openHint = (code: string, name: string, number: number) =>
  call<{ text: string }>("POST", `${one(code, name)}/hints/${number}`);

/** The run by which a text is checked, an attempt from then on; of one editor's runs that wait the newest stays. */
export const tryOut = (code: string, name: string, source: string, editor: string) =>
  call<{ id: string }>("POST", `${one(code, name)}/runs`, { source, editor });

export const attempt = (code: string, name: string, run: string) =>
  call<Attempt>("POST", `${one(code, name)}/attempts`, { run });

export const getBoard = (code: string) => call<{ seats: Standing[] }>("GET", `${at(code)}/board`);
