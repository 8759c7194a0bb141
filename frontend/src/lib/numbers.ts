/** The sum of those numbers that are known; null where none is. */
export function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? known.reduce((a, b) => a + b, 0) : null;
}
