// Collects what an Apple export has about days and about the person: the activity rings, the heart rates of each day,
// the height, and the profile.
import { ownProperty } from '../../../../wire/own-property.ts';
import type { Sink } from '../parsed-line.ts';
import type { Element } from '../xml.ts';
import { ringsOf, type HeartOfDay } from './activity-summary.ts';
import { profileOf } from './map-profile.ts';
import { METRES } from './unit-factors.ts';

type Attributes = Element['attributes'];

/** The record types with one heart rate for a day. The watch writes each of them when the day ends. */
const HEART: Record<string, keyof HeartOfDay> = {
  HKQuantityTypeIdentifierRestingHeartRate: 'resting_bpm',
  HKQuantityTypeIdentifierWalkingHeartRateAverage: 'avg_walking_bpm',
};
const HEIGHT = 'HKQuantityTypeIdentifierHeight';
/** More than fifty years. */
const MAX_DAYS = 20_000;

type Days = {
  /**
   * Collects a record that has a value for a whole day, or the height, which becomes part of the profile. Returns
   * whether the record was one of these.
   */
  take: (type: string, record: Attributes) => boolean;
  me: (attributes: Attributes) => void;
  addRings: (attributes: Attributes) => void;
  end: () => void;
};

export function gatherDays(sink: Sink): Days {
  const hearts = new Map<string, HeartOfDay>();
  const rings: Attributes[] = [];
  let me: Attributes | null = null;
  let height: { centimetres: number; on: string } | null = null;

  return {
    take: (type, record) => {
      const heart = ownProperty(HEART, type);
      const value = Number(record['value'] ?? NaN);
      const on = record['startDate'] ?? '';
      if (heart && value > 0 && value < 400 && record['unit'] === 'count/min') {
        const day = on.slice(0, 10);
        if (hearts.size < MAX_DAYS || hearts.has(day)) hearts.set(day, { ...hearts.get(day), [heart]: value });
        return true;
      }
      if (type !== HEIGHT) return false;
      const centimetres = value * (METRES[record['unit'] ?? ''] ?? NaN) * 100;
      if (!(centimetres > 0)) return false;
      if (height === null || on >= height.on) height = { centimetres, on };
      return true;
    },
    me: (attributes) => {
      me = attributes;
    },
    addRings: (attributes) => {
      if (rings.length < MAX_DAYS) rings.push(attributes);
      else sink.skip('ActivitySummary', 'impossible');
    },
    end: () => {
      for (const attributes of rings) {
        const day = attributes['dateComponents'] ?? '';
        const summary = ringsOf(attributes, hearts.get(day));
        hearts.delete(day);
        if (summary) sink.summary(summary);
        else sink.skip('ActivitySummary', 'empty');
      }
      // The days that are left have heart rates but no rings.
      for (const [day, heart] of hearts) sink.summary(heartOf(day, heart));
      const profile = me && profileOf(me, height?.centimetres ?? null);
      if (profile) sink.summary(profile);
    },
  };
}

const heartOf = (calendar_date: string, heart_rate: HeartOfDay) => ({
  resource: 'activity' as const,
  item: { provider: 'apple_health_kit', source_type: 'multiple_sources', calendar_date, heart_rate },
});
