import { readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventTypes } from '../event-types.ts';
import { operations } from '../operations.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';

type Loaded = { status: number; headers: Record<string, unknown>; html: string; bytes: number };

let app: TestApp;
/** Every page that a reader reaches from /docs by links, by its path. */
const pages = new Map<string, Loaded>();

beforeAll(async () => {
  app = await startTestApp();
  await follow('/docs');
});
afterAll(() => app.close());

async function load(path: string): Promise<Loaded> {
  const { statusCode, headers, body } = await request(app.baseUrl + path, { headers: { 'accept-encoding': 'br' } });
  const bytes = Buffer.from(await body.arrayBuffer());
  const html = (headers['content-encoding'] === 'br' ? brotliDecompressSync(bytes) : bytes).toString();
  return { status: statusCode, headers, html, bytes: bytes.length };
}

/** The addresses of links, as a browser resolves them: they are relative to the page. */
const linksOf = (path: string, html: string): string[] =>
  [...(html.startsWith('<!doctype') ? html : '').matchAll(/ (?:href|src)="([^"]*)"/g)]
    .map(([, to]) => (to as string).replaceAll('&amp;', '&'))
    .map((to) => {
      if (!URL.canParse(to, `http://phial${path}`)) throw new Error(`${path} has the link ${to}.`);
      return new URL(to, `http://phial${path}`);
    })
    .filter(({ host }) => host === 'phial')
    .map(({ pathname, hash }) => pathname + hash);

async function follow(start: string): Promise<void> {
  const waiting = [start];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue;
    const loaded = await load(path);
    pages.set(path, loaded);
    if (!String(loaded.headers['content-type']).startsWith('text/html')) continue;
    const linked = linksOf(path, loaded.html).map((to) => to.split('#')[0] as string);
    // Hundreds of schemas have the same form. The list links to all of them.
    waiting.push(...(path === '/docs/schemas' ? linked.slice(0, 100) : linked));
  }
}

const html = (path: string): string => pages.get(path)?.html ?? '';

test('leads to a page for each operation, event and guide, and each link of a page to a page and its heading', () => {
  const shown = [
    ...operations.filter(({ alias }) => !alias).map(({ id }) => `/docs/operations/${id}`),
    ...eventTypes.map(({ name }) => `/docs/events/${name}`),
    ...['guides', 'operate'].flatMap((folder) =>
      readdirSync(`docs/${folder}`)
        .filter((name) => name !== 'README.md')
        .map((name) => `/docs/${folder}/${name.replace('.md', '')}`),
    ),
  ];
  expect(shown.filter((path) => pages.get(path)?.status !== 200)).toEqual([]);
  expect([...pages].filter(([, { status }]) => status !== 200)).toEqual([]);
  const broken = [...pages].flatMap(([path, page]) =>
    linksOf(path, page.html)
      .filter((to) => to.includes('#') && !html(to.split('#')[0] as string).includes(` id="${to.split('#')[1]}"`))
      .map((to) => `${path}: ${to}`),
  );
  expect([...new Set(broken)]).toEqual([]);
});

test('needs less than 100 kB for its first page with the search, and less than 40 kB for any other page', () => {
  const loaded = ['/docs', '/docs/page.css', '/docs/page.js'].map((path) => pages.get(path)?.bytes ?? Infinity);
  const search = pages.get('/docs/search.json')?.bytes ?? 0;
  expect(loaded.reduce((sum, bytes) => sum + bytes, search)).toBeLessThan(100_000);
  const isImage = ({ headers }: Loaded): boolean => String(headers['content-type']).startsWith('image/');
  const others = [...pages].filter(([path, page]) => path.startsWith('/docs/') && !isImage(page));
  expect(others.filter(([, { bytes }]) => bytes > 40_000).map(([path, { bytes }]) => [path, bytes])).toEqual([]);
});

test('has no inline script or style, and a policy that allows none', () => {
  for (const [path, { headers, html: text }] of pages) {
    if (!String(headers['content-type']).startsWith('text/html')) continue;
    expect(headers['content-security-policy'], path).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'/,
    );
    expect(headers['content-security-policy'], path).not.toMatch(/\*|https?:|unsafe/);
    expect(text.replaceAll(/<pre[^]*?<\/pre>/g, ''), path).not.toMatch(
      /<style|\sstyle=|\son\w+=|<script(?! src="[^"]*" defer><)/,
    );
  }
});

test('keeps script and style for ever under an address with their hash', () => {
  const page = html('/docs');
  for (const file of ['page.css', 'page.js']) {
    expect(page).toMatch(new RegExp(`"docs/${file.replace('.', '\\.')}\\?[0-9a-f]{12}"`));
    expect(pages.get(`/docs/${file}`)?.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  }
});

test('shows of an operation what it needs, its body, its answer, its refusals, curl and the client', () => {
  const page = html('/docs/operations/create_user');
  expect(page).toContain('<h1>Create a user</h1>');
  expect(page).toContain('Needs a team API key with the scope <code>users</code>, or an access token, or a session');
  expect(page).toContain('curl -X POST &quot;$BASE_URL/v2/user&quot;');
  expect(page).toContain('unwrap(phial.POST(&#39;/v2/user&#39;, {');
  expect(page).toContain('<code>fallback_time_zone</code>');
  expect(page).toMatch(/<a href="..\/guides\/errors-by-code#client_user_id_conflict">/);
  expect(page).toMatch(/id="status-200">200<[^]*?<code>user_id<\/code>/);
});

test('shows and serves each picture of a shown document', () => {
  const types: Record<string, string> = { '.svg': 'image/svg+xml', '.png': 'image/png' };
  const documents = ['README.md', 'docs/glossary.md'].concat(
    ['guides', 'operate'].flatMap((folder) => readdirSync(`docs/${folder}`).map((name) => `docs/${folder}/${name}`)),
  );
  const pictures = documents.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^!\[.*\]\((.*)\)$/gm)].map(([, to]) => join(dirname(file), to as string)),
  );
  expect(pictures).toContain('docs/dashboard-overview.png');
  const served = pictures.map((file) => [file, pages.get(`/${file}`)?.headers['content-type']]);
  expect(served).toEqual(pictures.map((file) => [file, types[extname(file)]]));
});

test('answers 404 where there is no page, also outside of its folder', async () => {
  for (const path of ['/docs/operations/none', '/docs/guides/..%2F..%2Fpackage.json', '/docs/page.ts', '/docs/x//']) {
    const { status, html: text } = await load(path);
    expect([path, status, (JSON.parse(text) as { code: string }).code]).toEqual([path, 404, 'route_not_found']);
  }
});

test('has the same page at /docs/ with links that lead to the same addresses', async () => {
  const { status, html: text } = await load('/docs/');
  expect(status).toBe(200);
  const linked = (path: string, page: string): string[] => linksOf(path, page).filter((to) => !to.endsWith('#main'));
  expect(linked('/docs/', text)).toEqual(linked('/docs', html('/docs')));
});
