import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export type VerifyingReceiver = {
  url: string;
  trust: (secret: string) => void;
  /** Message ids by order and step, as `<order id> <number of events>`: one id each, or an event was published twice. */
  messages: Map<string, Set<string>>;
  counts: { received: number; badSignatures: number };
  close: () => void;
};

/** Slow enough that a kill finds deliveries whose answer is still to come. */
const SLOWEST_ANSWER_MS = 30;

type OrderEnvelope = { data: { id: string; events: unknown[] } };

/** A customer's endpoint that notes which step of which order arrived, and refuses what the reference library does not verify. */
export async function startVerifyingReceiver(): Promise<VerifyingReceiver> {
  const messages = new Map<string, Set<string>>();
  const counts = { received: 0, badSignatures: 0 };
  let webhook: Webhook | null = null;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      try {
        const { data } = (webhook as Webhook).verify(Buffer.concat(chunks).toString(), request.headers as Record<string, string>) as OrderEnvelope;
        const step = `${data.id} ${data.events.length}`;
        messages.set(step, (messages.get(step) ?? new Set()).add(request.headers['webhook-id'] as string));
        counts.received += 1;
        setTimeout(() => response.writeHead(204).end(), Math.random() * SLOWEST_ANSWER_MS);
      } catch {
        counts.badSignatures += 1;
        response.writeHead(401).end();
      }
    });
  });
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    trust: (secret) => { webhook = new Webhook(secret); },
    messages, counts,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
