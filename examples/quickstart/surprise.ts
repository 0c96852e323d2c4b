import { isDeepStrictEqual } from 'node:util';

/** Something came back otherwise than the story says; the message is for the person who reads the timeline. */
export class Surprise extends Error {
  override readonly name = 'Surprise';
}

/** Throws Surprise unless both are equal through and through. */
export function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Surprise(`${what}: expected ${shown(expected)}, but it is ${shown(actual)}.`);
}

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 600) ?? 'missing';
