import { array, assert as assertProperty, constantFrom, nat, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CollectionMethod } from './statuses.ts';
import { COLLECTION_METHODS, statusesOf, topLevel } from './statuses.ts';
import type { OrderProgress } from './status-rules.ts';
import { advance, canCancel, canReschedule, next, progressOf, start } from './status-rules.ts';

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

function progressAfter(method: CollectionMethod, path: string): OrderProgress {
  const progress = progressOf(method, words(path));
  if (!progress) throw new Error(`${method} does not allow: ${path}`);
  return progress;
}

function nextAfter(method: CollectionMethod, path: string): string[] {
  return next(progressAfter(method, path))
    .map((step) => step.status)
    .toSorted();
}

const WAITING = 'ordered awaiting_registration';
const REGISTERED = `${WAITING} requisition_created testkit_registered`;
const SENT = 'transit_customer out_for_delivery with_customer';
const RESULT = 'transit_lab delivered_to_lab completed';

describe('statuses may follow one another', () => {
  test.each([
    ['testkit', `ordered requisition_created ${SENT} ${RESULT}`],
    ['testkit', `ordered requisition_bypassed ${SENT} ${RESULT}`],
    ['testkit', `${WAITING} ${SENT} requisition_created testkit_registered ${RESULT}`],
    ['testkit', `${REGISTERED} ${SENT} ${RESULT}`],
    ['testkit', `${REGISTERED} ${RESULT}`],
    ['testkit', `${WAITING} transit_customer requisition_bypassed testkit_registered out_for_delivery`],
    ['testkit', `${WAITING} transit_customer requisition_created testkit_registered lost`],
    [
      'testkit',
      `${WAITING} transit_customer problem_in_transit_customer requisition_created testkit_registered transit_customer`,
    ],
    ['testkit', `${WAITING} transit_customer problem_in_transit_customer failure_to_deliver_to_customer`],
    ['testkit', `${WAITING} ${SENT} requisition_created do_not_process`],
    ['testkit', `${REGISTERED} transit_lab problem_in_transit_lab transit_lab lost`],
    ['testkit', `${REGISTERED} transit_lab problem_in_transit_lab failure_to_deliver_to_lab`],
    ['testkit', `${REGISTERED} transit_lab delivered_to_lab lab_processing_blocked delivered_to_lab sample_error`],
    ['testkit', `${REGISTERED} transit_lab delivered_to_lab lab_processing_blocked completed corrected corrected`],
    ['walk_in_test', 'ordered requisition_created completed'],
    ['walk_in_test', 'ordered requisition_bypassed partial_results partial_results completed corrected'],
    [
      'walk_in_test',
      'ordered requisition_created appointment_pending appointment_scheduled appointment_pending ' +
        'appointment_scheduled completed',
    ],
    [
      'walk_in_test',
      'ordered requisition_created appointment_pending appointment_cancelled appointment_scheduled ' +
        'partial_results redraw_available completed',
    ],
    ['walk_in_test', 'ordered requisition_created appointment_pending redraw_available cancelled'],
    ['walk_in_test', 'ordered requisition_created appointment_pending partial_results completed'],
    ['walk_in_test', 'ordered requisition_bypassed appointment_pending sample_error'],
    ['walk_in_test', 'ordered requisition_created appointment_pending appointment_cancelled completed corrected'],
    ['walk_in_test', 'ordered requisition_created appointment_pending appointment_cancelled sample_error'],
    [
      'at_home_phlebotomy',
      'ordered requisition_created appointment_pending appointment_scheduled appointment_scheduled ' +
        'draw_completed partial_results completed',
    ],
    [
      'at_home_phlebotomy',
      'ordered requisition_bypassed appointment_pending appointment_scheduled appointment_cancelled ' +
        'appointment_pending cancelled',
    ],
    ['at_home_phlebotomy', 'ordered requisition_bypassed draw_completed completed'],
    ['at_home_phlebotomy', 'ordered requisition_created appointment_pending draw_completed completed'],
    ['at_home_phlebotomy', 'ordered requisition_created appointment_pending appointment_cancelled draw_completed'],
    ['on_site_collection', 'ordered requisition_created draw_completed partial_results completed corrected'],
    ['on_site_collection', 'ordered requisition_bypassed draw_completed sample_error'],
  ] satisfies [CollectionMethod, string][])('for %s: %s', (method, path) => {
    expect(progressOf(method, words(path))?.last).toBe(words(path).at(-1));
  });
});

describe('statuses may not follow one another', () => {
  test.each([
    ['testkit', 'awaiting_registration'],
    ['testkit', 'ordered transit_customer'],
    ['testkit', 'ordered testkit_registered'],
    ['testkit', `${WAITING} testkit_registered`],
    ['testkit', `${WAITING} transit_lab`],
    ['testkit', `${WAITING} requisition_created transit_customer`],
    ['testkit', `${WAITING} ${SENT} transit_lab`],
    ['testkit', `${WAITING} ${SENT} requisition_created transit_lab`],
    ['testkit', `${WAITING} ${SENT} requisition_created testkit_registered transit_customer`],
    ['testkit', `${WAITING} transit_customer requisition_created testkit_registered transit_lab`],
    ['testkit', `${WAITING} transit_customer requisition_created cancelled`],
    ['testkit', `${WAITING} transit_customer do_not_process`],
    ['testkit', `${WAITING} ${SENT} lost`],
    ['testkit', 'ordered requisition_created transit_lab'],
    ['testkit', 'ordered requisition_created testkit_registered'],
    ['testkit', `${REGISTERED} requisition_created`],
    ['testkit', `${REGISTERED} transit_lab completed`],
    ['testkit', `${REGISTERED} transit_lab delivered_to_lab lost`],
    ['walk_in_test', 'ordered completed'],
    ['walk_in_test', 'ordered requisition_created appointment_scheduled'],
    ['walk_in_test', 'ordered requisition_created appointment_pending corrected'],
    ['walk_in_test', 'ordered appointment_pending'],
    ['walk_in_test', 'ordered requisition_created partial_results appointment_pending'],
    ['walk_in_test', 'ordered requisition_created partial_results cancelled'],
    ['walk_in_test', 'ordered requisition_created completed redraw_available'],
    ['walk_in_test', 'ordered requisition_created draw_completed'],
    ['at_home_phlebotomy', 'ordered requisition_created completed'],
    ['at_home_phlebotomy', 'ordered requisition_created appointment_pending appointment_scheduled completed'],
    ['at_home_phlebotomy', 'ordered requisition_created appointment_pending appointment_scheduled redraw_available'],
    ['on_site_collection', 'ordered draw_completed'],
    ['on_site_collection', 'ordered requisition_created completed'],
    ['on_site_collection', 'ordered requisition_created draw_completed partial_results cancelled'],
  ] satisfies [CollectionMethod, string][])('for %s: %s', (method, path) => {
    const statuses = words(path);
    expect(progressOf(method, statuses.slice(0, -1))).not.toBeNull();
    expect(progressOf(method, statuses)).toBeNull();
  });
});

describe('what may come next', () => {
  test.each([
    ['testkit', 'ordered', 'awaiting_registration cancelled do_not_process requisition_bypassed requisition_created'],
    ['testkit', WAITING, 'cancelled do_not_process requisition_bypassed requisition_created transit_customer'],
    ['testkit', `${WAITING} ${SENT}`, 'requisition_bypassed requisition_created'],
    ['testkit', REGISTERED, 'cancelled do_not_process transit_customer transit_lab'],
    ['testkit', `ordered requisition_created ${SENT}`, 'transit_lab'],
    ['testkit', `${WAITING} ${SENT} requisition_created testkit_registered`, 'do_not_process transit_lab'],
    [
      'walk_in_test',
      'ordered requisition_created appointment_pending',
      'appointment_cancelled appointment_scheduled cancelled completed partial_results redraw_available sample_error',
    ],
    [
      'walk_in_test',
      'ordered requisition_created appointment_pending appointment_cancelled',
      'appointment_pending appointment_scheduled cancelled completed partial_results redraw_available sample_error',
    ],
    [
      'walk_in_test',
      'ordered requisition_created redraw_available',
      'cancelled completed partial_results sample_error',
    ],
    [
      'at_home_phlebotomy',
      'ordered requisition_created appointment_pending appointment_scheduled',
      'appointment_cancelled appointment_scheduled cancelled draw_completed',
    ],
    ['on_site_collection', 'ordered requisition_created', 'cancelled draw_completed'],
  ] satisfies [CollectionMethod, string, string][])('for %s after %s is %s', (method, path, allowed) => {
    expect(nextAfter(method, path)).toEqual(words(allowed));
  });

  test('is the same with and without a redirect, on the outbound leg of a registered kit', () => {
    const sentFirst = progressAfter('testkit', `${WAITING} transit_customer requisition_created testkit_registered`);
    const registeredFirst = progressAfter('testkit', `${REGISTERED} transit_customer`);
    expect(advance(sentFirst, 'out_for_delivery')).toEqual(advance(registeredFirst, 'out_for_delivery'));
  });

  test('is nothing after a status of another method or an unknown word', () => {
    expect(advance(start('walk_in_test'), 'transit_customer')).toBeNull();
    expect(advance(start('testkit'), 'received.testkit.ordered')).toBeNull();
    expect(progressOf('testkit', ['ordered', 'nonsense', 'awaiting_registration'])).toBeNull();
  });
});

describe('whether an order can be cancelled', () => {
  test.each([
    ['testkit', 'ordered', true],
    ['testkit', WAITING, true],
    ['testkit', `${WAITING} requisition_created`, true],
    ['testkit', REGISTERED, true],
    ['testkit', `${WAITING} transit_customer`, false],
    ['testkit', `${WAITING} transit_customer requisition_created testkit_registered`, false],
    ['testkit', `${REGISTERED} transit_lab`, false],
    ['testkit', `${REGISTERED} ${RESULT}`, false],
    ['testkit', 'ordered cancelled', false],
    ['walk_in_test', 'ordered requisition_created appointment_pending appointment_scheduled', true],
    ['walk_in_test', 'ordered requisition_created partial_results', false],
    ['walk_in_test', 'ordered requisition_created completed', false],
    [
      'at_home_phlebotomy',
      'ordered requisition_created appointment_pending appointment_scheduled draw_completed',
      true,
    ],
    [
      'at_home_phlebotomy',
      'ordered requisition_created appointment_pending appointment_scheduled draw_completed partial_results',
      false,
    ],
    ['on_site_collection', 'ordered requisition_created draw_completed', true],
    ['on_site_collection', 'ordered requisition_created draw_completed completed', false],
  ] satisfies [CollectionMethod, string, boolean][])('for %s after %s: %s', (method, path, expected) => {
    expect(canCancel(progressAfter(method, path))).toBe(expected);
  });
});

describe('whether the day of an order can change', () => {
  test.each([
    ['testkit', 'ordered', true],
    ['testkit', WAITING, true],
    ['testkit', REGISTERED, false],
    ['testkit', `${WAITING} transit_customer`, false],
    ['testkit', `${WAITING} transit_customer requisition_created`, false],
    ['testkit', `${WAITING} transit_customer requisition_created testkit_registered`, false],
    ['testkit', `${REGISTERED} transit_lab`, false],
    ['testkit', 'ordered cancelled', false],
    ['walk_in_test', 'ordered requisition_created', false],
    ['walk_in_test', 'ordered requisition_created appointment_pending', false],
    ['on_site_collection', 'ordered requisition_bypassed', false],
    ['on_site_collection', 'ordered requisition_created draw_completed', false],
  ] satisfies [CollectionMethod, string, boolean][])('for %s after %s: %s', (method, path, expected) => {
    expect(canReschedule(progressAfter(method, path), '2031-01-01')).toBe(expected);
  });

  test.each([
    ['testkit', REGISTERED, true],
    ['testkit', `${WAITING} transit_customer`, false],
    ['testkit', `${WAITING} transit_customer requisition_created testkit_registered`, false],
    ['walk_in_test', 'ordered requisition_created', true],
    ['walk_in_test', 'ordered requisition_created appointment_pending', false],
    ['walk_in_test', 'ordered cancelled', false],
  ] satisfies [CollectionMethod, string, boolean][])('to null, for %s after %s: %s', (method, path, expected) => {
    expect(canReschedule(progressAfter(method, path), null)).toBe(expected);
  });
});

// These rules state what may not happen, from the list of events alone. They share no code with the table.
const OUTBOUND = ['transit_customer', 'out_for_delivery', 'with_customer', 'problem_in_transit_customer'];
const INBOUND = ['transit_lab', 'problem_in_transit_lab', 'delivered_to_lab', 'lab_processing_blocked'];
const RESULTS = ['completed', 'corrected', 'partial_results'];
const FINAL = ['cancelled', 'do_not_process', 'lost', 'sample_error'];
const ONCE = ['ordered', 'awaiting_registration', 'testkit_registered'];

function hasBefore(events: readonly string[], late: readonly string[], early: readonly string[]): boolean {
  const index = events.findIndex((event) => late.includes(event));
  return index < 0 || events.slice(0, index).some((event) => early.includes(event));
}

function endsAtFirst(events: readonly string[], final: readonly string[]): boolean {
  const index = events.findIndex((event) => final.includes(event) || event.startsWith('failure_to_deliver'));
  return index < 0 || index === events.length - 1;
}

const INVARIANTS: Record<string, (method: CollectionMethod, events: readonly string[]) => boolean> = {
  'ordered comes first': (_method, events) => events.length === 0 || events[0] === 'ordered',
  'some statuses come once': (_method, events) =>
    ONCE.every((once) => events.filter((event) => event === once).length <= 1),
  'there is at most one requisition': (_method, events) =>
    events.filter((event) => event.startsWith('requisition_')).length <= 1,
  'a registration has a requisition': (_method, events) =>
    hasBefore(events, ['testkit_registered'], ['requisition_created', 'requisition_bypassed']),
  'a kit that waits goes to the laboratory only after its registration': (_method, events) =>
    !events.includes('awaiting_registration') || hasBefore(events, INBOUND, ['testkit_registered']),
  'no kit is sent before its recipient is known': (method, events) =>
    method !== 'testkit' ||
    hasBefore(events, OUTBOUND, ['awaiting_registration', 'requisition_created', 'requisition_bypassed']),
  'a kit does not go out again after it was with its user': (_method, events) =>
    !events.slice(events.indexOf('with_customer') + 1 || events.length).some((event) => OUTBOUND.includes(event)),
  'no kit goes out after it came back': (_method, events) => {
    const back = events.findIndex((event) => INBOUND.includes(event));
    return back < 0 || !events.slice(back).some((event) => OUTBOUND.includes(event));
  },
  'no kit is cancelled after it was sent': (method, events) =>
    method !== 'testkit' || !events.includes('cancelled') || !events.some((e) => [...OUTBOUND, ...INBOUND].includes(e)),
  'a kit is refused only from a received status': (method, events) =>
    method !== 'testkit' || ![...OUTBOUND, ...INBOUND].includes(events[events.indexOf('do_not_process') - 1] ?? ''),
  'results are not cancelled, except at redraw_available': (_method, events) => {
    const before = events.at(-2) ?? '';
    return events.at(-1) !== 'cancelled' || !RESULTS.includes(before);
  },
  'results follow a draw if the method has one': (method, events) =>
    !['at_home_phlebotomy', 'on_site_collection'].includes(method) || hasBefore(events, RESULTS, ['draw_completed']),
  'a correction follows a completion': (_method, events) => hasBefore(events, ['corrected'], ['completed']),
  'no status follows a final status': (_method, events) => endsAtFirst(events, FINAL),
  'every status belongs to the method': (method, events) =>
    events.every((event) => (statusesOf(method) as string[]).includes(event)),
};

function brokenRules(method: CollectionMethod, events: readonly string[]): string[] {
  return Object.keys(INVARIANTS).filter((rule) => !INVARIANTS[rule]?.(method, events));
}

function walk(method: CollectionMethod, choices: readonly number[]): { events: string[]; progress: OrderProgress } {
  let progress = start(method);
  const events: string[] = [];
  for (const choice of choices) {
    const options = next(progress);
    const step = options[choice % options.length];
    if (!step) break;
    events.push(step.status);
    ({ progress } = step);
  }
  return { events, progress };
}

describe('any walk along the table', () => {
  const walks = record({
    method: constantFrom(...COLLECTION_METHODS),
    choices: array(nat(), { maxLength: 40 }),
  });

  test('keeps every rule at every step', () => {
    assertProperty(
      property(walks, ({ method, choices }) => {
        const { events } = walk(method, choices);
        expect(brokenRules(method, events)).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });

  test('ends only at a failed or cancelled status', () => {
    assertProperty(
      property(walks, ({ method, choices }) => {
        const { progress } = walk(method, choices);
        const top = progress.last && topLevel(method, progress.last);
        expect(next(progress).length === 0).toBe(top === 'failed' || top === 'cancelled');
      }),
      { numRuns: 3000 },
    );
  });

  test('has the same progress if it is computed from its events', () => {
    assertProperty(
      property(walks, ({ method, choices }) => {
        const { events, progress } = walk(method, choices);
        expect(progressOf(method, events)).toEqual(progress);
      }),
    );
  });
});

test.each(COLLECTION_METHODS)('every status of %s can be reached', (method) => {
  const reached = new Set<string>();
  const seen = new Set<string>();
  const waiting = [start(method)];
  for (const progress of waiting) {
    if (seen.has(JSON.stringify(progress))) continue;
    seen.add(JSON.stringify(progress));
    for (const step of next(progress)) {
      reached.add(step.status);
      waiting.push(step.progress);
    }
  }
  expect([...reached].toSorted()).toEqual(statusesOf(method).toSorted());
});
