// Cursors are read with everything else that a request shows by itself, before anything is looked up.
import type { TSchema } from 'typebox';
import { isCursor, isId } from '../../db/page.ts';
import type { RequestParts } from './validation.ts';

type Member = { format?: string; isKey?: (key: unknown) => boolean };

/** Finds the cursors of a request that no page of their list can have given out, by their places. */
export function cursorCheck(parts: RequestParts): (input: Record<string, unknown>) => string[][] {
  const cursors = Object.entries(parts).flatMap(([part, schema]) =>
    Object.entries(membersOf(schema))
      .filter(([, { format }]) => format === 'cursor')
      .map(([name, { isKey = isId }]) => ({ part, name, isKey })),
  );
  return (input) =>
    cursors
      .filter(({ part, name, isKey }) => {
        const cursor = (input[part] as Record<string, unknown> | null | undefined)?.[name];
        return typeof cursor === 'string' && cursor !== '' && !isCursor(cursor, isKey);
      })
      .map(({ part, name }) => [part, name]);
}

const membersOf = (schema: TSchema | undefined): Record<string, Member> =>
  (schema as { properties?: Record<string, Member> } | undefined)?.properties ?? {};
