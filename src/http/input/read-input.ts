import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { cursorProblem, invalidCursor } from '../../db/cursor.ts';
import { InvalidRequest, TransportError, type Problem } from '../error-response.ts';
import type { Operation } from '../../operation/operation.ts';
import { isBatch, jsonOf } from '../../operation/media.ts';
import { itemReader, UnreadBatch } from './batch-body.ts';
import { cursorCheck } from './cursors.ts';
import { readForm } from './form-body.ts';
import { Unread } from './json-body.ts';
import { readParams, readQuery } from './read-parameters.ts';
import { readLines } from './stream-body.ts';
import { validationOf } from './validation.ts';

export type Input = { params: unknown; query: unknown; body: unknown };

const NO_STREAM: Problem = { type: 'missing', loc: ['body'], msg: 'Field required' };

const LONGEST_KEY = 255;
const KEY_TOO_LONG: Problem = {
  type: 'string_too_long',
  loc: ['header', 'x-idempotency-key'],
  msg: `String should have at most ${LONGEST_KEY} characters`,
};

const UNKNOWN_CACHING: Problem = {
  type: 'literal_error',
  loc: ['header', 'x-idempotency-error'],
  msg: "Input should be 'no-cache'",
};

/**
 * Returns a function that reads and checks the whole input of a request. It compiles the validation at the first
 * request. It reads a batch with pauses.
 */
export function inputReader(
  operation: Operation,
): (request: FastifyRequest, idempotencyKey: string | null, pause?: () => Promise<void>) => Promise<Input> {
  const { params, query, body: kind } = operation;
  const many = isBatch(kind) ? kind : null;
  const body = many ? many.outline : jsonOf(kind);
  const mayBeLeftOut = [(body as { type?: string | string[] } | undefined)?.type].flat().includes('null');
  const readItems = many && itemReader(many.item);
  const wrongCursors = cursorCheck({ query, body });

  return async (request, idempotencyKey, pause) => {
    const input: Record<string, unknown> = {};
    // A path with an empty parameter is a different path, and that path does not exist.
    if (Object.values(request.params as Record<string, string>).includes(''))
      throw new TransportError('route_not_found');
    if (params) input['path'] = readParams(params, request.params as Record<string, string>);
    if (query) input['query'] = readQuery(query, request.query as Record<string, string>);
    const sent = request.body instanceof UnreadBatch ? await request.body.read() : request.body;
    const unread = sent instanceof Unread ? sent.problem : null;
    if (body && !unread && (sent !== undefined || mayBeLeftOut)) input['body'] = sent ?? null;
    let problems = validationOf(operation, { path: params, query, body })(input);
    if (readItems && !unread && !problems.some(({ loc }) => loc[0] === 'body')) {
      const { values, problems: further } = await readItems(sent as unknown[], pause);
      input['body'] = values;
      problems = [...problems, ...further];
    }
    if (unread) problems = [...problems.filter((problem) => problem.loc[0] !== 'body'), unread];
    if (idempotencyKey !== null && idempotencyKey.length > LONGEST_KEY) problems = [...problems, KEY_TOO_LONG];
    if (!['no-cache', '', undefined].includes(request.headers['x-idempotency-error'] as string | undefined)) {
      problems = [...problems, UNKNOWN_CACHING];
    }
    if (kind && !body && sent === undefined) problems = [...problems, NO_STREAM];
    const ofCursors = wrongCursors(input).map(cursorProblem);
    if (problems.length > 0) throw new InvalidRequest([...problems, ...ofCursors]);
    if (ofCursors.length > 0) throw invalidCursor(ofCursors);
    return { params: input['path'], query: input['query'], body: body ? input['body'] : streamOf(request, kind) };
  };
}

function streamOf({ body, headers }: FastifyRequest, kind: Operation['body']): unknown {
  if (kind === undefined || !('media' in kind)) return undefined;
  if (kind.media === 'multipart') return readForm(headers['content-type'] ?? '', body as Readable, kind);
  return kind.media === 'ndjson' ? readLines(body as Readable, kind.item) : body;
}
