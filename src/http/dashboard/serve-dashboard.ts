import { randomBytes } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { hasDashboard, NO_DASHBOARD } from '../../package-root.ts';
import { TransportError } from '../error-response.ts';
import { serveText } from '../response/serve-text.ts';

const TYPES = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml; charset=utf-8'],
]);

/** The name of a file contains a hash of its text. */
const FOR_EVER = 'public, max-age=31536000, immutable';
/** The build writes this text where the nonce of a response belongs. */
const NONCE_PLACEHOLDER = 'NONCE_OF_RESPONSE';

/**
 * No script but our files, and no request to another host. The nonce lets in the style elements of the component
 * library. Documents of orders are shown in frames, from memory.
 */
const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    'frame-src blob:',
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

const PATHS = ['/dashboard', '/dashboard/*'];

/**
 * Serves the built dashboard from `folder`. Each path below /dashboard that is no file answers the page, whose script
 * then shows what the path names. Without a build the paths are unknown, and the answer says so: links lead to them.
 */
export function registerDashboard(server: FastifyInstance, folder: string): void {
  const indexFile = join(folder, 'index.html');
  if (!hasDashboard(folder)) {
    for (const path of PATHS)
      server.get(path, () => {
        throw new TransportError('route_not_found', NO_DASHBOARD);
      });
    return;
  }
  const [page = '', ...rest] = readFileSync(indexFile, 'utf8').split(NONCE_PLACEHOLDER);
  for (const name of readdirSync(join(folder, 'assets'))) {
    const file = join(folder, 'assets', name);
    serveText(server, `/dashboard/assets/${name}`, {
      type: TYPES.get(extname(name)) ?? 'application/octet-stream',
      cacheControl: FOR_EVER,
      read: () => readFile(file),
      asIs: () => createReadStream(file),
    });
  }
  for (const path of PATHS)
    server.get(path, async (request, reply) => {
      // A file of another version. The page would be no script.
      if (request.url.startsWith('/dashboard/assets/')) throw new TransportError('route_not_found');
      const nonce = randomBytes(16).toString('base64');
      return reply
        .headers({
          'content-security-policy': policy(nonce),
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cross-origin-opener-policy': 'same-origin',
        })
        .type('text/html; charset=utf-8')
        .send([page, ...rest].join(nonce));
    });
}
