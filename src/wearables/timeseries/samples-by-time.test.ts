import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Sample } from './sample.ts';
import { samplesByTime } from './samples-by-time.ts';

const sampleAt = (minute: number, value: number): Sample => ({
  at: new Date(Date.UTC(2026, 0, 5, 7, minute)).toISOString(),
  value,
  duration_ms: null,
  timezone_offset: null,
  extra: null,
  text: null,
});

test('samples in any order are listed by time, and each time has the last sample that was set', () => {
  const step = fc.record({ minute: fc.nat(20), gone: fc.boolean(), ascends: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const samples = samplesByTime();
      const map = new Map<string, Sample>();
      for (const [n, { minute, gone, ascends }] of steps.entries()) {
        const sample = sampleAt(ascends ? n : minute, n);
        if (gone && !ascends) {
          samples.delete(sample.at);
          map.delete(sample.at);
        } else {
          samples.set(sample);
          map.set(sample.at, sample);
        }
      }
      const expected = [...map.values()].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
      expect(samples.list()).toEqual(expected);
      expect(samples.isEmpty()).toBe(expected.length === 0);
    }),
    { numRuns: 500 },
  );
});
