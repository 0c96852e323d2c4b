import { expect, test } from 'vitest';
import { clockOfEvening, illnessOn, isWeekend, nextDate } from './demo-calendar.ts';
import { demoDay, glucoseAt, heartRateAt, stagesOf, stepsOf, hoursOver, type DemoDay } from './day.ts';

const PEOPLE = Array.from({ length: 12 }, (_, n) => ({
  id: `0199a000-0000-7000-8000-${String(n).padStart(12, '0')}`,
  fallback_time_zone: n % 3 === 0 ? null : n % 3 === 1 ? 'America/Phoenix' : 'Europe/Berlin',
}));
const DATES = Array.from({ length: 30 }, (_, n) => nextDate('2026-10-05', n));
const daysOf = (person: (typeof PEOPLE)[number]): DemoDay[] => DATES.map((date) => demoDay(person, date));
const mean = (values: number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;
const stepsIn = (day: DemoDay): number => hoursOver(day, Infinity).reduce((sum, at) => sum + stepsOf(day, at), 0);

test('a month of every person has an illness, a journey over time zones, weekends and days of work', () => {
  for (const person of PEOPLE) {
    const days = daysOf(person);
    const ill = days.filter(({ illness }) => illness > 0);
    expect(ill.length).toBeGreaterThanOrEqual(3);
    const well = days.filter(({ illness }) => illness === 0);
    expect(mean(ill.map(({ resting }) => resting))).toBeGreaterThan(mean(well.map(({ resting }) => resting)) + 3);
    expect(mean(ill.map(stepsIn))).toBeLessThan(0.8 * mean(well.map(stepsIn)));
    expect(ill.filter(({ workout }) => workout !== null)).toEqual([]);
    const away = days.filter(({ time_zone }) => time_zone !== person.fallback_time_zone);
    expect(away.length).toBeGreaterThanOrEqual(4);
    // A person never travels while ill.
    expect(away.filter(({ illness }) => illness > 0)).toEqual([]);
  }
});

test('on weekends people sleep longer', () => {
  const hoursOf = ({ wake, start }: DemoDay): number => (wake - start) / 3_600_000;
  const all = PEOPLE.flatMap(daysOf).filter(({ illness }) => illness === 0);
  const [weekend, work] = [all.filter((day) => day.weekend), all.filter((day) => !day.weekend)];
  expect(mean(weekend.map(hoursOf))).toBeGreaterThan(mean(work.map(hoursOf)) + 0.8);
  expect(weekend.every(({ date }) => isWeekend(date))).toBe(true);
});

test('days have no gaps, journey days are shorter or longer, and each day has sleep and meals', () => {
  for (const person of PEOPLE) {
    const days = daysOf(person);
    for (const [n, day] of days.entries()) {
      if (n > 0) expect(day.start).toBe(days[n - 1]?.end);
      const hours = (day.end - day.start) / 3_600_000;
      const moves = clockOfEvening(person, nextDate(day.date, -1)).time_zone !== day.time_zone;
      // Daylight saving time alone makes a day in Berlin 23 or 25 hours long. Only a journey changes the length more.
      expect(Math.abs(hours - 24) > 1).toBe(moves);
      expect(hours).toBeGreaterThanOrEqual(14);
      expect(day.bedtime).toBeLessThan(day.wake);
      expect(day.wake).toBeLessThan(day.end);
      expect(day.meals.length).toBeGreaterThanOrEqual(moves ? 1 : 3);
      if (day.workout) expect(day.workout.end).toBeLessThan(day.end);
      const stages = stagesOf(day);
      expect(stages.map(({ start }) => start).slice(1)).toEqual(stages.map(({ end }) => end).slice(0, -1));
      expect(stages.at(-1)?.end).toBe(Math.floor(day.wake / 1_000));
      expect(new Set(stages.map(({ value }) => value))).toEqual(new Set([1, 2, 3, 4]));
    }
  }
});

test('a day depends on the person and the date alone', () => {
  const [one, other] = PEOPLE as [(typeof PEOPLE)[number], (typeof PEOPLE)[number]];
  const comparable = (day: DemoDay): unknown => ({ ...day, offsetAt: day.offsetAt(day.wake), stages: stagesOf(day) });
  for (const date of DATES) expect(comparable(demoDay({ ...one }, date))).toEqual(comparable(demoDay(one, date)));
  expect(comparable(demoDay(other, '2026-10-07'))).not.toEqual(
    comparable(demoDay({ ...other, id: one.id }, '2026-10-07')),
  );
});

test('heart rates and glucose are those of a living person', () => {
  for (const day of PEOPLE.flatMap(daysOf)) {
    const moments = Array.from({ length: 48 }, (_, n) => day.start + n * 1_800_000).filter((at) => at < day.end);
    for (const at of moments) {
      expect(heartRateAt(day, at)).toBeGreaterThan(40);
      expect(heartRateAt(day, at)).toBeLessThan(190);
      expect(glucoseAt(day, at)).toBeGreaterThan(3.5);
      expect(glucoseAt(day, at)).toBeLessThan(14);
    }
    expect(illnessOn(day.user, day.date)).toBe(day.illness);
  }
});
