import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Type } from 'typebox';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { eventTypes } from '../src/event-types.ts';
import { ORIGINS } from '../src/events/origin.ts';
import { problemsOf } from './shapes.ts';

type Envelope = {
  event_type: string;
  data: Record<string, unknown>;
  origin?: string;
  team_id: string;
  user_id: string | null;
  client_user_id: string | null;
};
export type Received = { id: string; headers: IncomingHttpHeaders; body: Envelope; raw: string };

export type Endpoint = {
  url: string;
  /** All received requests that verified with the secret given to `trust`, oldest first. */
  received: Received[];
  /** The number of requests, verified or not. */
  requests: () => number;
  trust: (secret: string) => void;
  /** Sets another answer than 204, until it is called with null. */
  answer: (how: ((response: ServerResponse) => void) | null) => void;
  close: () => Promise<void>;
};

/**
 * The webhook endpoint of a customer. It verifies every signature with the reference library and refuses wrong ones.
 * Closing it fails the test if a body did not match the catalogue of events, unless the test declares `invented`
 * events.
 */
export async function startEndpoint({ invented = false } = {}): Promise<Endpoint> {
  const received: Received[] = [];
  const undeclared = new Set<string>();
  let webhook: Webhook | null = null;
  let how: ((response: ServerResponse) => void) | null = null;
  let requests = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests += 1;
      if (how) return how(response);
      const raw = Buffer.concat(chunks).toString();
      try {
        const body = (webhook as Webhook).verify(raw, request.headers as Record<string, string>) as Envelope;
        if (!invented) for (const problem of problemsOfEvent(body, request.headers)) undeclared.add(problem);
        received.push({ id: request.headers['webhook-id'] as string, headers: request.headers, body, raw });
        response.writeHead(204).end();
      } catch {
        response.writeHead(401).end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    requests: () => requests,
    trust: (secret) => {
      webhook = new Webhook(secret);
    },
    answer: (next) => {
      how = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      expect([...undeclared]).toEqual([]);
    },
  };
}

const UUID = { type: 'string', format: 'uuid' };
const envelopes = new Map(
  eventTypes.map(({ name, data, isWithoutUser, hasOrigin }) => [
    name,
    Type.Unsafe({
      type: 'object',
      required: ['event_type', 'data', 'team_id', 'user_id', 'client_user_id', ...(hasOrigin ? ['origin'] : [])],
      properties: {
        data,
        ...(hasOrigin ? { origin: { enum: ORIGINS } } : {}),
        team_id: UUID,
        user_id: isWithoutUser ? { type: 'null' } : UUID,
        client_user_id: { type: isWithoutUser ? 'null' : 'string' },
      },
    }),
  ]),
);

/** The problems of a delivered body against the schema of its event, each with the event's name before it. */
function problemsOfEvent(body: Envelope, headers: IncomingHttpHeaders): string[] {
  const { event_type: name, user_id, data, origin } = body;
  const envelope = envelopes.get(name);
  if (!envelope) return [`${name} is not in the catalogue of events`];
  const problems = problemsOf(envelope, body);
  if ('user_id' in data && data['user_id'] !== user_id) problems.push('has another user in its data');
  if (headers['phial-origin'] !== origin) problems.push('has another origin in its header');
  return problems.map((problem) => `${name} ${problem}`);
}
