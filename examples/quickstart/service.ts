import { openPhial, type Phial } from '@phial/client';
import type { Contract } from './contract.ts';
import type { Credentials } from './credentials.ts';
import { expectEqual, Surprise } from './surprise.ts';
import type { Timeline } from './timeline.ts';

/** The client with the team key, and the client with the management key. */
type Clients = { team: Phial; manager: Phial };

/** What a method of a client returns. */
type Result = { data?: unknown; error?: unknown; response: Response };
type Success<Of extends Result> = Of extends { data: infer Data; error?: undefined } ? Data : never;
type Refusal<Of extends Result> = Of extends { error: infer Body; data?: undefined } ? Body : never;

type Expected<Body> = {
  status: number;
  /** Returns a summary of the response for the timeline. */
  summary?: (body: Body) => string;
};

/**
 * Both functions send a request, print it with a summary of its response, and return the body of the response. They
 * throw Surprise if the status or the shape of the response is not the expected one.
 */
export type Service = {
  /** Expects a success, by default with status 200. */
  call: <Of extends Result>(
    what: string,
    request: (clients: Clients) => Promise<Of>,
    expected?: Partial<Expected<Success<Of>>>,
  ) => Promise<Success<Of>>;
  refusal: <Of extends Result>(
    what: string,
    request: (clients: Clients) => Promise<Of>,
    expected: Expected<Refusal<Of>>,
  ) => Promise<Refusal<Of>>;
};

const ANSWER_WITHIN_MS = 30_000;

export function openService(credentials: Credentials, contract: Contract, timeline: Timeline): Service {
  /** The operation and the query of each response. */
  const asked = new WeakMap<Response, { operation: string; search: string }>();
  // The story plays once and shows every failure, so nothing is sent again.
  const options = { baseUrl: credentials.base_url, fetch: send, retries: 0 };
  const clients = {
    team: openPhial({ ...options, apiKey: credentials.team_api_key }),
    manager: openPhial({ ...options, managementKey: credentials.management_key }),
  };
  for (const client of Object.values(clients))
    client.use({
      onResponse({ request, schemaPath, response }) {
        const search = decodeURIComponent(new URL(request.url).search);
        asked.set(response, { operation: `${request.method} ${schemaPath}`, search });
      },
    });

  async function ask<Body>(
    what: string,
    request: (clients: Clients) => Promise<Result>,
    { status, summary }: Expected<Body>,
  ): Promise<Body> {
    const { data, error, response } = await request(clients);
    const { operation, search } = asked.get(response) as { operation: string; search: string };
    const body = (response.ok ? data : error) as Body;
    const line = `${operation}${search} -> ${response.status}`;
    if (response.status !== status) throw new Surprise(`${line}, but ${status} was expected: ${JSON.stringify(body)}`);
    contract.checkAnswer(operation, status, body);
    timeline.step(what, summary ? `${line}: ${summary(body)}` : line);
    return body;
  }
  return {
    call: (what, request, { status = 200, summary } = {}) => ask(what, request, { status, summary }),
    refusal: ask,
  };
}

/** Reads the service's OpenAPI document. This is the first request, so it also checks that the service responds. */
export async function readOpenApi(baseUrl: string): Promise<object> {
  const response = await send(`${baseUrl}/openapi.json`);
  expectEqual('The status of GET /openapi.json', response.status, 200);
  return (await response.json()) as object;
}

async function send(request: Request | string): Promise<Response> {
  try {
    const response = await fetch(request, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    await expectJson(response.clone());
    return response;
  } catch (error) {
    if (error instanceof Surprise) throw error;
    const { name, message, cause } = error as Error;
    const url = typeof request === 'string' ? request : request.url;
    if (name === 'TimeoutError') throw new Surprise(`${url} has not answered within ${ANSWER_WITHIN_MS / 1000} s.`);
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : message;
    throw new Surprise(
      `Nothing answers at ${url} (${reason}).\nStart the service with \`npm start\` and leave it running.`,
    );
  }
}

async function expectJson(response: Response): Promise<void> {
  const text = await response.text();
  if (text === '') return;
  try {
    JSON.parse(text);
  } catch {
    throw new Surprise(`${response.url} answered ${response.status} with a body that is not JSON.`);
  }
}
