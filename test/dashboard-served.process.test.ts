import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../src/package-root.ts';
import { startTestApp, type TestApp } from './test-app.ts';

const ASSETS = readdirSync(join(PACKAGE_ROOT, 'dashboard/dist/assets'));
/** What a browser may load before it shows the first page, compressed. */
const FIRST_LOAD_BYTES = 250_000;

describe('the service serves the dashboard', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.close());
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await request(app.baseUrl + path, { headers });
    return { ...response, bytes: Buffer.from(await response.body.arrayBuffer()) };
  };

  test.each(['/dashboard', '/dashboard/', '/dashboard/orders/of-any-id?status=open'])(
    'as a page at %s',
    async (path) => {
      const { statusCode, headers, bytes } = await get(path);
      expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
        200,
        'text/html; charset=utf-8',
        'no-store',
      ]);
      expect(bytes.toString()).toContain('<div id="app">');
    },
  );

  test('with a policy that lets in no inline script, no other host and no frame around it', async () => {
    const { headers } = await get('/dashboard');
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ]),
    );
    expect(policy.join(' ')).not.toContain('unsafe');
  });

  test('with another nonce for its styles in each response', async () => {
    const nonceOf = async (): Promise<string> => {
      const { headers, bytes } = await get('/dashboard');
      const [, nonce = ''] = /style-src 'self' 'nonce-([^']+)'/.exec(String(headers['content-security-policy'])) ?? [];
      expect(bytes.toString()).toContain(`<meta property="csp-nonce" nonce="${nonce}"`);
      expect(bytes.toString()).not.toContain('NONCE');
      return nonce;
    };
    expect(await nonceOf()).not.toBe(await nonceOf());
  });

  test('with files that browsers keep for ever, and compressed', async () => {
    const script = ASSETS.find((name) => /^index-.*\.js$/.test(name)) as string;
    const { statusCode, headers, bytes } = await get(`/dashboard/assets/${script}`, { 'accept-encoding': 'br' });
    expect([statusCode, headers['content-type'], headers['content-encoding'], headers['cache-control']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'br',
      'public, max-age=31536000, immutable',
    ]);
    expect(bytes.length).toBeGreaterThan(10_000);
  });

  test('without a page in the place of a file of another version', async () => {
    const { statusCode, headers } = await get('/dashboard/assets/index-of-yesterday.js');
    expect([statusCode, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
  });

  test('to GET and HEAD only', async () => {
    expect((await request(`${app.baseUrl}/dashboard`, { method: 'HEAD' })).statusCode).toBe(200);
    expect((await request(`${app.baseUrl}/dashboard`, { method: 'POST' })).statusCode).toBe(405);
  });

  test(`with at most ${FIRST_LOAD_BYTES / 1000} kB of compressed script before the overview shows`, async () => {
    const { bytes } = await get('/dashboard');
    const [entry = ''] = /(?<=src=")[^"]+\.js/.exec(bytes.toString()) ?? [];
    const overview = ASSETS.find((name) => name.startsWith('overview-') && name.endsWith('.js')) as string;
    const loaded = await withImports([entry, `/dashboard/assets/${overview}`]);
    let total = 0;
    for (const path of loaded) total += (await get(path, { 'accept-encoding': 'br' })).bytes.length;
    expect(total).toBeGreaterThan(50_000);
    expect(total).toBeLessThanOrEqual(FIRST_LOAD_BYTES);
  });

  /** Scripts and everything that they import, except what they import later. */
  async function withImports(paths: string[]): Promise<Set<string>> {
    const found = new Set<string>();
    const waiting = [...paths];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (found.has(path)) continue;
      found.add(path);
      const text = (await get(path)).bytes.toString();
      for (const [, name] of text.matchAll(/\bimport\s*(?:[^'"`();]*?from\s*)?["']\.\/([\w.-]+\.js)["']/g))
        waiting.push(`/dashboard/assets/${name}`);
    }
    return found;
  }
});
