/** Words of results, by what they mean for a test. */
export type Words = { normal: string[]; abnormal: string[] };

/** Laboratories write one word in many ways: `Non-Reactive`, `NONREACTIVE`, `Non reactive.` */
export const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/**
 * What a result in words means by the words of its test. Of several lines one that is abnormal is enough, and all have
 * to be normal; null where that cannot be said.
 */
export function interpretWords(result: string, { normal, abnormal }: Words): 'normal' | 'abnormal' | null {
  const [good, bad] = [normal, abnormal].map((words) => new Set(words.map(lettersOf))) as [Set<string>, Set<string>];
  const lines = result.split('\n').map(lettersOf).filter(Boolean);
  if (lines.some((line) => bad.has(line))) return 'abnormal';
  return lines.length > 0 && lines.every((line) => good.has(line)) ? 'normal' : null;
}
