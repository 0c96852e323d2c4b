/** If there are more values, a sentence that lists them does not help a reader. */
const MAX_ALTERNATIVES = 60;

/** Returns the allowed values as a text for a refusal. */
export function alternatives(allowed: readonly unknown[]): string {
  const values = allowed.filter((value) => value !== null);
  if (values.length > MAX_ALTERNATIVES) return `one of ${values.length} values, which the reference lists`;
  return values.map((value) => `'${String(value)}'`).join(', ');
}
