// Checks cursors (the positions in lists that our pages return) together with all other input, before any query.
import type { TSchema } from 'typebox';
import { isCursor, isId } from '../../db/cursor.ts';
import type { RequestParts } from './validation.ts';

type Member = { format?: string; isKey?: (key: unknown) => boolean };

/**
 * Returns a function that finds the paths of invalid cursors. A cursor is invalid if no page of its list can have
 * returned it.
 */
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
