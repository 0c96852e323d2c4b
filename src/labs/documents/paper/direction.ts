import { ownProperty } from '../../../wire/own-property.ts';

// Finds the parts of a line that are written from right to left. Our documents are English, so a line goes from left to
// right, but it may contain Hebrew or Arabic text. We implement the plain cases of Unicode's UAX #9, without nesting.

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const ATOMS =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{M}]+|\p{N}+(?:[.,:/-]\p{N}+)*|\p{L}[\p{L}\p{M}]*|./gu;
const NUMBER = /^\p{N}/u;
const LETTER = /^\p{L}/u;
const MIRRORED: Record<string, string> = {
  '(': ')',
  ')': '(',
  '[': ']',
  ']': '[',
  '<': '>',
  '>': '<',
  '«': '»',
  '»': '«',
};

/**
 * Returns the parts of a line in the order in which they appear on paper. Each part has one direction, and the caller
 * draws each part separately.
 */
export function visualParts(line: string): string[] {
  if (!RIGHT_TO_LEFT.test(line)) return [line];
  const atoms = line.match(ATOMS) ?? [];
  const parts: string[] = [];
  for (let at = 0; at < atoms.length;) {
    if (!RIGHT_TO_LEFT.test(atoms[at] as string)) {
      parts.push(atoms[at++] as string);
      continue;
    }
    const end = endOfStretch(atoms, at);
    parts.push(
      ...atoms
        .slice(at, end)
        .toReversed()
        .map((atom) => ownProperty(MIRRORED, atom) ?? atom),
    );
    at = end;
  }
  return joined(parts);
}

/**
 * Returns the end of a stretch that goes from right to left. The stretch ends after its last word or number, before the
 * next letter that goes from left to right.
 */
function endOfStretch(atoms: string[], from: number): number {
  let end = from + 1;
  for (let at = from + 1; at < atoms.length; at++) {
    const atom = atoms[at] as string;
    const isRightToLeft = RIGHT_TO_LEFT.test(atom);
    if (!isRightToLeft && LETTER.test(atom)) break;
    if (isRightToLeft || NUMBER.test(atom)) end = at + 1;
  }
  return end;
}

/** Joins adjacent parts that go from left to right, so that spaces and kerning between them do not change. */
function joined(parts: string[]): string[] {
  const all: string[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last !== undefined && !RIGHT_TO_LEFT.test(last) && !RIGHT_TO_LEFT.test(part)) all[all.length - 1] = last + part;
    else all.push(part);
  }
  return all;
}
