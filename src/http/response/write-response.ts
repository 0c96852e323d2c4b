import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import fastJsonStringify from 'fast-json-stringify';
import type { FastifyReply } from 'fastify';
import type { Operation } from '../../operation/operation.ts';
import type { Attachment, BrowserResponse, Cookie } from '../../operation/media.ts';
import { hasPlainHost, urlOrNull } from '../../wire/text.ts';
import { layout } from '../../operation/html-page.ts';
import { bodyOf, textOf } from './serializer.ts';

/**
 * A response as we send it. For an idempotency key we can store only text. So JSON and pages are text unless the method
 * is GET.
 */
export type HttpResponse = { status: number; body: string | Buffer | Readable; headers?: Record<string, string> };

const TYPES = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  pdf: 'application/pdf',
  html: 'text/html; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  fhir: 'application/fhir+json; charset=utf-8',
};

type Page = Extract<BrowserResponse, { html: string }>;

/** The status of a response to work that is not done yet. */
const ACCEPTED = 202;

/**
 * The Content-Security-Policy of a picture. If a person opens an SVG directly, the browser shows it as a page. With
 * this policy the page runs no script and loads nothing.
 */
const NO_SCRIPT = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/**
 * Returns true if a Content-Security-Policy can name this origin. A host that contains `;` or `,` would end the
 * directive or the policy, and could add one of its own.
 */
function isNameable(origin: string): boolean {
  const url = urlOrNull(origin);
  return url !== null && hasPlainHost(url);
}

/**
 * The headers of a page for people. The page runs no script, and loads only pictures of our own host. Other sites do
 * not learn its URL, and no site can show it in a frame.
 */
const pageHeaders = ({ style, hasForm, formLeadsTo = [] }: Omit<Page, 'html'>): Record<string, string> => ({
  'content-type': TYPES.html,
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; img-src 'self'; ` +
    `base-uri 'none'; form-action ${hasForm ? ["'self'", ...formLeadsTo.filter(isNameable)].join(' ') : "'none'"}; ` +
    "frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
});

/**
 * Returns the page for a refused link. The page is the same for every reason. `askAgainAt` is the page on which people
 * ask for a new link, if there is one.
 */
export function refusedLinkPage(
  status: number,
  askAgainAt: string | null,
): { status: number; headers: Record<string, string>; body: string } {
  const { html, style } = layout(
    'This link does not open',
    askAgainAt === null
      ? '<p>It may be too old or incomplete. Ask for a new one where you got it. You can close this page.</p>'
      : '<p>It may be too old, incomplete or used already. A link works once.</p>' +
          `<p><a href="${askAgainAt}">Ask for a new link</a></p>`,
  );
  return { status, headers: pageHeaders({ style }), body: html };
}

function browserResponse(result: BrowserResponse): HttpResponse {
  if ('html' in result) return { status: 200, body: result.html, headers: pageHeaders(result) };
  const { redirect, cookie } = result;
  return {
    status: 302,
    body: '',
    headers: {
      location: redirect,
      'referrer-policy': 'no-referrer',
      ...(cookie ? { 'set-cookie': textOfCookie(cookie) } : {}),
    },
  };
}

/**
 * Returns a response for a file that someone sent us. With these headers, no content of the file runs or loads
 * anything, and no cache stores it.
 */
const attachmentResponse = ({ content_type, name, content }: Attachment): HttpResponse => ({
  status: 200,
  body: content,
  headers: {
    'content-type': content_type,
    'content-disposition': `attachment; filename="${name}"`,
    'content-security-policy': NO_SCRIPT,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'private, no-store',
  },
});

const isAttachment = (value: unknown): value is Attachment =>
  typeof value === 'object' && value !== null && 'content_type' in value;

/**
 * Returns the text of a Set-Cookie header. Scripts cannot read the cookie. The browser also sends it when the user
 * returns to us by a link on another site.
 */
const textOfCookie = ({ name, value, seconds, secure }: Cookie): string =>
  `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;

/**
 * Returns a function that turns the result of `handle` into a response, by the declared shape. The function never sends
 * undeclared members.
 */
export function compileResponse({
  method,
  response,
  status,
}: Operation): (value: unknown) => HttpResponse | Promise<HttpResponse> {
  if (!response) return () => ({ status, body: '' });
  if (!('media' in response)) {
    const write = (method === 'GET' ? bodyOf : textOf)(response);
    return (value) => {
      const body = write(value);
      return body instanceof Promise ? body.then((body) => ({ status, body })) : { status, body };
    };
  }
  if (response.media === 'or_accepted') {
    const { schema, isDone } = response;
    const text = fastJsonStringify(schema as never);
    return (value) => {
      if (value === null) return { status: ACCEPTED, body: '' };
      return { status: isDone?.(value) === false ? ACCEPTED : status, body: text(value) };
    };
  }
  if (response.media === 'fhir') {
    const text = fastJsonStringify(response.schema as never);
    return (value) => ({ status, body: text(value) });
  }
  if (response.media === 'or_file') {
    const { schema, type } = response;
    const text = fastJsonStringify(schema as never);
    return (value) => ({
      status,
      body: Buffer.isBuffer(value) ? value : text(value),
      headers: { 'content-type': Buffer.isBuffer(value) ? type : TYPES.json, vary: 'accept' },
    });
  }
  if (response.media === 'ndjson') {
    const text = fastJsonStringify(response.item as never);
    return (value) => ({ status, body: Readable.from(lines(value as AsyncIterable<unknown>, text)) });
  }
  if (response.media === 'attachment') return (value) => attachmentResponse(value as Attachment);
  if (response.media === 'browser') return (value) => browserResponse(value as BrowserResponse);
  if (response.media === 'cookie')
    return (value) => ({ status, body: '', headers: { 'set-cookie': textOfCookie(value as Cookie) } });
  if (response.media === 'pdf') {
    return (value) => (isAttachment(value) ? attachmentResponse(value) : { status, body: value as Buffer | Readable });
  }
  return (value) => ({ status, body: value as string });
}

async function* lines(values: AsyncIterable<unknown>, text: (value: unknown) => string): AsyncIterable<string> {
  for await (const value of values) yield `${text(value)}\n`;
}

/** Sends a response. If a stream fails halfway, we cut the connection, because we have already sent the status. */
export function send(
  reply: FastifyReply,
  { response }: Operation,
  { status, body, headers }: HttpResponse,
): FastifyReply {
  reply.code(status);
  if (headers) return reply.headers(headers).send(body);
  // This body is a refusal that we stored for an idempotency key.
  if (status >= 400) return reply.type(TYPES.json).send(body);
  if (!response) return reply.send();
  const media = 'media' in response && response.media !== 'or_accepted' ? response.media : 'json';
  if (status === ACCEPTED && body === '') return reply.send();
  if (media === 'redirect') return reply.header('location', body as string).send();
  if (media === 'svg')
    reply.header('cache-control', 'public, max-age=86400').header('content-security-policy', NO_SCRIPT);
  if (response && 'media' in response && response.media === 'pdf')
    reply
      .header('cache-control', 'private, no-store')
      .header('content-disposition', `inline; filename="${response.name}.pdf"`)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer');
  return reply.type(TYPES[media as keyof typeof TYPES]).send(body);
}
