import { DIAGNOSES, type Diagnosis } from './codes.ts';

const MOST_FOUND = 50;

/**
 * Diagnoses of the shipped subset whose code begins with the text, with its point or without, or whose description has
 * words that begin with each word of it (a single letter is a word: vitamin D); those found by their code first.
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
  return [...new Set([...byCode, ...byWords])].slice(0, MOST_FOUND);
}
