import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { advance, progressOf, type OrderProgress } from '../orders/status/status-rules.ts';
import type { LowLevelStatus } from '../orders/status/statuses.ts';
import { STAGES, type Leg, type Stage } from './stages.ts';
import { stepsBy } from './parcel-steps.ts';

type Scan = { at: number; stage: Stage };

const START = ['ordered', 'requisition_created'] as const;
const BACK_AND_FORTH = [...START, 'transit_customer', 'out_for_delivery', 'with_customer'] as const;
/** Returns the progress of a kit order whose parcel has no scan yet. */
const beginningOf = (leg: Leg): OrderProgress =>
  progressOf('testkit', leg === 'outbound' ? START : BACK_AND_FORTH) as OrderProgress;

const rank = (scan: Scan): number => scan.at * STAGES.length + STAGES.indexOf(scan.stage);

/**
 * Returns the statuses that a kit order gets if its scans arrive in this sequence. At each arrival, `stepsBy` gets all
 * scans that have arrived so far.
 */
function statusesBy(leg: Leg, arriving: readonly Scan[]): LowLevelStatus[] {
  let progress = beginningOf(leg);
  const statuses: LowLevelStatus[] = [];
  const known: Scan[] = [];
  for (const scan of arriving) {
    known.push(scan);
    const stages = known.toSorted((a, b) => rank(a) - rank(b)).map(({ stage }) => stage);
    for (const status of stepsBy(progress, leg, stages)) {
      const further = advance(progress, status);
      expect(further, `${progress.last} to ${status}`).not.toBeNull();
      progress = further as OrderProgress;
      statuses.push(status);
    }
  }
  return statuses;
}

const last = (leg: Leg, arriving: readonly Scan[]): LowLevelStatus | undefined => statusesBy(leg, arriving).at(-1);
const isEnd = (stage: Stage): boolean => stage === 'delivered' || stage === 'failure' || stage === 'lost';
const scan = fc.record({ at: fc.integer({ min: 0, max: 20 }), stage: fc.constantFrom(...STAGES) });
const scans = fc.array(scan, { minLength: 1, maxLength: 8 });
const leg = fc.constantFrom<Leg>('outbound', 'inbound');

const PAIRS = STAGES.flatMap((one) => STAGES.map((other): [Stage, Stage] => [one, other]));

describe.each<Leg>(['outbound', 'inbound'])('on the way %s', (way) => {
  // If both scans end the parcel's way, the scan that arrives first decides, because the status table allows no step
  // away from an end. So we omit these pairs.
  test.each(PAIRS.filter(([one, other]) => !(isEnd(one) && isEnd(other) && one !== other)))(
    'a scan %s and a later scan %s lead to the same status in both orders of arrival',
    (one, other) => {
      const [first, second] = [
        { at: 1, stage: one },
        { at: 2, stage: other },
      ];
      expect(last(way, [second, first])).toBe(last(way, [first, second]));
    },
  );

  test.each(PAIRS.filter(([one, other]) => isEnd(one) && isEnd(other)))(
    'if both ends %s and %s arrive, the one that arrives first stays',
    (one, other) => {
      const arriving = [
        { at: 2, stage: 'moving' },
        { at: 3, stage: one },
        { at: 1, stage: other },
      ] as Scan[];
      expect(last(way, arriving)).toBe(last(way, arriving.slice(0, 2)));
    },
  );
});

test('every order of arrival follows the status table, and a repeated scan changes nothing', () => {
  fc.assert(
    fc.property(leg, scans, (way, all) => {
      const twice = all.flatMap((each) => [each, each]);
      expect(statusesBy(way, twice)).toEqual(statusesBy(way, all));
    }),
    { numRuns: 500 },
  );
});

test('scans in any order of arrival do not move an order backwards', () => {
  fc.assert(
    fc.property(leg, scans, (way, all) => {
      const forward = ['transit_customer', 'out_for_delivery', 'with_customer', 'transit_lab', 'delivered_to_lab'];
      const statuses = statusesBy(way, all);
      statuses.forEach((status, index) => {
        const before = statuses[index - 1];
        if (before === undefined || !forward.includes(before) || !forward.includes(status)) return;
        expect(forward.indexOf(status)).toBeGreaterThan(forward.indexOf(before));
      });
    }),
    { numRuns: 500 },
  );
});

test('with at most one kind of end and no problem overcome, every order of arrival leads to the same status', () => {
  fc.assert(
    fc.property(leg, scans, fc.infiniteStream(fc.nat()), (way, all, shuffle) => {
      const sorted = all.toSorted((a, b) => rank(a) - rank(b));
      const problem = sorted.findLastIndex(({ stage }) => stage === 'problem');
      fc.pre(new Set(all.map(({ stage }) => stage).filter(isEnd)).size <= 1);
      fc.pre(problem === -1 || sorted.slice(problem).every(({ stage }) => stage !== 'moving'));
      const mixed = all
        .map((each) => ({ each, key: shuffle.next().value as number }))
        .toSorted((a, b) => a.key - b.key)
        .map(({ each }) => each);
      expect(last(way, mixed)).toBe(last(way, sorted));
    }),
    { numRuns: 1_000 },
  );
});

test('a scan on the way to the laboratory adds the statuses on the way to the customer first', () => {
  const sent = progressOf('testkit', [...START, 'transit_customer']) as OrderProgress;
  expect(stepsBy(sent, 'inbound', ['moving', 'delivered'])).toEqual([
    'out_for_delivery',
    'with_customer',
    'transit_lab',
    'delivered_to_lab',
  ]);
});

test('a scan on the way to the laboratory does not move an unregistered kit', () => {
  const waiting = ['ordered', 'awaiting_registration', 'transit_customer', 'out_for_delivery', 'with_customer'];
  expect(stepsBy(progressOf('testkit', waiting) as OrderProgress, 'inbound', ['moving'])).toEqual([]);
});

test('scans change nothing once the laboratory has received the kit', () => {
  for (const received of ['delivered_to_lab', 'lab_processing_blocked', 'completed'] as const) {
    const path = ['delivered_to_lab', ...(received === 'delivered_to_lab' ? [] : [received])];
    const progress = progressOf('testkit', [...BACK_AND_FORTH, 'transit_lab', ...path]) as OrderProgress;
    for (const stage of STAGES) {
      expect(stepsBy(progress, 'outbound', ['moving', stage])).toEqual([]);
      if (received !== 'lab_processing_blocked') expect(stepsBy(progress, 'inbound', ['moving', stage])).toEqual([]);
    }
  }
});

test('an expired label makes an order lost only if a carrier scanned its parcel before', () => {
  expect(stepsBy(beginningOf('outbound'), 'outbound', ['lost'])).toEqual([]);
  expect(stepsBy(beginningOf('outbound'), 'outbound', ['moving', 'lost'])).toEqual(['transit_customer', 'lost']);
});
