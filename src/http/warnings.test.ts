import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { makeUser } from '../../test/factories.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await makeUser(app.team);
});
afterAll(() => app.close());

test('a streamed response makes Node warn of nothing: the log of a process holds only its own lines', async () => {
  const warnings: string[] = [];
  const note = ({ message }: Error): number => warnings.push(message);
  process.on('warning', note);
  for (const accept of ['gzip', 'identity']) {
    const headers = { 'accept-encoding': accept };
    const { status } = await app.api(
      'GET',
      `/v1/org/${app.team.org_id}/team/${app.team.id}/sandbox/export`,
      undefined,
      { headers },
    );
    expect(status).toBe(200);
  }
  await new Promise(setImmediate); // Node emits a warning in the next tick
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
