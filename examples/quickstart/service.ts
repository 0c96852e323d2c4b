import type { Contract } from './contract.ts';
import type { Credentials } from './credentials.ts';
import { expectEqual, Surprise } from './surprise.ts';
import type { Timeline } from './timeline.ts';

type Request<T> = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  /** The expected status. Default: 200. */
  status?: number;
  /** Returns a summary of the response for the timeline. */
  summary?: (answer: T) => string;
};

/**
 * Sends a request, and prints it with a summary of its response. Throws Surprise if the status or the shape of the
 * response is not the expected one.
 */
export type Service = { call: <T>(what: string, operation: string, request?: Request<T>) => Promise<T> };

const ANSWER_WITHIN_MS = 30_000;

export function openService(credentials: Credentials, contract: Contract, timeline: Timeline): Service {
  return {
    async call<T>(
      what: string,
      operation: string,
      { params = {}, query = {}, body, status = 200, summary }: Request<T> = {},
    ) {
      const [method = '', template = ''] = operation.split(' ');
      const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
      const search = new URLSearchParams(query).toString();
      const response = await send(credentials.base_url + path + (search && `?${search}`), {
        method,
        headers: {
          ...(path.startsWith('/v1/org')
            ? { 'x-management-key': credentials.management_key }
            : { 'x-service-api-key': credentials.team_api_key }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = (await readJson(response)) as T;
      const line = `${operation}${search && `?${decodeURIComponent(search)}`} -> ${response.status}`;
      if (response.status !== status)
        throw new Surprise(`${line}, but ${status} was expected: ${JSON.stringify(answer)}`);
      contract.checkAnswer(operation, status, answer);
      timeline.step(what, summary ? `${line}: ${summary(answer)}` : line);
      return answer;
    },
  };
}

/** Reads the service's OpenAPI document. This is the first request, so it also checks that the service responds. */
export async function readOpenApi(baseUrl: string): Promise<object> {
  const response = await send(`${baseUrl}/openapi.json`, {});
  expectEqual('The status of GET /openapi.json', response.status, 200);
  return (await readJson(response)) as object;
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  } catch (error) {
    const { name, message, cause } = error as Error;
    if (name === 'TimeoutError') throw new Surprise(`${url} has not answered within ${ANSWER_WITHIN_MS / 1000} s.`);
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : message;
    throw new Surprise(
      `Nothing answers at ${url} (${reason}).\nStart the service with \`npm start\` and leave it running.`,
    );
  }
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new Surprise(`${response.url} answered ${response.status} with a body that is not JSON.`);
  }
}
