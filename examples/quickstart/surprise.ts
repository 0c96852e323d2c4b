import { isDeepStrictEqual } from 'node:util';

/** The error if a response is not as the story expects. The message is for the person who reads the timeline. */
export class Surprise extends Error {
  override readonly name = 'Surprise';
}

/** Throws Surprise unless both values are deeply equal. */
export function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Surprise(`${what}: expected ${shown(expected)}, but it is ${shown(actual)}.`);
}

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 600) ?? 'missing';
