import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

type Envelope = {
  event_type: string;
  data: Record<string, unknown>;
  team_id: string;
  user_id: string | null;
  client_user_id: string | null;
};
export type Received = { id: string; headers: IncomingHttpHeaders; body: Envelope; raw: string };

export type Receiver = {
  url: string;
  /** Everything that arrived and was verified with the secret given to `trust`, oldest first. */
  received: Received[];
  /** How many requests came, verified or not. */
  requests: () => number;
  trust: (secret: string) => void;
  /** Answers in another way than 204 until called with null. */
  answer: (how: ((response: ServerResponse) => void) | null) => void;
  close: () => Promise<void>;
};

/** A customer's webhook endpoint: verifies every signature with the reference library and refuses what does not verify. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
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
    },
  };
}
