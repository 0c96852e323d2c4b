import { describe, expect, test } from 'vitest';
import {
  COLLECTION_METHODS,
  STATUS_DETAILS,
  currentName,
  fullStatus,
  isCancelled,
  isOpen,
  partsOf,
  statusesOf,
  topLevel,
} from './statuses.ts';

const WIRE = [
  'received.testkit.ordered',
  'received.testkit.awaiting_registration',
  'received.testkit.testkit_registered',
  'received.testkit.requisition_created',
  'received.testkit.requisition_bypassed',
  'collecting_sample.testkit.transit_customer',
  'collecting_sample.testkit.out_for_delivery',
  'collecting_sample.testkit.with_customer',
  'collecting_sample.testkit.transit_lab',
  'collecting_sample.testkit.problem_in_transit_customer',
  'collecting_sample.testkit.problem_in_transit_lab',
  'sample_with_lab.testkit.delivered_to_lab',
  'sample_with_lab.testkit.lab_processing_blocked',
  'completed.testkit.completed',
  'completed.testkit.corrected',
  'failed.testkit.failure_to_deliver_to_customer',
  'failed.testkit.failure_to_deliver_to_lab',
  'failed.testkit.sample_error',
  'failed.testkit.lost',
  'cancelled.testkit.cancelled',
  'cancelled.testkit.do_not_process',
  'received.walk_in_test.ordered',
  'received.walk_in_test.requisition_created',
  'received.walk_in_test.requisition_bypassed',
  'collecting_sample.walk_in_test.appointment_pending',
  'collecting_sample.walk_in_test.appointment_scheduled',
  'collecting_sample.walk_in_test.appointment_cancelled',
  'collecting_sample.walk_in_test.redraw_available',
  'sample_with_lab.walk_in_test.partial_results',
  'completed.walk_in_test.completed',
  'completed.walk_in_test.corrected',
  'failed.walk_in_test.sample_error',
  'cancelled.walk_in_test.cancelled',
  'received.at_home_phlebotomy.ordered',
  'received.at_home_phlebotomy.requisition_created',
  'received.at_home_phlebotomy.requisition_bypassed',
  'collecting_sample.at_home_phlebotomy.appointment_pending',
  'collecting_sample.at_home_phlebotomy.appointment_scheduled',
  'collecting_sample.at_home_phlebotomy.appointment_cancelled',
  'collecting_sample.at_home_phlebotomy.draw_completed',
  'sample_with_lab.at_home_phlebotomy.partial_results',
  'completed.at_home_phlebotomy.completed',
  'completed.at_home_phlebotomy.corrected',
  'failed.at_home_phlebotomy.sample_error',
  'cancelled.at_home_phlebotomy.cancelled',
  'received.on_site_collection.ordered',
  'received.on_site_collection.requisition_created',
  'received.on_site_collection.requisition_bypassed',
  'sample_with_lab.on_site_collection.draw_completed',
  'sample_with_lab.on_site_collection.partial_results',
  'completed.on_site_collection.completed',
  'completed.on_site_collection.corrected',
  'failed.on_site_collection.sample_error',
  'cancelled.on_site_collection.cancelled',
];

describe('the statuses', () => {
  test('are exactly those of the interface', () => {
    const all = COLLECTION_METHODS.flatMap((method) => statusesOf(method).map((low) => fullStatus(method, low)));
    expect(all.toSorted()).toEqual(WIRE.toSorted());
  });

  test('are split into their parts again', () => {
    for (const full of WIRE) {
      const [top, method, low] = full.split('.');
      expect(partsOf(full)).toEqual({ top, method, low });
    }
  });

  test('are understood by an older name', () => {
    expect(partsOf('received.testkit.registered').low).toBe('testkit_registered');
    expect(currentName('registered')).toBe('testkit_registered');
  });

  test('refuse a low-level status of another method', () => {
    expect(() => topLevel('testkit', 'draw_completed')).toThrow('testkit has no status draw_completed');
    expect(() => fullStatus('on_site_collection', 'with_customer')).toThrow('on_site_collection has no status');
  });

  test('are open until the order is completed, failed or cancelled', () => {
    for (const full of WIRE) {
      const [top, , low] = full.split('.');
      const ended = top === 'completed' || top === 'failed' || top === 'cancelled';
      expect([low, isOpen(low as Parameters<typeof isOpen>[0])]).toEqual([low, !ended]);
    }
  });

  test('are cancelled if their first part is cancelled', () => {
    const cancelled = WIRE.filter((full) => isCancelled(partsOf(full).low));
    expect(cancelled).toEqual(WIRE.filter((full) => full.startsWith('cancelled.')));
  });

  test('can carry one of nine details', () => {
    expect(new Set(STATUS_DETAILS).size).toBe(9);
  });
});
