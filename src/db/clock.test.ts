import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/app.ts';
import { refuseIfClockIsOff } from './clock.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const offBy = (seconds: number) => (): number => Date.now() + seconds * 1000;

describe('work that destroys by age', () => {
  test.each([0, 50, -50])('goes on where the clock is %d seconds off', async (seconds) => {
    await expect(refuseIfClockIsOff(app.ctx, offBy(seconds))).resolves.toBeUndefined();
  });

  test.each([70, -70, 86_400, -86_400, NaN])('is refused where it is %d seconds off', async (seconds) => {
    await expect(refuseIfClockIsOff(app.ctx, offBy(seconds))).rejects.toThrow('differ by');
  });

  test('goes on where only the answer took long', async () => {
    const times = [Date.now(), Date.now() + 120_000];
    await expect(refuseIfClockIsOff(app.ctx, () => times.shift() as number)).resolves.toBeUndefined();
  });
});
