import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repeated } from './repeated-sessions.ts';

type Session = { id: number; rivals: number; place: number; start: number; stop: number };

/** Each against each, the better ones first. */
function slowly(sessions: readonly Session[]): number[] {
  const counted: Session[] = [];
  const left: Session[] = [];
  for (const session of sessions.toSorted((a, b) => a.place - b.place)) {
    const isTold = counted.some((other) => {
      if (other.rivals !== session.rivals || other.place === session.place) return false;
      const overlap = Math.min(other.stop, session.stop) - Math.max(other.start, session.start);
      return overlap >= 0 && overlap * 2 >= Math.min(other.stop - other.start, session.stop - session.start);
    });
    (isTold ? left : counted).push(session);
  }
  return left.map(({ id }) => id).toSorted((a, b) => a - b);
}

const someSessions = fc
  .array(fc.tuple(fc.nat(1), fc.integer({ min: 1, max: 4 }), fc.nat(60), fc.nat(30)), { maxLength: 30 })
  .map((all) => all.map(([rivals, place, start, length], id) => ({ id, rivals, place, start, stop: start + length })));

test('the sessions that repeat others are those that each compared with each are, in any order of arrival', () => {
  fc.assert(
    fc.property(someSessions, (sessions) => {
      const ids = (found: Session[]): number[] => found.map(({ id }) => id).toSorted((a, b) => a - b);
      expect(ids(repeated(sessions))).toEqual(slowly(sessions));
      expect(ids(repeated(sessions.toReversed()))).toEqual(slowly(sessions));
    }),
    { numRuns: 2_000 },
  );
});
