import { parseCrontab } from 'graphile-worker';
import { expect, test } from 'vitest';
import { openLog } from '../log.ts';
import { crontab, jobs, workerLogger } from './run-jobs.ts';

test('payloads of jobs contain only ids, whole numbers and words from lists', () => {
  const others = jobs.flatMap(({ name, payload }) =>
    Object.entries(payload.properties as Record<string, { type?: string; format?: string; enum?: string[] }>)
      .filter(([, { type, format, enum: words }]) => type !== 'integer' && format !== 'uuid' && !words)
      .map(([key]) => `${name} ${key}`),
  );
  expect(others).toEqual([]);
});

test('the crontab has each scheduled job with its payload', () => {
  const items = parseCrontab(crontab);
  expect(items.map(({ task, payload }) => [task, payload])).toEqual(
    jobs.flatMap(({ name, cron }) => (cron ? [[name, cron.payload]] : [])),
  );
  expect(items.length).toBeGreaterThan(2);
});

test('the queue reports an unavailable database once a minute, however often it tries', () => {
  const lines: string[] = [];
  const logger = workerLogger(openLog('info', { write: (line) => lines.push(line) }));
  const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
  for (const ms of [225, 431, 902])
    logger.error(`Error with notify listener (trying again in ${ms}ms): away`, { error: away });
  logger.error('PostgreSQL client generated error: away', { error: away });
  for (const id of ['17', '18'])
    logger.error(`Failed task ${id} (erase_deleted_teams)`, { error: new Error('Error 23505') });
  expect(lines).toHaveLength(3);
});
