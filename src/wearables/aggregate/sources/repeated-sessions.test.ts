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
  .array(fc.tuple(fc.nat(1), fc.integer({ min: 1, max: 4 }), fc.nat(60), fc.integer({ min: -3, max: 30 })), {
    maxLength: 30,
  })
  .map((all) => all.map(([rivals, place, start, length], id) => ({ id, rivals, place, start, stop: start + length })));

test('the sessions that repeat others are those that each compared with each are, in any order of arrival', async () => {
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

type Worst = { name: string; told: (n: number) => Omit<Session, 'id'>; repeats: number };

const worst: Worst[] = [
  {
    name: 'one session of a week, and thousands of a second in the week after it',
    told: (n) => {
      if (n === 0) return { rivals: 0, place: 1, start: 0, stop: WEEK };
      const start = WEEK + n * 30 * SECOND;
      return { rivals: 0, place: 1 + (n % 2), start, stop: start + SECOND };
    },
    repeats: 0,
  },
  {
    name: 'thousands under way at the same time, none of which is the same',
    told: (n) =>
      n % 2 === 0
        ? { rivals: 0, place: 1, start: -(n + 10) * SECOND, stop: 2 * SECOND }
        : { rivals: 0, place: 2, start: SECOND, stop: 10_000 * SECOND + n },
    repeats: 0,
  },
  {
    name: 'a group of its own for each two',
    told: (n) => ({ rivals: n >> 1, place: 1 + (n % 2), start: 0, stop: SECOND }),
    repeats: 10_000,
  },
  {
    name: 'a source of its own for each',
    told: (n) => ({ rivals: 0, place: n + 1, start: n * SECOND, stop: n * SECOND }),
    repeats: 0,
  },
];

test.each(worst)('no request waits long for another with $name', async ({ told, repeats }) => {
  const sessions = Array.from({ length: MOST }, (_, id): Session => ({ id, ...told(id) }));
  const { found, totalMs, longestMs } = await measured(() => repeated(sessions));
  expect(found).toHaveLength(repeats);
  expect(totalMs).toBeLessThan(500);
  expect(longestMs).toBeLessThan(100);
});

/** Time of the processor, which what else the machine does leaves alone: all of it, and the most between two turns. */
async function measured<T>(work: () => Promise<T>): Promise<{ found: T; totalMs: number; longestMs: number }> {
  const usedMs = (): number => process.cpuUsage().user / 1_000;
  const begin = usedMs();
  let [last, longestMs, isDone] = [begin, 0, false];
  const turn = (): void => {
    const now = usedMs();
    [longestMs, last] = [Math.max(longestMs, now - last), now];
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  const found = await work();
  isDone = true;
  turn();
  return { found, totalMs: usedMs() - begin, longestMs };
}
