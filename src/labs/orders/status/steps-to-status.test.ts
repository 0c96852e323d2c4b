import { assert as assertProperty, constantFrom, pre, property, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CollectionMethod, LowLevelStatus } from './statuses.ts';
import { COLLECTION_METHODS, statusesOf } from './statuses.ts';
import type { OrderProgress } from './status-rules.ts';
import { advance, next, progressOf, start } from './status-rules.ts';
import { pathTo } from './steps-to-status.ts';

function pathAfter(method: CollectionMethod, events: string, target: LowLevelStatus): string {
  const progress = progressOf(method, events.split(' '));
  if (!progress) throw new Error(`${method} does not allow: ${events}`);
  const path = pathTo(progress, target, 'simulation');
  return path.ok ? path.steps.join(' ') : path.reason;
}

const PATIENT = 'ordered requisition_created';
const WAITING = 'ordered awaiting_registration';
const REGISTERED = `${WAITING} requisition_created testkit_registered`;
const SENT = 'transit_customer out_for_delivery with_customer';

describe('a simulated laboratory moves an order', () => {
  test.each([
    ['testkit', PATIENT, 'completed', `${SENT} transit_lab delivered_to_lab completed`],
    ['testkit', REGISTERED, 'completed', `${SENT} transit_lab delivered_to_lab completed`],
    ['testkit', REGISTERED, 'transit_lab', `${SENT} transit_lab`],
    [
      'testkit',
      `${WAITING} ${SENT} requisition_created testkit_registered`,
      'completed',
      'transit_lab delivered_to_lab completed',
    ],
    [
      'testkit',
      `${WAITING} transit_customer requisition_created testkit_registered`,
      'with_customer',
      'out_for_delivery with_customer',
    ],
    ['testkit', REGISTERED, 'lost', 'transit_customer lost'],
    ['testkit', `${PATIENT} ${SENT}`, 'lost', 'transit_lab lost'],
    ['testkit', REGISTERED, 'lab_processing_blocked', `${SENT} transit_lab delivered_to_lab lab_processing_blocked`],
    ['testkit', REGISTERED, 'corrected', `${SENT} transit_lab delivered_to_lab completed corrected`],
    ['testkit', REGISTERED, 'sample_error', `${SENT} transit_lab delivered_to_lab sample_error`],
    [
      'testkit',
      PATIENT,
      'failure_to_deliver_to_customer',
      'transit_customer problem_in_transit_customer failure_to_deliver_to_customer',
    ],
    [
      'testkit',
      PATIENT,
      'failure_to_deliver_to_lab',
      `${SENT} transit_lab problem_in_transit_lab failure_to_deliver_to_lab`,
    ],
    ['testkit', `${PATIENT} transit_customer problem_in_transit_customer`, 'with_customer', SENT],
    ['testkit', `${REGISTERED} transit_lab delivered_to_lab lab_processing_blocked`, 'completed', 'completed'],
    [
      'testkit',
      `${REGISTERED} transit_lab delivered_to_lab lab_processing_blocked`,
      'delivered_to_lab',
      'delivered_to_lab',
    ],
    ['testkit', WAITING, 'with_customer', SENT],
    ['testkit', WAITING, 'lost', 'transit_customer lost'],
    ['testkit', WAITING, 'cancelled', 'cancelled'],
    ['testkit', REGISTERED, 'do_not_process', 'do_not_process'],
    ['walk_in_test', 'ordered', 'completed', 'requisition_created completed'],
    ['walk_in_test', `${PATIENT} appointment_pending`, 'completed', 'completed'],
    ['walk_in_test', `${PATIENT} appointment_pending`, 'partial_results', 'partial_results'],
    ['walk_in_test', `${PATIENT} appointment_pending appointment_cancelled`, 'completed', 'completed'],
    ['walk_in_test', PATIENT, 'appointment_scheduled', 'appointment_pending appointment_scheduled'],
    ['walk_in_test', PATIENT, 'redraw_available', 'redraw_available'],
    ['walk_in_test', PATIENT, 'partial_results', 'partial_results'],
    [
      'at_home_phlebotomy',
      'ordered',
      'completed',
      'requisition_created appointment_pending appointment_scheduled draw_completed completed',
    ],
    [
      'at_home_phlebotomy',
      `${PATIENT} appointment_pending appointment_scheduled`,
      'completed',
      'draw_completed completed',
    ],
    ['at_home_phlebotomy', PATIENT, 'appointment_cancelled', 'appointment_pending appointment_cancelled'],
    ['on_site_collection', 'ordered', 'corrected', 'requisition_created draw_completed completed corrected'],
    ['on_site_collection', PATIENT, 'sample_error', 'draw_completed sample_error'],
  ] satisfies [CollectionMethod, string, LowLevelStatus, string][])(
    'by %s from %s to %s by %s',
    (method, events, target, path) => {
      expect(pathAfter(method, events, target)).toBe(path);
    },
  );

  test('nowhere if the order has the status already', () => {
    expect(pathAfter('testkit', WAITING, 'awaiting_registration')).toBe('');
    expect(pathAfter('on_site_collection', `${PATIENT} draw_completed completed corrected`, 'corrected')).toBe('');
  });
});

test('a laboratory moves a visit to its results by the draw, and reports no appointment', () => {
  for (const events of [
    PATIENT,
    `${PATIENT} appointment_pending`,
    `${PATIENT} appointment_pending appointment_cancelled`,
  ]) {
    const progress = progressOf('at_home_phlebotomy', events.split(' ')) as OrderProgress;
    expect(pathTo(progress, 'completed')).toEqual({ ok: true, steps: ['draw_completed', 'completed'] });
    expect(pathTo(progress, 'appointment_scheduled')).toEqual({ ok: false, reason: 'unreachable' });
  }
});

describe('a simulated laboratory does not move an order', () => {
  test.each([
    'transit_lab',
    'delivered_to_lab',
    'completed',
    'corrected',
    'sample_error',
    'testkit_registered',
    'requisition_created',
    'problem_in_transit_lab',
    'failure_to_deliver_to_lab',
  ] satisfies LowLevelStatus[])('that is an unregistered kit to %s', (target) => {
    expect(pathAfter('testkit', WAITING, target)).toBe('registration_required');
    expect(pathAfter('testkit', `${WAITING} ${SENT}`, target)).toBe('registration_required');
  });

  test('that is a kit past a registration that is only half done', () => {
    expect(pathAfter('testkit', `${WAITING} requisition_created`, 'completed')).toBe('registration_required');
  });

  test.each([
    ['testkit', `${REGISTERED} transit_lab`, 'with_customer'],
    ['testkit', `${REGISTERED} transit_lab`, 'cancelled'],
    ['testkit', `${REGISTERED} transit_customer`, 'do_not_process'],
    ['testkit', `${WAITING} ${SENT}`, 'do_not_process'],
    ['testkit', `${WAITING} ${SENT}`, 'transit_customer'],
    ['testkit', `${REGISTERED} transit_lab lost`, 'completed'],
    ['testkit', REGISTERED, 'draw_completed'],
    ['walk_in_test', `${PATIENT} partial_results`, 'cancelled'],
    ['walk_in_test', `${PATIENT} redraw_available`, 'appointment_pending'],
    ['on_site_collection', `${PATIENT} draw_completed completed`, 'sample_error'],
  ] satisfies [CollectionMethod, string, LowLevelStatus][])('by %s from %s to %s', (method, events, target) => {
    expect(pathAfter(method, events, target)).toBe('unreachable');
  });
});

function every(method: CollectionMethod): OrderProgress[] {
  const found = new Map<string, OrderProgress>();
  const waiting = [start(method)];
  for (const progress of waiting) {
    const key = JSON.stringify(progress);
    if (found.has(key)) continue;
    found.set(key, progress);
    waiting.push(...next(progress).map((step) => step.progress));
  }
  return [...found.values()];
}

describe('a path', () => {
  const REGISTRATION = new Set<LowLevelStatus>([
    'awaiting_registration',
    'requisition_created',
    'requisition_bypassed',
    'testkit_registered',
  ]);
  const cases = constantFrom(...COLLECTION_METHODS).chain((method) =>
    tuple(constantFrom(...every(method)), constantFrom(...statusesOf(method))),
  );

  test('is allowed step by step, ends at the target, has no status twice and registers no kit', () => {
    assertProperty(
      property(cases, ([from, target]) => {
        const path = pathTo(from, target, 'simulation');
        pre(path.ok);
        let progress: OrderProgress | null = from;
        for (const status of path.steps) progress = progress && advance(progress, status);
        expect(progress?.last).toBe(target);
        expect(new Set(path.steps).size).toBe(path.steps.length);
        const registering = path.steps.filter((status) => REGISTRATION.has(status));
        expect(from.method === 'testkit' ? registering : []).toEqual([]);
      }),
      { numRuns: 3000, maxSkipsPerRun: 1000 },
    );
  });

  test('exists to every status that may come next, except the registration of a kit', () => {
    for (const method of COLLECTION_METHODS) {
      for (const from of every(method)) {
        for (const { status } of next(from)) {
          const path = pathTo(from, status, 'simulation');
          const registers = method === 'testkit' && REGISTRATION.has(status);
          expect([from, status, path.ok || path.reason]).toEqual([
            from,
            status,
            registers ? 'registration_required' : true,
          ]);
        }
      }
    }
  });

  test('to completed exists for every open order with a known patient', () => {
    for (const method of COLLECTION_METHODS) {
      for (const from of every(method)) {
        const ended = next(from).length === 0 || from.last === 'corrected';
        if (ended || from.registration !== 'done') continue;
        expect([from, pathTo(from, 'completed').ok]).toEqual([from, true]);
      }
    }
  });
});
