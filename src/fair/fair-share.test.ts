import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairShare, type Release } from './fair-share.ts';
import type { Owner } from './round-robin.ts';

/** A promise that the caller resolves. */
function promised<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((given) => (resolve = given));
  return { promise, resolve };
}

const waitForImmediate = (): Promise<void> => new Promise(setImmediate);
const nameOf = ({ org, team }: Owner): string => `${org} ${team}`;

/** Makes an organisation for each entry of `sizes`, with that many teams. */
const ownersOf = (sizes: number[]): Owner[] =>
  sizes.flatMap((teams, org) =>
    Array.from({ length: teams }, (_, team) => ({ org: `o${org}`, team: `t${org}.${team}` })),
  );

const anyOwners = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 8 }).map(ownersOf);

/**
 * The most times that another owner is served between two services of this owner, or before its first or after its
 * last.
 */
function mostBetween(granted: string[], one: string): number {
  let most = 0;
  let between = new Map<string, number>();
  for (const grant of granted) {
    if (grant === one) between = new Map();
    else between.set(grant, (between.get(grant) ?? 0) + 1);
    most = Math.max(most, ...between.values());
  }
  return most;
}

describe('a fair share', () => {
  test('serves each other owner at most once before a busy owner is served again', async () => {
    const anyWork = fc.record({
      owners: anyOwners,
      permits: fc.integer({ min: 1, max: 9 }),
      waiting: fc.array(fc.integer({ min: 2, max: 4 }), { minLength: 48, maxLength: 48 }),
      ends: fc.array(fc.nat(), { minLength: 60, maxLength: 120 }),
    });
    await fc.assert(
      fc.asyncProperty(anyWork, async ({ owners, permits, waiting, ends }) => {
        const share = new FairShare({ permits });
        const granted: Owner[] = [];
        const releases: Release[] = [];
        const ask = (owner: Owner): void =>
          void (async () => {
            const release = await share.acquire(owner);
            granted.push(owner);
            releases.push(release);
            // The owner is always busy: it adds new work after each service.
            ask(owner);
          })();
        // All permits are taken first, so all work waits and each service is a choice.
        const first = Array.from(
          { length: permits },
          () => share.tryAcquire({ org: 'first', team: 'first' }) as Release,
        );
        for (const [n, owner] of owners.entries()) for (let k = 0; k < (waiting[n] as number); k += 1) ask(owner);
        for (const release of first) {
          release();
          await waitForImmediate();
        }
        for (const end of ends) {
          releases.splice(end % releases.length, 1)[0]?.();
          await waitForImmediate();
          expect(releases.length).toBe(Math.min(permits, share.inUse));
        }
        for (const org of new Set(owners.map((owner) => owner.org))) {
          expect(
            mostBetween(
              granted.map((grant) => grant.org),
              org,
            ),
          ).toBeLessThanOrEqual(1);
          const ofOrg = granted.filter((grant) => grant.org === org).map(nameOf);
          for (const owner of owners.filter((one) => one.org === org))
            expect(mostBetween(ofOrg, nameOf(owner))).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('respects its limits and loses no permit, when work ends, fails, pauses or is aborted', async () => {
    const anyStep = fc.record({
      what: fc.constantFrom('come', 'come', 'come', 'end', 'fail', 'pause', 'resume', 'abort'),
      which: fc.nat(),
    });
    const anyRun = fc.record({
      owners: anyOwners,
      permits: fc.integer({ min: 1, max: 6 }),
      maxOfOrg: fc.integer({ min: 1, max: 6 }),
      maxOfTeam: fc.integer({ min: 1, max: 6 }),
      steps: fc.array(anyStep, { minLength: 20, maxLength: 150 }),
    });
    await fc.assert(
      fc.asyncProperty(anyRun, async ({ owners, steps, ...bounds }) => {
        const run = openRun(bounds);
        for (const { what, which } of steps) {
          run.step(what, owners[which % owners.length] as Owner, which);
          await waitForImmediate();
          run.check();
        }
        await run.endAll();
        expect([run.share.inUse, run.share.waiting, run.share.longestWaitMs]).toEqual([0, 0, 0]);
      }),
      { numRuns: 200 },
    );
  });

  test('serves one team as often as seven busy teams of another organisation', async () => {
    const share = new FairShare({ permits: 7 });
    const served = new Map<string, number>();
    let rounds = 0;
    const askRepeatedly = async (owner: Owner): Promise<void> => {
      while (rounds < 700) {
        await share.run(owner, async () => {
          rounds += 1;
          served.set(owner.org, (served.get(owner.org) ?? 0) + 1);
          await waitForImmediate();
        });
      }
    };
    const loud = ownersOf([7]).flatMap((owner) => [askRepeatedly(owner), askRepeatedly(owner)]);
    await Promise.all([...loud, askRepeatedly({ org: 'quiet', team: 'quiet' })]);
    // The quiet owner has one request at a time. The seven permits are given a hundred times.
    expect(served.get('quiet')).toBeGreaterThan(50);
  });

  test("refuses work beyond a team's limit, while another team of the organisation can wait", async () => {
    const refuse = (): Error => new Error('too many');
    const share = new FairShare({ permits: 1, maxWaiting: 2, refuse });
    const release = await share.acquire({ org: 'o', team: 'a' });
    const waiting = [share.acquire({ org: 'o', team: 'a' }), share.acquire({ org: 'o', team: 'a' })];
    await expect(share.run({ org: 'o', team: 'a' }, async () => undefined)).rejects.toThrow('too many');
    const other = share.run({ org: 'o', team: 'b' }, async () => 'served');
    release();
    for (const one of waiting) void Promise.resolve(one).then((again) => again());
    await expect(other).resolves.toBe('served');
  });

  test('returns how long the oldest waiter has waited', async () => {
    const share = new FairShare({ permits: 1 });
    const release = await share.acquire({ org: 'o', team: 'a' });
    expect(share.longestWaitMs).toBe(0);
    const giveUp = new AbortController();
    const first = Promise.resolve(share.acquire({ org: 'o', team: 'b' }, giveUp.signal));
    const second = Promise.resolve(share.acquire({ org: 'o', team: 'c' }));
    await expect.poll(() => share.longestWaitMs).toBeGreaterThan(10);
    giveUp.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    release();
    (await second)();
    expect(share.longestWaitMs).toBe(0);
  });

  test('takes as long with ten thousand waiting owners as with ten', async () => {
    const nanosecondsOf = async (count: number): Promise<number> => {
      const share = new FairShare({ permits: 1, maxOfOrg: 1 });
      let release = await share.acquire({ org: 'first', team: 'first' });
      let grants = 0;
      const owners = ownersOf(Array.from({ length: count / 10 }, () => 10));
      for (const owner of owners)
        for (let k = 0; k < 20_000 / count; k += 1)
          void (async () => {
            release = await share.acquire(owner);
            grants += 1;
          })();
      const begin = performance.now();
      while (share.waiting > 0) {
        release();
        await Promise.resolve();
        await Promise.resolve();
      }
      expect(grants).toBeGreaterThan(19_000);
      return ((performance.now() - begin) * 1e6) / grants;
    };
    await nanosecondsOf(10);
    const [few, many] = [await nanosecondsOf(10), await nanosecondsOf(10_000)];
    // To go through all waiting owners would take a thousand times as long.
    expect(many).toBeLessThan(few * 50);
  });
});

type Work = {
  owner: Owner;
  isPaused: boolean;
  end: () => void;
  fail: () => void;
  pause: () => void;
  resume: () => void;
  abort: () => void;
};

/** Requests that end, fail, pause and abort on command, and the invariants of the share. */
function openRun({ permits, ...most }: { permits: number; maxOfOrg: number; maxOfTeam: number }) {
  const share = new FairShare({ permits, ...most });
  const all = new Set<Work>();
  const working = new Set<Work>();

  const come = (owner: Owner): void => {
    const gone = new AbortController();
    let instruction = promised<'end' | 'fail' | 'pause'>();
    let resumed = promised<void>();
    const work: Work = {
      owner,
      isPaused: false,
      end: () => instruction.resolve('end'),
      fail: () => instruction.resolve('fail'),
      pause: () => instruction.resolve('pause'),
      resume: () => resumed.resolve(),
      abort: () => gone.abort(new Error('gone')),
    };
    all.add(work);
    const begin = async (aside: <T>(pause: () => Promise<T>) => Promise<T>): Promise<void> => {
      working.add(work);
      for (let what = await instruction.promise; what !== 'end'; what = await instruction.promise) {
        instruction = promised<'end' | 'fail' | 'pause'>();
        if (what === 'fail') throw new Error('failed');
        working.delete(work);
        resumed = promised();
        work.isPaused = true;
        await aside(() => resumed.promise.then(() => void (work.isPaused = false)));
        working.add(work);
      }
    };
    void share
      .run(owner, begin, gone.signal)
      .catch(() => undefined)
      .finally(() => {
        working.delete(work);
        all.delete(work);
      });
  };

  return {
    share,
    step(what: string, owner: Owner, which: number) {
      const paused = [...all].filter((work) => work.isPaused);
      const pick = <T>(from: T[]): T | undefined => from[which % from.length];
      if (what === 'come') come(owner);
      else if (what === 'resume') pick(paused)?.resume();
      else if (what === 'abort') pick([...all].filter((work) => !working.has(work) && !work.isPaused))?.abort();
      else pick([...working])?.[what as 'end' | 'fail' | 'pause']();
    },
    check() {
      expect(working.size).toBe(share.inUse);
      expect(share.inUse).toBeLessThanOrEqual(permits);
      const isFree = share.inUse < permits;
      for (const org of new Set([...all].map((work) => work.owner.org))) {
        const ofOrg = [...working].filter((work) => work.owner.org === org);
        expect(ofOrg.length).toBeLessThanOrEqual(most.maxOfOrg);
        for (const team of new Set(ofOrg.map((work) => work.owner.team)))
          expect(ofOrg.filter((work) => work.owner.team === team).length).toBeLessThanOrEqual(most.maxOfTeam);
      }
      // No waiter could have a permit.
      for (const { owner } of isFree ? [...all].filter((work) => !working.has(work) && !work.isPaused) : [])
        expect(share.tryAcquire(owner)).toBeNull();
    },
    async endAll() {
      while (all.size > 0) {
        for (const work of all) {
          work.resume();
          work.end();
        }
        await waitForImmediate();
      }
    },
  };
}
