// The packed client in an empty project, as somebody installs it.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const compiler = resolve('packages/client/node_modules/typescript/bin/tsc');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phial-client-'));
  const { stdout } = await run(process.execPath, ['bin/pack-client.mjs', folder]);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await run('npm', ['install', '--no-audit', '--no-fund', stdout.trim()], { cwd: folder });
});
afterAll(() => rm(folder, { recursive: true }));

const program = `
import { itemsOf, openPhial, pagesOf, PhialError, unwrap, verifyWebhook } from '@phial/client';

const phial = openPhial({ baseUrl: 'http://127.0.0.1:1', apiKey: 'key', retries: 0 });
export const readUser = async (user_id: string): Promise<string> => {
  const user = await unwrap(phial.GET('/v2/user/{user_id}', { params: { path: { user_id } } }));
  return user.client_user_id;
};
export async function listOrders(): Promise<string[]> {
  const ids = [];
  const pages = pagesOf((next) => unwrap(phial.GET('/v3/orders', { params: { query: next } })));
  for await (const order of itemsOf(pages, 'orders')) ids.push(order.id);
  return ids;
}
export function orderOf(body: string, headers: Headers): string | null {
  const event = verifyWebhook(body, headers, 'whsec_c2VjcmV0');
  return event.event_type === 'labtest.order.updated' ? event.data.status : null;
}
// The compiler reports an expected error that is none.
// @ts-expect-error the path does not exist
void (() => phial.GET('/v2/users'));
// @ts-expect-error the body lacks what the operation requires
void (() => phial.POST('/v2/user', { body: {} }));
void (async () => {
  const { error } = await phial.GET('/v2/events', {});
  // @ts-expect-error the operation has no such code
  return error?.code === 'order_not_cancellable';
});
const failed = await readUser('01940000-0000-7000-8000-000000000001').catch((error: unknown) => error);
console.log(failed instanceof PhialError ? failed.code : failed instanceof Error ? failed.message : failed);
`;

test('type-checks without types of Node, refuses what the interface does not have, and runs', async () => {
  await writeFile(join(folder, 'program.ts'), program);
  const compilerOptions = {
    strict: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    skipLibCheck: false,
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  const compiled = run(process.execPath, [compiler], { cwd: folder });
  expect(await compiled.catch((error: { stdout: string }) => error)).toEqual({ stdout: '', stderr: '' });
  const { stdout } = await run(process.execPath, ['program.js'], { cwd: folder });
  expect(stdout).toBe('fetch failed\n');
});

test('npm does not pack the sources, which no program could import', async () => {
  const packed = run('npm', ['pack', '--dry-run', '--ignore-scripts=false'], { cwd: 'packages/client' });
  await expect(packed).rejects.toMatchObject({ stderr: expect.stringContaining('Run npm run client:pack') as string });
});
