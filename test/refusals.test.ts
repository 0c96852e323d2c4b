// An operation declares its refusals: tests fail for any other code, and a running service logs it for its operator.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../src/operations.ts';
import { AppError } from '../src/errors.ts';
import { openApp, type App } from '../src/http/app.ts';
import { CODES } from '../src/http/error-response.ts';
import { declaredCodes } from '../src/http/response/declared-codes.ts';
import { operation } from '../src/operation/operation.ts';
import { openMetrics } from '../src/metrics.ts';
import { openLog } from '../src/log.ts';
import { startTestApp, type TestApp } from './test-app.ts';

const declared = operation({
  id: 'refuse',
  method: 'GET',
  path: '/refuse',
  tag: 'test',
  summary: 'For a test',
  auth: 'none',
  handle: async () => {
    throw new AppError('unknown_payor', 'There is no such payor.');
  },
});

let service: TestApp;
let app: App;
const log: string[] = [];
beforeAll(async () => {
  service = await startTestApp();
  const ctx = { ...service.ctx, log: openLog('info', { write: (line: string) => void log.push(line) } as never) };
  app = openApp(ctx, [declared], openMetrics());
  await app.server.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await app.server.close();
  await service.close();
});

test('a refusal that its operation does not declare is answered, and logged as an error', async () => {
  const { port } = app.server.addresses()[0] as { port: number };
  const response = await fetch(`http://127.0.0.1:${port}/refuse`);
  expect([response.status, await response.json()]).toMatchObject([400, { code: 'unknown_payor' }]);
  const lines = log.map((line) => JSON.parse(line) as { level: number; operation?: string; code?: string });
  expect(lines).toContainEqual(expect.objectContaining({ level: 50, operation: 'refuse', code: 'unknown_payor' }));
});

test('some operation can answer with each code, except those of commands and of paths with another method', () => {
  const declared = new Set(operations.flatMap((each) => [...declaredCodes(each)]));
  expect(CODES.filter((code) => !declared.has(code)).toSorted()).toEqual(['method_not_allowed']);
});
