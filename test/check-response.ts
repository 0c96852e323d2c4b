// Checks every response that a test gets against what its operation declares. It runs ten times for each test, so it
// compares by hand and uses no `expect`.
import { operations } from '../src/operations.ts';
import type { Operation } from '../src/operation/operation.ts';
import type { ErrorCode } from '../src/errors.ts';
import type { Code } from '../src/http/error-response.ts';
import { declaredCodes } from '../src/http/response/declared-codes.ts';
import { HEADERS, headersOf, headersOfShared } from '../src/http/openapi/response-headers.ts';
import { jsonOf } from '../src/operation/media.ts';
import { recordAnswer } from './record-answer.ts';
import { problemsOf } from './shapes.ts';

type Received = { status: number; headers: Headers; body: unknown };

/** Throws an error that lists what the operation does not declare, or what is missing. */
export function checkResponse(method: string, path: string, response: Received): void {
  const operation = operationAt(method, path);
  const problems = [
    ...problemsOfHeaders(response.status === 405 ? undefined : operation, response),
    ...problemsOfBody(operation, response),
  ];
  if (problems.length > 0)
    throw new Error(`${operation?.id ?? `${method} ${path.split('?')[0]}`} ${response.status}: ${problems.join('; ')}`);
  if (operation && response.status === operation.status) recordAnswer(operation.id, response.body);
}

/** A literal path wins over one with parameters, as in the router. */
const OPERATIONS = operations
  .map((operation) => ({ operation, path: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))
  .toSorted((a, b) => parametersOf(a.operation) - parametersOf(b.operation));

function parametersOf({ path }: Operation): number {
  return path.match(/\{/g)?.length ?? 0;
}

function operationAt(method: string, path: string): Operation | undefined {
  const plain = path.split('?')[0] as string;
  return OPERATIONS.find(({ operation, path }) => operation.method === method && path.test(plain))?.operation;
}

/** Headers of HTTP itself. */
const OF_HTTP = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'vary',
]);

/** Returns a problem for each header that the operation does not declare, and for each header that is missing. */
function problemsOfHeaders(operation: Operation | undefined, { status, headers }: Received): string[] {
  const declared = operation ? headersOf(operation, status) : headersOfShared(status);
  const known = new Set(declared.map((name) => name.toLowerCase()));
  const isKnown = (name: string): boolean =>
    OF_HTTP.has(name) || known.has(name) || (name === 'cache-control' && headers.get(name) === 'no-store');
  return [
    ...[...headers.keys()].filter((name) => !isKnown(name)).map((name) => `does not declare the header ${name}`),
    ...declared.filter((name) => 'required' in HEADERS[name] && !headers.has(name)).map((name) => `lacks ${name}`),
  ];
}

function problemsOfBody(operation: Operation | undefined, response: Received): string[] {
  const shown = operation?.response;
  if (shown && 'media' in shown && shown.media === 'browser') return [];
  const isSuccess = response.status >= 200 && response.status < 300;
  if (!isSuccess) return problemsOfRefusal(operation, response);
  return operation ? problemsOfSuccess(operation, response) : ['no operation is declared'];
}

function problemsOfSuccess(operation: Operation, { status, body }: Received): string[] {
  const { response } = operation;
  const accepted = response && 'media' in response && response.media === 'or_accepted' && status === 202 && response;
  if (accepted && accepted.isDone === null) return body === undefined ? [] : ['has a body'];
  const ofStatus = accepted || status === operation.status ? [] : [`declares the status ${operation.status}`];
  const shape = jsonOf(response);
  if (shape) return [...ofStatus, ...problemsOf(shape, body)];
  const isCookie = response && 'media' in response && response.media === 'cookie';
  const type = response && !isCookie ? 'string' : 'undefined';
  return typeof body === type ? ofStatus : [...ofStatus, `has a body that is not ${type}`];
}

/** The type, the place and the text of one problem in a list. */
const isProblem = (each: unknown): boolean => {
  const { type, loc, msg } = (each ?? {}) as Record<string, unknown>;
  return typeof type === 'string' && Array.isArray(loc) && typeof msg === 'string';
};

function problemsOfRefusal(operation: Operation | undefined, { status, body }: Received): string[] {
  const { detail, code, request_id, ...beside } = (body ?? {}) as Record<string, unknown>;
  if (typeof code !== 'string' || !/^[a-z_]+$/.test(code) || typeof request_id !== 'string')
    return [`has no code and request_id: ${JSON.stringify(body)}`];
  const isList = status === 422 || code === 'pre_flight_failed';
  const hasDetail = isList
    ? Array.isArray(detail) && detail.every(isProblem)
    : detail !== undefined && !Array.isArray(detail);
  const shape = operation?.refusedWith[code as ErrorCode];
  return [
    ...(hasDetail ? [] : [`has the detail ${JSON.stringify(detail)}`]),
    ...(operation && !declaredCodes(operation).has(code as Code)
      ? [`does not declare ${code}: add it to its list of refusals`]
      : []),
    ...(shape ? problemsOf(shape, beside) : []),
  ];
}
