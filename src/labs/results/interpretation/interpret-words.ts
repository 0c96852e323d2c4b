/** The words that the catalogue lists as normal results of a test, and the words that it lists as abnormal ones. */
export type Words = { normal: string[]; abnormal: string[] };

/**
 * Returns only the letters and digits of a text, in lower case. Laboratories write the same word in different ways,
 * such as `Non-Reactive`, `NONREACTIVE` and `Non reactive.`
 */
export const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/**
 * Interprets a result in words with the words of its test in the catalogue. The result is abnormal if at least one of
 * its lines is abnormal, and normal if all lines are normal. In all other cases the function returns null.
 */
export function interpretWords(result: string, { normal, abnormal }: Words): 'normal' | 'abnormal' | null {
  const [good, bad] = [normal, abnormal].map((words) => new Set(words.map(lettersOf))) as [Set<string>, Set<string>];
  const lines = result.split('\n').map(lettersOf).filter(Boolean);
  if (lines.some((line) => bad.has(line))) return 'abnormal';
  return lines.length > 0 && lines.every((line) => good.has(line)) ? 'normal' : null;
}
