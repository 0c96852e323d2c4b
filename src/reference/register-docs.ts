import type { FastifyInstance } from 'fastify';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TransportError } from '../http/error-response.ts';
import { serveText, textHandler } from '../http/response/serve-text.ts';
import { PACKAGE_ROOT } from '../package-root.ts';
import type { Document } from './document.ts';
import { readPicture, type Picture } from './pictures.ts';
import { searchRows } from './search-rows.ts';
import { openSite, type Site } from './site.ts';

/** No inline script, no inline style, and no request to another host. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** Clients may cache a text, and must revalidate it before each use. */
const ASK_EACH_TIME = 'public, no-cache';
/** The address has the hash of the text, so it never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable';

const ASSETS = { style: ['page.css', 'text/css'], script: ['page.js', 'text/javascript'] } as const;

/**
 * Serves the OpenAPI document, and the reference: a page for each operation, event, schema and guide. We make a page
 * when a client first requests it, and then keep it compressed. Its script is for search and copying only.
 */
export function registerDocs(server: FastifyInstance, documentText: () => string): void {
  const readDocument = once(() => Buffer.from(documentText()));
  const json = { type: 'application/json; charset=utf-8', cacheControl: ASK_EACH_TIME };
  serveText(server, '/openapi.json', { ...json, read: readDocument, asIs: readDocument });

  const site = once(() => openSite(JSON.parse(readDocument().toString()) as Document, addresses()));
  for (const [file, type] of Object.values(ASSETS)) {
    const read = (): Buffer => readFileSync(assetFile(file));
    const headers = { 'x-content-type-options': 'nosniff' };
    const of = { type: `${type}; charset=utf-8`, cacheControl: FOR_EVER, headers, read, asIs: read };
    serveText(server, `/docs/${file}`, of);
  }
  const readRows = (): Buffer => Buffer.from(JSON.stringify(searchRows(site().document)));
  serveText(server, '/docs/search.json', { ...json, read: readRows, asIs: readRows });

  // Links are relative to the page. So they also work behind a proxy that adds a path.
  const handlers = new Map<string, ReturnType<typeof textHandler>>();
  const handlerOf = (path: string, root: string): ReturnType<typeof textHandler> => {
    const key = `${root} ${path}`;
    const known = handlers.get(key);
    if (known) return known;
    const picture = site().pictures.get(path);
    if (!picture && !site().paths.has(path)) throw new TransportError('route_not_found');
    const made = picture ? pictureHandler(picture) : pageHandler(site, path, root);
    handlers.set(key, made);
    return made;
  };
  server.get('/docs', (request, reply) => handlerOf('', 'docs/')(request, reply));
  server.get<{ Params: { '*': string } }>('/docs/*', (request, reply) => {
    const path = request.params['*'];
    return handlerOf(path, '../'.repeat(path.split('/').length - 1))(request, reply);
  });
}

function pageHandler(site: () => Site, path: string, root: string): ReturnType<typeof textHandler> {
  const read = (): Buffer => Buffer.from(site().render(path, root));
  return textHandler({
    type: 'text/html; charset=utf-8',
    cacheControl: ASK_EACH_TIME,
    headers: HEADERS,
    read,
    asIs: read,
  });
}

/** A picture that is opened by itself runs nothing either. */
const PICTURE_HEADERS = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'x-content-type-options': 'nosniff',
};

function pictureHandler(picture: Picture): ReturnType<typeof textHandler> {
  const read = (): Buffer => readPicture(picture);
  return textHandler({
    type: picture.type,
    cacheControl: ASK_EACH_TIME,
    headers: PICTURE_HEADERS,
    read,
    asIs: read,
  });
}

const assetFile = (file: string): string => join(PACKAGE_ROOT, 'docs', 'page', file);

function addresses(): Record<keyof typeof ASSETS, string> {
  const address = ([file]: readonly [string, string]): string =>
    `${file}?${createHash('sha256')
      .update(readFileSync(assetFile(file)))
      .digest('hex')
      .slice(0, 12)}`;
  return { style: address(ASSETS.style), script: address(ASSETS.script) };
}

/** Returns a function that calls `make` at its first call only. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
