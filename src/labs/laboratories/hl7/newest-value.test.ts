// Which of several words about one analyte stands, whenever each of them arrives.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  obr,
  obx,
  PID,
  startLaboratoryOrders,
  type AtLaboratory,
  type LaboratoryOrders,
} from '../../../../test/hl7-orders.ts';

let orders: LaboratoryOrders;
beforeAll(async () => {
  orders = await startLaboratoryOrders([]);
});
afterAll(() => orders.close());

/** Glucose, as reported at a minute of the hour (null: it is not told when) and written at another. */
const tell = ({ number }: AtLaboratory, value: string, [reported, written]: [number | null, number], status = 'F') => {
  const at = (minute: number | null): string =>
    minute === null ? '' : `2026012210${String(minute).padStart(2, '0')}00`;
  return orders.send(
    [PID, obr(number, 'MET', status === 'P' ? 'P' : 'F', at(reported)), obx('GLU', value, { status })],
    {
      at: at(written),
    },
  );
};
const glucose = async ({ id }: AtLaboratory) =>
  (await orders.results(id)).results.find(({ slug }) => slug === 'saguaro-glucose');
const missingGlucose = async ({ id }: AtLaboratory) =>
  (await orders.results(id)).missing_results.find(({ slug }) => slug === 'saguaro-glucose');

describe('of several finals of one analyte', () => {
  test('with the same time of the result that of the newest message stands, and all are its history', async () => {
    const order = await orders.walkIn(['MET']);
    for (const [at, value] of ['180', '181', '182'].entries()) expect(await tell(order, value, [0, at + 1])).toBe('AA');
    expect(await glucose(order)).toMatchObject({
      result: '182',
      status: 'corrected',
      previous_result: '181 mg/dL',
      history: [
        { result: '180', came_late: false },
        { result: '181', came_late: false },
      ],
    });
    expect((await orders.told(order.id)).slice(-3)).toEqual(['completed', 'corrected', 'corrected']);
  });

  test('written at the same time that stands which came last', async () => {
    const order = await orders.walkIn(['MET']);
    await tell(order, '180', [0, 1]);
    await tell(order, '181', [0, 1]);
    await tell(order, '182', [0, 1]);
    expect(await glucose(order)).toMatchObject({ result: '182' });
  });

  test('an older one that comes late is kept in the history, and the operator and the log are told', async () => {
    const order = await orders.walkIn(['MET']);
    await tell(order, '190', [30, 31]);
    const before = await orders.told(order.id);
    expect(await tell(order, '170', [20, 59], 'C')).toBe('AA');
    expect(await glucose(order)).toMatchObject({
      result: '190',
      status: 'final',
      history: [{ result: '170', status: 'corrected', came_late: true, timestamp: '2026-01-22T17:20:00.000Z' }],
    });
    expect((await orders.messages()).at(-1)).toMatchObject({ state: 'applied', reason: 'superseded' });
    expect(orders.logged.filter((line) => line.includes('"superseded"'))).toHaveLength(1);
    expect(await orders.told(order.id)).toEqual(before);
    await tell(order, '170', [20, 60], 'C');
    expect((await glucose(order))?.history).toHaveLength(1);
  });

  test('in whatever order they arrive the same one stands, and none is lost', async () => {
    const told = fc.record({
      value: fc.integer({ min: 100, max: 400 }).map(String),
      reported: fc.option(fc.integer({ min: 0, max: 2 })),
      status: fc.constantFrom('F', 'P', 'C'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(told, { minLength: 2, maxLength: 5, selector: ({ value }) => value }).chain((messages) => {
          const dated = messages.map((message, written) => ({ ...message, written }));
          return fc.tuple(fc.constant(dated), fc.shuffledSubarray(dated, { minLength: dated.length }));
        }),
        async ([dated, arriving]) => {
          const order = await orders.walkIn(['MET']);
          for (const { value, reported, written, status } of arriving)
            expect(await tell(order, value, [reported, written], status)).toBe('AA');
          const rank = ({ status, reported, written }: (typeof dated)[number]): number =>
            (status === 'P' ? 0 : status === 'F' && reported === null ? 10_000 : 20_000) +
            (reported ?? written) * 100 +
            written;
          const [newest] = dated.toSorted((a, b) => rank(b) - rank(a));
          const found = await glucose(order);
          expect(found?.result).toBe(newest?.value);
          expect([found?.result, ...(found?.history ?? []).map(({ result }) => result)].toSorted()).toEqual(
            dated.map(({ value }) => value).toSorted(),
          );
        },
      ),
      { numRuns: 12 },
    );
  }, 60_000);

  describe('one without a time of its result', () => {
    test('gives way to a correction that has the time of the first result, whichever comes first', async () => {
      const [order, late] = [await orders.walkIn(['MET']), await orders.walkIn(['MET'])];
      await tell(order, '180', [null, 30]);
      await tell(order, '140', [0, 59], 'C');
      expect(await glucose(order)).toMatchObject({
        result: '140',
        status: 'corrected',
        previous_result: '180 mg/dL',
        history: [{ result: '180', came_late: false }],
      });
      expect((await orders.told(order.id)).at(-1)).toBe('corrected');
      await tell(late, '140', [0, 59], 'C');
      await tell(late, '180', [null, 30]);
      expect(await glucose(late)).toMatchObject({ result: '140', history: [{ result: '180', came_late: true }] });
    });

    test('that corrects stands from its message on', async () => {
      const order = await orders.walkIn(['MET']);
      await tell(order, '180', [20, 25]);
      await tell(order, '140', [null, 30], 'C');
      expect(await glucose(order)).toMatchObject({ result: '140', history: [{ result: '180', came_late: false }] });
      await tell(order, '150', [25, 26]);
      expect(await glucose(order)).toMatchObject({ result: '140' });
    });

    test('that is final is followed by the newest message of those like it', async () => {
      const order = await orders.walkIn(['MET']);
      await tell(order, '180', [null, 30]);
      await tell(order, '181', [null, 40]);
      await tell(order, '179', [null, 20]);
      expect(await glucose(order)).toMatchObject({ result: '181' });
    });
  });

  test('one that is said again later outlives another that was written between', async () => {
    const order = await orders.walkIn(['MET']);
    await tell(order, '180', [0, 1]);
    await tell(order, '180', [0, 9]);
    await tell(order, '181', [0, 5]);
    expect(await glucose(order)).toMatchObject({ result: '180', history: [{ result: '181', came_late: true }] });
  });
});

test('each value of a message has the time of its own test', async () => {
  const order = await orders.walkIn(['MET']);
  await orders.send([
    PID,
    obr(order.number, 'MET', 'F', '20260122080000'),
    obx('A1C', '5.1'),
    obr(order.number, 'MET', 'F', '20260122110000'),
    obx('GLU', '90'),
  ]);
  await tell(order, '80', [0, 59]);
  expect(await glucose(order)).toMatchObject({ result: '90', timestamp: '2026-01-22T18:00:00.000Z' });
});

describe('a value that was cancelled (X)', () => {
  test('keeps what it was in its history, and what comes late too', async () => {
    const order = await orders.walkIn(['MET']);
    await tell(order, '180', [0, 1]);
    await tell(order, '', [30, 31], 'X');
    const before = await orders.told(order.id);
    expect(await tell(order, '170', [20, 59])).toBe('AA');
    expect(await missingGlucose(order)).toMatchObject({
      history: [
        { result: '180', came_late: false },
        { result: '170', came_late: true, timestamp: '2026-01-22T17:20:00.000Z' },
      ],
    });
    expect((await orders.messages()).at(-1)).toMatchObject({ state: 'applied', reason: 'superseded' });
    expect(await orders.told(order.id)).toEqual(before);
    await tell(order, '190', [40, 41]);
    expect(await glucose(order)).toMatchObject({ result: '190', history: [{ result: '180' }, { result: '170' }] });
  });

  test('and withdrawn then has none', async () => {
    const order = await orders.walkIn(['MET']);
    await tell(order, '180', [0, 1]);
    await tell(order, '', [30, 31], 'X');
    await tell(order, '', [40, 41], 'D');
    await tell(order, '170', [20, 59]);
    expect(await missingGlucose(order)).toMatchObject({ note: 'The laboratory withdrew this value.', history: [] });
  });
});

test('what was withdrawn is not in the history', async () => {
  const order = await orders.walkIn(['MET']);
  await tell(order, '180', [0, 1]);
  await tell(order, '181', [0, 2]);
  await orders.send([PID, obr(order.number, 'MET', 'C'), 'OBX|1|NM|GLU^GLU^L||||||||D'], { at: '20260122110000' });
  expect(await glucose(order)).toBeUndefined();
  await tell(order, '95', [59, 59], 'C');
  expect(await glucose(order)).toMatchObject({ result: '95', history: [] });
});
