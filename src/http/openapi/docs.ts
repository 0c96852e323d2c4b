import type { FastifyInstance } from 'fastify';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { serveText } from '../response/serve-text.ts';
import { pageDocument } from './page-document.ts';

const require = createRequire(import.meta.url);

/**
 * Options of Scalar, the script that shows the OpenAPI document. With them the page loads nothing from other hosts and
 * links to none.
 */
const CONFIGURATION = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  documentDownloadType: 'direct',
  defaultOpenAllTags: false,
  authentication: { preferredSecurityScheme: 'team_key' },
  orderSchemaPropertiesBy: 'preserve',
  operationTitleSource: 'summary',
};

// URLs are relative to the page. So they also work behind a proxy that adds a path.
const START = `const base = location.href.replace(/docs\\/?([?#].*)?$/, '');
Scalar.createApiReference('#app', {
  url: new URL('docs/openapi.json', base).href,
  servers: [{ url: base.replace(/\\/$/, '') }],
  ...${JSON.stringify(CONFIGURATION)},
});`;

/** @param root the relative path from the page to the root of the service */
const page = (root: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Phial API</title>
</head>
<body>
<div id="app"></div>
<script src="${root}docs/reference.js"></script>
<script>${START}</script>
</body>
</html>
`;

const POLICY = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${createHash('sha256').update(START).digest('base64')}'`,
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Clients may cache the document, and must revalidate it before each use. */
const ASK_EACH_TIME = 'public, no-cache';

/**
 * Serves the OpenAPI document and the reference page. We wrote the page ourselves, because the plugin of the Scalar
 * package redirects /docs. We read Scalar's script only when a client requests it. An import would make every start
 * slower, and would keep 4 MB in memory.
 */
export function registerDocs(server: FastifyInstance, documentText: () => string): void {
  let document: Buffer | undefined;
  let shown: Buffer | undefined;
  const readDocument = (): Buffer => (document ??= Buffer.from(documentText()));
  const readShown = (): Buffer => (shown ??= Buffer.from(pageDocument(readDocument().toString())));
  const json = { type: 'application/json; charset=utf-8', cacheControl: ASK_EACH_TIME };
  serveText(server, '/openapi.json', { ...json, read: readDocument, asIs: readDocument });
  serveText(server, '/docs/openapi.json', { ...json, read: readShown, asIs: readShown });
  serveText(server, '/docs/reference.js', {
    type: 'text/javascript; charset=utf-8',
    cacheControl: 'public, max-age=3600',
    read: () => readFile(scriptFile()),
    asIs: () => createReadStream(scriptFile()),
  });
  for (const [path, root] of [
    ['/docs', ''],
    ['/docs/', '../'],
  ] as const)
    server.get(path, async (_request, reply) =>
      reply
        .headers({
          'content-security-policy': POLICY,
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
        })
        .type('text/html; charset=utf-8')
        .send(page(root)),
    );
}

function scriptFile(): string {
  const entry = require.resolve('@scalar/fastify-api-reference');
  return join(dirname(entry), 'js', 'standalone.js');
}
