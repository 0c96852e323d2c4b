import fc from 'fast-check';
import { expect, test } from 'vitest';
import { longestStall } from '../../../../test/longest-stall.ts';
import { repeated } from './repeated-sessions.ts';

type Session = { id: number; rank_group: number; position: number; start: number; stop: number };

/** Compares each session with each other, the better ones first. */
function slowly(sessions: readonly Session[]): number[] {
  const counted: Session[] = [];
  const left: Session[] = [];
  for (const session of sessions.toSorted((a, b) => a.position - b.position)) {
    const isRepeated = counted.some((other) => {
      if (other.rank_group !== session.rank_group || other.position === session.position) return false;
      const overlap = Math.min(other.stop, session.stop) - Math.max(other.start, session.start);
      return overlap >= 0 && overlap * 2 >= Math.min(other.stop - other.start, session.stop - session.start);
    });
    (isRepeated ? left : counted).push(session);
  }
  return left.map(({ id }) => id).toSorted((a, b) => a - b);
}

const someSessions = fc
  .array(fc.tuple(fc.nat(1), fc.integer({ min: 1, max: 4 }), fc.nat(60), fc.integer({ min: -3, max: 30 })), {
    maxLength: 30,
  })
  .map((all) =>
    all.map(([rank_group, position, start, length], id) => ({ id, rank_group, position, start, stop: start + length })),
  );

test('repeated sessions are the same as by comparing each with each, in any order of arrival', async () => {
  await fc.assert(
    fc.asyncProperty(someSessions, async (sessions) => {
      const ids = (found: Session[]): number[] => found.map(({ id }) => id).toSorted((a, b) => a - b);
      expect(ids(await repeated(sessions))).toEqual(slowly(sessions));
      expect(ids(await repeated(sessions.toReversed()))).toEqual(slowly(sessions));
    }),
    { numRuns: 2_000 },
  );
});

const SECOND = 1_000_000;
const WEEK = 7 * 86_400 * SECOND;
const MOST = 20_000;

type Worst = { name: string; sessionAt: (n: number) => Omit<Session, 'id'>; repeats: number };

const worst: Worst[] = [
  {
    name: 'one session of a week, and thousands of one second in the week after it',
    sessionAt: (n) => {
      if (n === 0) return { rank_group: 0, position: 1, start: 0, stop: WEEK };
      const start = WEEK + n * 30 * SECOND;
      return { rank_group: 0, position: 1 + (n % 2), start, stop: start + SECOND };
    },
    repeats: 0,
  },
  {
    name: 'thousands at the same time, none of which are the same',
    sessionAt: (n) =>
      n % 2 === 0
        ? { rank_group: 0, position: 1, start: -(n + 10) * SECOND, stop: 2 * SECOND }
        : { rank_group: 0, position: 2, start: SECOND, stop: 10_000 * SECOND + n },
    repeats: 0,
  },
  {
    name: 'a group for every two sessions',
    sessionAt: (n) => ({ rank_group: n >> 1, position: 1 + (n % 2), start: 0, stop: SECOND }),
    repeats: 10_000,
  },
  {
    name: 'a source for each session',
    sessionAt: (n) => ({ rank_group: 0, position: n + 1, start: n * SECOND, stop: n * SECOND }),
    repeats: 0,
  },
];

test.each(worst)('other requests do not wait long for $name', async ({ sessionAt, repeats }) => {
  const sessions = Array.from({ length: MOST }, (_, id): Session => ({ id, ...sessionAt(id) }));
  const rounds: { usedMs: number; longestMs: number }[] = [];
  const isShort = ({ usedMs, longestMs }: (typeof rounds)[number]): boolean => usedMs < 500 && longestMs < 100;
  // The collection of garbage of earlier test files can fall into a round, but hardly into each of three.
  while (rounds.length < 3 && !rounds.some(isShort)) {
    // Processor time, which other work of the machine does not change.
    const before = process.cpuUsage();
    const longestMs = await longestStall(async () => {
      expect(await repeated(sessions)).toHaveLength(repeats);
    });
    rounds.push({ usedMs: process.cpuUsage(before).user / 1_000, longestMs });
  }
  expect(rounds.some(isShort), JSON.stringify(rounds)).toBe(true);
});
