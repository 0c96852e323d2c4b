import { DIAGNOSES, type Diagnosis } from './codes.ts';

const MAX_FOUND = 50;

/**
 * Finds diagnoses of our subset. A diagnosis matches if its code begins with the text, with or without the point. It
 * also matches if each word of the text begins a word of the description: `vit def` finds "Vitamin D deficiency". A
 * single letter must be an entire word of the description, such as the D in "vitamin D". The diagnoses that match by
 * their code come first.
 */
export function searchDiagnoses(text: string): Diagnosis[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [];
  const all = [...DIAGNOSES.values()];
  const beginning = words.length === 1 ? (words[0] as string).replace('.', '') : null;
  const byCode = all.filter(({ code }) => beginning && code.replace('.', '').toLowerCase().startsWith(beginning));
  const byWords = all.filter(({ description }) => {
    const itsWords = description.toLowerCase().split(/[^\p{L}\p{N}]+/u);
    return words.every((word) => itsWords.some((each) => (word.length === 1 ? each === word : each.startsWith(word))));
  });
  return [...new Set([...byCode, ...byWords])].slice(0, MAX_FOUND);
}
