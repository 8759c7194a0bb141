/** Figures as the page writes them, where a comparison has them in the command line's words. */
import { bytes, microseconds, scientific } from "./format";

const UNITS: Record<string, number> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
const SIZE = /^(\d[\d.]*) ([KMG]iB)$/;
const ERROR = /^\d[\d.]*(e[-+]\d+)?(?= |$)/;

const sized = (text: string): string =>
  text.replace(SIZE, (_, size, unit) => bytes(Number(size) * UNITS[unit]!));

/** "8.17e-05 NOT OK" is "8.2e-5 NOT OK". */
const erring = (text: string): string => text.replace(ERROR, (size) => scientific(Number(size)));

/** One of the figures of a program. */
export const figure = (what: string, text: string): string =>
  what.startsWith("rel error") ? erring(text) : sized(text);

/** A time, which comes as microseconds, or a word in its place. */
export const time = (_: string, text: string): string =>
  Number.isNaN(Number(text)) || text === "" ? text : microseconds(Number(text));
