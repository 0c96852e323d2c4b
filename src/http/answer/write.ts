import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import fastJsonStringify from 'fast-json-stringify';
import type { FastifyReply } from 'fastify';
import type { Endpoint } from '../endpoint.ts';
import type { Attachment, BrowserAnswer, Cookie } from '../media.ts';
import { hasPlainHost, urlOrNull } from '../../wire/text.ts';
import { layout } from '../page.ts';
import { bodyOf, textOf } from './serializer.ts';

/** What is sent. JSON and pages of all but GET are text, so that they can be kept for an idempotency key. */
export type Answer = { status: number; body: string | Buffer | Readable; headers?: Record<string, string> };

const TYPES = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  pdf: 'application/pdf',
  html: 'text/html; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  fhir: 'application/fhir+json; charset=utf-8',
};

type Page = Extract<BrowserAnswer, { html: string }>;

/** Of work that is done later. */
const ACCEPTED = 202;

/** A picture that is opened by itself is a page: nothing in it may run or load. */
const NO_SCRIPT = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** What a Content-Security-Policy can name: a host with `;` or `,` in it would end its directive, or the policy. */
function isNameable(origin: string): boolean {
  const url = urlOrNull(origin);
  return url !== null && hasPlainHost(url);
}

/** Of pages for people: nothing runs, nothing is loaded from elsewhere, nobody learns their address or frames them. */
const pageHeaders = ({ style, hasForm, formLeadsTo = [] }: Omit<Page, 'html'>): Record<string, string> => ({
  'content-type': TYPES.html,
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; img-src 'self'; ` +
    `base-uri 'none'; form-action ${hasForm ? ["'self'", ...formLeadsTo.filter(isNameable)].join(' ') : "'none'"}; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
});

/** What is wrong with a link, for the person who opened it: the same whatever it is. */
export function refusedLinkPage(status: number): { status: number; headers: Record<string, string>; body: string } {
  const { html, style } = layout(
    'This link does not open',
    '<p>It may be too old, or not complete. Ask for another where you got it. You can close this page.</p>',
  );
  return { status, headers: pageHeaders({ style }), body: html };
}

function browserAnswer(answer: BrowserAnswer): Answer {
  if ('html' in answer) return { status: 200, body: answer.html, headers: pageHeaders(answer) };
  const { redirect, cookie } = answer;
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

/** Whatever is in it, it neither runs nor loads anything, and nobody keeps it on the way. */
const attachmentAnswer = ({ content_type, name, content }: Attachment): Answer => ({
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

/** Out of the reach of scripts, and sent along when the user comes back from another site by a link. */
const textOfCookie = ({ name, value, path, seconds, secure }: Cookie): string =>
  `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;

/** Turns what `handle` gives back into what is sent, by the declared shape: what is not declared never leaves. */
export function compileAnswer({ method, response, status }: Endpoint): (value: unknown) => Answer | Promise<Answer> {
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
  if (response.media === 'attachment') return (value) => attachmentAnswer(value as Attachment);
  if (response.media === 'browser') return (value) => browserAnswer(value as BrowserAnswer);
  if (response.media === 'pdf') {
    return (value) => (isAttachment(value) ? attachmentAnswer(value) : { status, body: value as Buffer | Readable });
  }
  return (value) => ({ status, body: value as string });
}

async function* lines(values: AsyncIterable<unknown>, text: (value: unknown) => string): AsyncIterable<string> {
  for await (const value of values) yield `${text(value)}\n`;
}

/** Sends an answer of the operation. A stream that fails half way cuts the connection: the status has left already. */
export function send(reply: FastifyReply, { response }: Endpoint, { status, body, headers }: Answer): FastifyReply {
  reply.code(status);
  if (headers) return reply.headers(headers).send(body);
  // A refusal that was kept for an idempotency key.
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
