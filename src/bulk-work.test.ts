import { afterEach, expect, test, vi } from 'vitest';
import { BulkWork } from './bulk-work.ts';
import type { Owner } from './fair/round-robin.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A team of an organisation of its own, or of one that it names, as `org/team`. */
function own(name: string): Owner {
  const [org = '', team = org] = name.split('/');
  return { org, team };
}

const NEVER = new Promise<void>(() => undefined);

/** Batches that stay until they are let go, and the order in which they began; `endOne` and `pass` move faked clocks. */
function openBulk(among?: { isAmongOthers: boolean }) {
  const bulk = new BulkWork(10, among);
  const began: string[] = [];
  const ends: (() => void)[] = [];
  const pass = async (ms: number): Promise<void> => {
    if (vi.isFakeTimers()) await vi.advanceTimersByTimeAsync(ms);
    await new Promise(setImmediate);
  };
  return {
    bulk,
    began,
    pass,
    send: (team: string) => {
      bulk.hear(own(team));
      return bulk.run(own(team), () => {
        began.push(team);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    },
    /** Lets the batch that began first end when it has taken as long as this. */
    endOne: async (tookMs = 0) => {
      await pass(tookMs);
      ends.shift()?.();
      await pass(0);
    },
  };
}

test('whoever is alone has several batches under way', async () => {
  const { began, send, pass } = openBulk();
  for (let n = 0; n < 10; n += 1) void send('flood');
  await pass(0);
  expect(began).toHaveLength(3);
});

test('as long as another team is there, one batch is worked on at a time, and teams take turns', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { bulk, began, send, endOne } = openBulk();
  bulk.hear(own('other'));
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
  const { bulk, began, send, endOne, pass } = openBulk();
  bulk.hear(own('other'));
  for (let n = 0; n < 3; n += 1) void send('flood');
  await endOne(20);
  expect(began).toHaveLength(1);
  await pass(59);
  expect(began).toHaveLength(1);
  await pass(1);
  expect(began).toHaveLength(2);
  bulk.hear(own('other'));
  bulk.hear(own('flood'));
  const passAmongOthers = async (seconds: number): Promise<void> => {
    for (let half = 0; half < 2 * seconds; half += 1) {
      bulk.hear(own('other'));
      bulk.hear(own('flood'));
      expect(began).toHaveLength(2);
      await pass(500);
    }
  };
  await passAmongOthers(4);
  await endOne(0);
  await passAmongOthers(10);
  expect(began).toHaveLength(3);
});

test('whose batch is worked on is there as whoever asks for something', async () => {
  const { bulk, pass } = openBulk();
  const began: string[] = [];
  const begin = (team: string): void =>
    void bulk.run(own(team), () => {
      began.push(team);
      return NEVER;
    });
  begin('first');
  begin('second');
  begin('first');
  await pass(0);
  expect(began).toEqual(['first']);
});

test('in a process that nobody asks for anything, others are there all the time, and all batches rest as one team', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { began, send, endOne, pass } = openBulk({ isAmongOthers: true });
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

test('a second after the last request of another team, whoever floods is alone again', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { bulk, began, send, endOne, pass } = openBulk();
  bulk.hear(own('other'));
  for (let n = 0; n < 4; n += 1) void send('flood');
  await pass(0);
  expect(began).toHaveLength(1);
  await endOne(1_001);
  expect(began).toHaveLength(4);
});

test('what waits begins when nobody else is there any more, though no batch ends then', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { bulk, began, send, pass } = openBulk();
  bulk.hear(own('other'));
  for (let n = 0; n < 4; n += 1) void send('flood');
  await pass(990);
  expect(began).toHaveLength(1);
  await pass(20);
  expect(began).toHaveLength(3);
});

test('a team that gathers more batches than it will wait for is told so, and one that fails gives its place back', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { bulk, send, began, endOne } = openBulk();
  bulk.hear(own('other'));
  await expect(bulk.run(own('flood'), () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  for (let n = 0; n < 32; n += 1) void send('flood');
  expect(bulk.isFull(own('flood'))).toBe(false);
  void send('flood');
  expect([bulk.isFull(own('flood')), bulk.isFull(own('other'))]).toEqual([true, false]);
  await endOne();
  await vi.waitUntil(() => began.length === 2);
});

test('a batch that pauses lets requests of other teams that want little finish, and waits 10 ms for them at most', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { bulk, pass } = openBulk();
  const order: string[] = [];
  let finish = (): void => undefined;
  const little = bulk
    .little(own('other'), () => new Promise<void>((resolve) => (finish = resolve)))
    .then(() => order.push('little'));
  const batch = bulk.run(own('flood'), (giveWay) => giveWay()).then(() => order.push('batch'));
  await pass(9);
  expect(order).toEqual([]);
  finish();
  await Promise.all([little, batch]);
  expect(order).toEqual(['little', 'batch']);
  void bulk.little(own('other'), () => NEVER);
  const impatient = bulk.run(own('flood'), (giveWay) => giveWay()).then(() => order.push('impatient'));
  await pass(0);
  await pass(9);
  expect(order).toHaveLength(2);
  await pass(1);
  await impatient;
});

test('a batch waits neither for its own team’s requests nor for those that wait for something else', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { bulk } = openBulk();
  void bulk.little(own('flood'), () => NEVER);
  void bulk.little(own('other'), (apart) => apart(() => NEVER));
  const begin = performance.now();
  await bulk.run(own('flood'), (giveWay) => giveWay());
  expect(performance.now()).toBe(begin);
});

test('who never ends makes a batch half as long again, however often it pauses', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { bulk, pass } = openBulk();
  void bulk.little(own('other'), () => NEVER);
  const begin = performance.now();
  const batch = bulk.run(own('flood'), async (giveWay) => {
    for (let piece = 0; piece < 50; piece += 1) {
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

test('the time in which a batch let others go first is none that its team rests for', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { bulk, pass, began, send } = openBulk();
  bulk.hear(own('other'));
  void bulk.little(own('other'), () => NEVER);
  const first = bulk.run(own('flood'), (giveWay) => giveWay());
  await pass(0);
  await pass(10);
  await first;
  void send('flood');
  await pass(1);
  expect(began).toEqual(['flood']);
});

test('organisations take turns first, then their teams, however many teams one has', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { bulk, began, send, endOne } = openBulk();
  bulk.hear(own('other'));
  for (let team = 0; team < 7; team += 1) for (let n = 0; n < 3; n += 1) void send(`loud/${team}`);
  for (let n = 0; n < 3; n += 1) void send('quiet');
  for (let turn = 0; turn < 6; turn += 1) await endOne(0);
  expect(began).toEqual(['loud/0', 'quiet', 'loud/1', 'quiet', 'loud/2', 'quiet', 'loud/3']);
});

test('beside another organisation the teams of one rest together, and have a quarter of the time between them', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { bulk, began, send, endOne, pass } = openBulk();
  bulk.hear(own('other'));
  for (let team = 0; team < 7; team += 1) void send(`loud/${team}`);
  await endOne(20);
  await pass(59);
  expect(began).toEqual(['loud/0']);
  await pass(1);
  expect(began).toEqual(['loud/0', 'loud/1']);
});

test('beside teams of its own organisation alone, each team rests for itself', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const { bulk, began, send, endOne, pass } = openBulk();
  for (const team of ['loud/1', 'loud/0']) bulk.hear(own(team));
  for (const team of ['loud/0', 'loud/0', 'loud/1']) void send(team);
  await endOne(20);
  expect(began).toEqual(['loud/0', 'loud/1']);
  await endOne(0);
  await pass(58);
  expect(began).toHaveLength(2);
  await pass(2);
  expect(began).toEqual(['loud/0', 'loud/1', 'loud/0']);
});
