import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

export type VerifyingEndpoint = {
  url: string;
  trust: (secret: string) => void;
  /**
   * The ids of the received messages by order and step, as `<order id> <number of events>`. If a step has more than one
   * id, its event was published twice.
   */
  messages: Map<string, Set<string>>;
  counts: { received: number; cutOff: number; badSignatures: number };
  close: () => void;
};

const SLOWEST_ANSWER_MS = 30;

type OrderEnvelope = { data: { id: string; events: unknown[] } };

/**
 * Starts a customer's endpoint, which stores which step of which order arrived. It refuses messages that the reference
 * library does not verify. It waits a moment before it responds. If a kill cuts a request off meanwhile, it does not
 * store the step, so the service must deliver the event again.
 */
export async function startVerifyingEndpoint(): Promise<VerifyingEndpoint> {
  const messages = new Map<string, Set<string>>();
  const counts = { received: 0, cutOff: 0, badSignatures: 0 };
  let webhook: Webhook | null = null;
  const note = (raw: string, headers: IncomingHttpHeaders): void => {
    const { data } = (webhook as Webhook).verify(raw, headers as Record<string, string>) as OrderEnvelope;
    const step = `${data.id} ${data.events.length}`;
    messages.set(step, (messages.get(step) ?? new Set()).add(headers['webhook-id'] as string));
    counts.received += 1;
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      await wait(Math.random() * SLOWEST_ANSWER_MS);
      if (response.destroyed) {
        counts.cutOff += 1;
        return;
      }
      try {
        note(Buffer.concat(chunks).toString(), request.headers);
        response.writeHead(204).end();
      } catch {
        counts.badSignatures += 1;
        response.writeHead(401).end();
      }
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    trust: (secret) => {
      webhook = new Webhook(secret);
    },
    messages,
    counts,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
