// Which of several reported values of one analyte is current, in any order of arrival.
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

/** Sends a glucose value. `reported` is the minute of its report (null: none), `written` the minute of the message. */
const reportValues = (
  { number }: AtLaboratory,
  value: string,
  [reported, written]: [number | null, number],
  status = 'F',
) => {
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

describe('of several final values of one analyte', () => {
  test('with the same time of the report, the one of the newest message is current and has a history', async () => {
    const order = await orders.walkIn(['MET']);
    for (const [at, value] of ['180', '181', '182'].entries())
      expect(await reportValues(order, value, [0, at + 1])).toBe('AA');
    expect(await glucose(order)).toMatchObject({
      result: '182',
      status: 'corrected',
      previous_result: '181 mg/dL',
      history: [
        { result: '180', came_late: false },
        { result: '181', came_late: false },
      ],
    });
    expect((await orders.events(order.id)).slice(-3)).toEqual(['completed', 'corrected', 'corrected']);
  });

  test('in messages of the same time, the one that arrived last is current', async () => {
    const order = await orders.walkIn(['MET']);
    await reportValues(order, '180', [0, 1]);
    await reportValues(order, '181', [0, 1]);
    await reportValues(order, '182', [0, 1]);
    expect(await glucose(order)).toMatchObject({ result: '182' });
  });

  test('an older one that comes late goes into the history, and is noted and logged', async () => {
    const order = await orders.walkIn(['MET']);
    await reportValues(order, '190', [30, 31]);
    const before = await orders.events(order.id);
    expect(await reportValues(order, '170', [20, 59], 'C')).toBe('AA');
    expect(await glucose(order)).toMatchObject({
      result: '190',
      status: 'final',
      history: [{ result: '170', status: 'corrected', came_late: true, timestamp: '2026-01-22T17:20:00.000Z' }],
    });
    expect((await orders.messages()).at(-1)).toMatchObject({ state: 'applied', reason: 'superseded' });
    expect(orders.logged.filter((line) => line.includes('"superseded"'))).toHaveLength(1);
    expect(await orders.events(order.id)).toEqual(before);
    await reportValues(order, '170', [20, 60], 'C');
    expect((await glucose(order))?.history).toHaveLength(1);
  });

  test('the same one is current in any order of arrival, and none is lost', async () => {
    const anyReport = fc.record({
      value: fc.integer({ min: 100, max: 400 }).map(String),
      reported: fc.option(fc.integer({ min: 0, max: 2 })),
      status: fc.constantFrom('F', 'P', 'C'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(anyReport, { minLength: 2, maxLength: 5, selector: ({ value }) => value }).chain((messages) => {
          const dated = messages.map((message, written) => ({ ...message, written }));
          return fc.tuple(fc.constant(dated), fc.shuffledSubarray(dated, { minLength: dated.length }));
        }),
        async ([dated, arriving]) => {
          const order = await orders.walkIn(['MET']);
          for (const { value, reported, written, status } of arriving)
            expect(await reportValues(order, value, [reported, written], status)).toBe('AA');
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

  describe('one without a time of the report', () => {
    test('is replaced by a correction that has an earlier time, in both orders of arrival', async () => {
      const [order, late] = [await orders.walkIn(['MET']), await orders.walkIn(['MET'])];
      await reportValues(order, '180', [null, 30]);
      await reportValues(order, '140', [0, 59], 'C');
      expect(await glucose(order)).toMatchObject({
        result: '140',
        status: 'corrected',
        previous_result: '180 mg/dL',
        history: [{ result: '180', came_late: false }],
      });
      expect((await orders.events(order.id)).at(-1)).toBe('corrected');
      await reportValues(late, '140', [0, 59], 'C');
      await reportValues(late, '180', [null, 30]);
      expect(await glucose(late)).toMatchObject({ result: '140', history: [{ result: '180', came_late: true }] });
    });

    test('that is a correction counts from the time of its message', async () => {
      const order = await orders.walkIn(['MET']);
      await reportValues(order, '180', [20, 25]);
      await reportValues(order, '140', [null, 30], 'C');
      expect(await glucose(order)).toMatchObject({ result: '140', history: [{ result: '180', came_late: false }] });
      await reportValues(order, '150', [25, 26]);
      expect(await glucose(order)).toMatchObject({ result: '140' });
    });

    test('that is final is replaced by the newest message without a time of the report', async () => {
      const order = await orders.walkIn(['MET']);
      await reportValues(order, '180', [null, 30]);
      await reportValues(order, '181', [null, 40]);
      await reportValues(order, '179', [null, 20]);
      expect(await glucose(order)).toMatchObject({ result: '181' });
    });
  });

  test('one that is repeated later is newer than another written in between', async () => {
    const order = await orders.walkIn(['MET']);
    await reportValues(order, '180', [0, 1]);
    await reportValues(order, '180', [0, 9]);
    await reportValues(order, '181', [0, 5]);
    expect(await glucose(order)).toMatchObject({ result: '180', history: [{ result: '181', came_late: true }] });
  });
});

test('each value of a message has the report time of its own test', async () => {
  const order = await orders.walkIn(['MET']);
  await orders.send([
    PID,
    obr(order.number, 'MET', 'F', '20260122080000'),
    obx('A1C', '5.1'),
    obr(order.number, 'MET', 'F', '20260122110000'),
    obx('GLU', '90'),
  ]);
  await reportValues(order, '80', [0, 59]);
  expect(await glucose(order)).toMatchObject({ result: '90', timestamp: '2026-01-22T18:00:00.000Z' });
});

describe('a value that was cancelled (X)', () => {
  test('keeps earlier values and late values in its history', async () => {
    const order = await orders.walkIn(['MET']);
    await reportValues(order, '180', [0, 1]);
    await reportValues(order, '', [30, 31], 'X');
    const before = await orders.events(order.id);
    expect(await reportValues(order, '170', [20, 59])).toBe('AA');
    expect(await missingGlucose(order)).toMatchObject({
      history: [
        { result: '180', came_late: false },
        { result: '170', came_late: true, timestamp: '2026-01-22T17:20:00.000Z' },
      ],
    });
    expect((await orders.messages()).at(-1)).toMatchObject({ state: 'applied', reason: 'superseded' });
    expect(await orders.events(order.id)).toEqual(before);
    await reportValues(order, '190', [40, 41]);
    expect(await glucose(order)).toMatchObject({ result: '190', history: [{ result: '180' }, { result: '170' }] });
  });

  test('and then withdrawn has no history', async () => {
    const order = await orders.walkIn(['MET']);
    await reportValues(order, '180', [0, 1]);
    await reportValues(order, '', [30, 31], 'X');
    await reportValues(order, '', [40, 41], 'D');
    await reportValues(order, '170', [20, 59]);
    expect(await missingGlucose(order)).toMatchObject({ note: 'The laboratory withdrew this value.', history: [] });
  });
});

test('withdrawn values are not in the history', async () => {
  const order = await orders.walkIn(['MET']);
  await reportValues(order, '180', [0, 1]);
  await reportValues(order, '181', [0, 2]);
  await orders.send([PID, obr(order.number, 'MET', 'C'), 'OBX|1|NM|GLU^GLU^L||||||||D'], { at: '20260122110000' });
  expect(await glucose(order)).toBeUndefined();
  await reportValues(order, '95', [59, 59], 'C');
  expect(await glucose(order)).toMatchObject({ result: '95', history: [] });
});
