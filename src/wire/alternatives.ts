/** More is no help in a sentence. */
const MOST_ALTERNATIVES = 60;

/** The values that something may have, as a refusal lists them. */
export function alternatives(allowed: readonly unknown[]): string {
  const values = allowed.filter((value) => value !== null);
  if (values.length > MOST_ALTERNATIVES) return `one of ${values.length} values, which the reference lists`;
  return values.map((value) => `'${String(value)}'`).join(', ');
}
