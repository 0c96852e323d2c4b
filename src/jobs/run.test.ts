import { parseCrontab } from 'graphile-worker';
import { expect, test } from 'vitest';
import { crontab, jobs } from './run.ts';

test('payloads of background work hold ids and whole numbers only', () => {
  const others = jobs.flatMap(({ name, payload }) =>
    Object.entries(payload.properties as Record<string, { type?: string; format?: string }>)
      .filter(([, { type, format }]) => type !== 'integer' && format !== 'uuid')
      .map(([key]) => `${name} ${key}`),
  );
  expect(others).toEqual([]);
});

test('the crontab names each job that runs by itself, with its payload', () => {
  const items = parseCrontab(crontab);
  expect(items.map(({ task, payload }) => [task, payload])).toEqual(
    jobs.flatMap(({ name, cron }) => (cron ? [[name, cron.payload]] : [])),
  );
  expect(items.length).toBeGreaterThan(2);
});
