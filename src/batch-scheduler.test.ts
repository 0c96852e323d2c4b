import { afterEach, expect, test, vi } from 'vitest';
import { BatchScheduler } from './batch-scheduler.ts';
import type { Owner } from './fair/round-robin.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A team with its own organisation, or with a named one, as `org/team`. */
function own(name: string): Owner {
  const [org = '', team = org] = name.split('/');
  return { org, team };
}

const NEVER = new Promise<void>(() => undefined);

/** Batches that run until they are released, in the order in which they began. `endOne` and `pass` move fake clocks. */
function openBatches(among?: { isAmongOthers: boolean }) {
  const batches = new BatchScheduler(10, among);
  const began: string[] = [];
  const ends: (() => void)[] = [];
  const pass = async (ms: number): Promise<void> => {
    if (vi.isFakeTimers()) await vi.advanceTimersByTimeAsync(ms);
    await new Promise(setImmediate);
  };
  return {
    batches,
    began,
    pass,
    send: (team: string) => {
      batches.hear(own(team));
      return batches.run(own(team), () => {
        began.push(team);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    },
    /** Ends the batch that began first, after it has taken this long. */
    endOne: async (tookMs = 0) => {
      await pass(tookMs);
      ends.shift()?.();
      await pass(0);
    },
  };
}

test('a team that is alone has several batches under way', async () => {
  const { began, send, pass } = openBatches();
  for (let n = 0; n < 10; n += 1) void send('flood');
  await pass(0);
  expect(began).toHaveLength(3);
});

test('while another team is present, one batch runs at a time, in round robin by team', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { batches, began, send, endOne } = openBatches();
  batches.hear(own('other'));
  for (let n = 0; n < 3; n += 1) void send('flood');
  void send('other');
  void send('third');
  await endOne(0);
  expect(began).toEqual(['flood', 'other']);
  await endOne(10);
  await endOne(10);
  await endOne(10);
  expect(began).toEqual(['flood', 'other', 'third', 'flood']);
});

test('beside others a team rests three times as long as its batch took, and ten seconds at most', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { batches, began, send, endOne, pass } = openBatches();
  batches.hear(own('other'));
  for (let n = 0; n < 3; n += 1) void send('flood');
  await endOne(20);
  expect(began).toHaveLength(1);
  await pass(59);
  expect(began).toHaveLength(1);
  await pass(1);
  expect(began).toHaveLength(2);
  batches.hear(own('other'));
  batches.hear(own('flood'));
  const passAmongOthers = async (seconds: number): Promise<void> => {
    for (let half = 0; half < 2 * seconds; half += 1) {
      batches.hear(own('other'));
      batches.hear(own('flood'));
      expect(began).toHaveLength(2);
      await pass(500);
    }
  };
  await passAmongOthers(4);
  await endOne(0);
  await passAmongOthers(10);
  expect(began).toHaveLength(3);
});

test('a team whose batch runs is present, like one that sends requests', async () => {
  const { batches, pass } = openBatches();
  const began: string[] = [];
  const begin = (team: string): void =>
    void batches.run(own(team), () => {
      began.push(team);
      return NEVER;
    });
  begin('first');
  begin('second');
  begin('first');
  await pass(0);
  expect(began).toEqual(['first']);
});

test('in a process without requests others are always present, and all batches rest as one owner', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { began, send, endOne, pass } = openBatches({ isAmongOthers: true });
  for (const team of ['one', 'one', 'another']) void send(team);
  await endOne(20);
  await pass(59);
  expect(began).toEqual(['one']);
  await pass(1);
  expect(began).toEqual(['one', 'another']);
  await endOne(20);
  await pass(59);
  expect(began).toHaveLength(2);
  await pass(1);
  expect(began).toEqual(['one', 'another', 'one']);
});

test('a second after the last request of another team, a team is alone again', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { batches, began, send, endOne, pass } = openBatches();
  batches.hear(own('other'));
  for (let n = 0; n < 4; n += 1) void send('flood');
  await pass(0);
  expect(began).toHaveLength(1);
  await endOne(1_001);
  expect(began).toHaveLength(4);
});

test('a waiting batch begins when no other team is present any more, even if no batch ends then', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { batches, began, send, pass } = openBatches();
  batches.hear(own('other'));
  for (let n = 0; n < 4; n += 1) void send('flood');
  await pass(990);
  expect(began).toHaveLength(1);
  await pass(20);
  expect(began).toHaveLength(3);
});

test('a team with too many waiting batches is full, and a failed batch releases its permit', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { batches, send, began, endOne } = openBatches();
  batches.hear(own('other'));
  await expect(batches.run(own('flood'), () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  for (let n = 0; n < 32; n += 1) void send('flood');
  expect(batches.isFull(own('flood'))).toBe(false);
  void send('flood');
  expect([batches.isFull(own('flood')), batches.isFull(own('other'))]).toEqual([true, false]);
  await endOne();
  await vi.waitUntil(() => began.length === 2);
});

test('a batch that pauses gives way to interactive requests of other teams for at most 10 ms', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { batches, pass } = openBatches();
  const order: string[] = [];
  let finish = (): void => undefined;
  const interactive = batches
    .runInteractive(own('other'), () => new Promise<void>((resolve) => (finish = resolve)))
    .then(() => order.push('little'));
  const batch = batches.run(own('flood'), (giveWay) => giveWay()).then(() => order.push('batch'));
  await pass(9);
  expect(order).toEqual([]);
  finish();
  await Promise.all([interactive, batch]);
  expect(order).toEqual(['little', 'batch']);
  void batches.runInteractive(own('other'), () => NEVER);
  const impatient = batches.run(own('flood'), (giveWay) => giveWay()).then(() => order.push('impatient'));
  await pass(0);
  await pass(9);
  expect(order).toHaveLength(2);
  await pass(1);
  await impatient;
});

test("a batch does not give way to its own team's requests, or to requests that wait for something else", async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { batches } = openBatches();
  void batches.runInteractive(own('flood'), () => NEVER);
  void batches.runInteractive(own('other'), (apart) => apart(() => NEVER));
  const begin = performance.now();
  await batches.run(own('flood'), (giveWay) => giveWay());
  expect(performance.now()).toBe(begin);
});

test('requests that never end make a batch at most half as long again, however often it pauses', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { batches, pass } = openBatches();
  void batches.runInteractive(own('other'), () => NEVER);
  const begin = performance.now();
  const batch = batches.run(own('flood'), async (giveWay) => {
    for (let chunk = 0; chunk < 50; chunk += 1) {
      await new Promise((resolve) => setTimeout(resolve, 4));
      await giveWay();
    }
    return performance.now() - begin;
  });
  for (let ms = 0; ms < 700; ms += 1) await pass(1);
  const tookMs = await batch;
  expect(tookMs).toBeGreaterThan(200 + 50);
  expect(tookMs).toBeLessThan(200 * 1.5 + 50);
});

test("the time for which a batch gave way does not count for its team's rest", async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { batches, pass, began, send } = openBatches();
  batches.hear(own('other'));
  void batches.runInteractive(own('other'), () => NEVER);
  const first = batches.run(own('flood'), (giveWay) => giveWay());
  await pass(0);
  await pass(10);
  await first;
  void send('flood');
  await pass(1);
  expect(began).toEqual(['flood']);
});

test('round robin is first among organisations, then among their teams', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { batches, began, send, endOne } = openBatches();
  batches.hear(own('other'));
  for (let team = 0; team < 7; team += 1) for (let n = 0; n < 3; n += 1) void send(`loud/${team}`);
  for (let n = 0; n < 3; n += 1) void send('quiet');
  for (let round = 0; round < 6; round += 1) await endOne(0);
  expect(began).toEqual(['loud/0', 'quiet', 'loud/1', 'quiet', 'loud/2', 'quiet', 'loud/3']);
});

test('beside another organisation the teams of one rest together, and get a quarter of the time in total', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { batches, began, send, endOne, pass } = openBatches();
  batches.hear(own('other'));
  for (let team = 0; team < 7; team += 1) void send(`loud/${team}`);
  await endOne(20);
  await pass(59);
  expect(began).toEqual(['loud/0']);
  await pass(1);
  expect(began).toEqual(['loud/0', 'loud/1']);
});

test('beside teams of its own organisation only, each team rests alone', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { batches, began, send, endOne, pass } = openBatches();
  for (const team of ['loud/1', 'loud/0']) batches.hear(own(team));
  for (const team of ['loud/0', 'loud/0', 'loud/1']) void send(team);
  await endOne(20);
  expect(began).toEqual(['loud/0', 'loud/1']);
  await endOne(0);
  await pass(58);
  expect(began).toHaveLength(2);
  await pass(2);
  expect(began).toEqual(['loud/0', 'loud/1', 'loud/0']);
});
