import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { query } from '../../test/global-setup.ts';
import { dropExpiredAudit } from '../audit/partitions.ts';
import { refuseIfClockIsOff } from './clock.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const offBy = (seconds: number) => (): number => Date.now() + seconds * 1000;

describe('work that destroys data by age', () => {
  test.each([0, 50, -50])('runs where the clocks differ by %d seconds', async (seconds) => {
    await expect(refuseIfClockIsOff(app.ctx, offBy(seconds))).resolves.toBeUndefined();
  });

  test.each([70, -70, 86_400, -86_400, NaN])('is refused where the clocks differ by %d seconds', async (seconds) => {
    await expect(refuseIfClockIsOff(app.ctx, offBy(seconds))).rejects.toThrow('differ by');
  });

  test('is also refused to the owner of the audit log, who drops its oldest months', async () => {
    const months = (): Promise<unknown[]> =>
      query(app.databaseUrl, "select inhrelid from pg_inherits where inhparent = 'audit_log'::regclass");
    await query(app.databaseUrl, "select ensure_audit_partitions('2015-01-01', '2015-01-01')");
    const before = await months();
    await expect(dropExpiredAudit(app.databaseUrl, 6, offBy(-70))).rejects.toThrow('differ by');
    expect(await months()).toEqual(before);
    expect(await dropExpiredAudit(app.databaseUrl, 6)).toBe(1);
  });

  test('runs where only the answer took long', async () => {
    const times = [Date.now(), Date.now() + 120_000];
    await expect(refuseIfClockIsOff(app.ctx, () => times.shift() as number)).resolves.toBeUndefined();
  });
});
