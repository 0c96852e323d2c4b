import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { verifyWebhook, type WebhookEvent, type WebhookEventType } from '@phial/client';
import type { Contract } from './contract.ts';
import { Surprise } from './surprise.ts';
import type { Timeline } from './timeline.ts';

/** An event about an order. */
export type OrderMessage = WebhookEvent<'labtest.order.created' | 'labtest.order.updated'>;

const isOfOrder = (message: WebhookEvent): message is OrderMessage => message.event_type.startsWith('labtest.order.');

/** A customer's webhook endpoint. It responds with 204 to messages that it can verify, and with 401 to all others. */
export type Endpoint = {
  url: string;
  /**
   * From now on verifies messages with this secret, and collects those about this user. Other events of the team are
   * not part of the story.
   */
  listen: (secret: string, userId: string) => void;
  /**
   * Waits until there are `count` messages of the order, and returns them. Each event is returned once. They are sorted
   * by how many order events they contain. Throws Surprise if the wait takes too long.
   */
  receive: (orderId: string, count: number) => Promise<OrderMessage[]>;
  /**
   * Waits for a message of this type that is not about an order, and returns the first one. Throws Surprise if the wait
   * takes too long.
   */
  hear: <Type extends WebhookEventType>(eventType: Type) => Promise<WebhookEvent<Type>>;
  close: () => Promise<void>;
};

/** @param patienceMs how long `receive` and `hear` wait for missing messages, in milliseconds */
export async function openEndpoint(contract: Contract, timeline: Timeline, patienceMs: number): Promise<Endpoint> {
  const messages = new Map<string, OrderMessage>();
  const others = new Map<WebhookEventType, WebhookEvent>();
  let listening: { secret: string; userId: string } | null = null;
  let surprise: Error | null = null;
  let onChange = (): void => undefined;

  const take = async (request: IncomingMessage): Promise<void> => {
    const message = verify(await text(request), request.headers, listening?.secret ?? '');
    if (message.user_id !== listening?.userId) return;
    contract.checkEvent(message.event_type, message);
    const id = String(request.headers['webhook-id']);
    if (!isOfOrder(message)) {
      // A month of samples causes many messages. The timeline shows only the first of each type.
      if (!others.has(message.event_type)) timeline.arrival(`${message.event_type} (verified)`);
      others.set(message.event_type, others.get(message.event_type) ?? message);
      return;
    }
    const again = messages.has(id);
    messages.set(id, message);
    timeline.arrival(`${message.event_type}  ${message.data.last_event.status}  (verified${again ? ', again' : ''})`);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      await take(request);
      response.writeHead(204).end();
    } catch (error) {
      surprise ??= error as Error;
      response.writeHead(401).end();
    }
    onChange();
  };
  /** Waits until `isThere` returns true, for at most `patienceMs`. */
  const until = async (isThere: () => boolean): Promise<void> => {
    const deadline = Date.now() + patienceMs;
    while (!isThere() && !surprise && Date.now() < deadline) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, deadline - Date.now());
        onChange = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    if (surprise) throw surprise;
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    listen: (secret, userId) => {
      listening = { secret, userId };
    },
    async receive(orderId, count) {
      const ofOrder = (): OrderMessage[] => [...messages.values()].filter(({ data }) => data.id === orderId);
      await until(() => ofOrder().length >= count);
      const received = ofOrder();
      if (received.length < count)
        throw new Surprise(`${received.length} of ${count} webhooks came within ${patienceMs / 1000} s.`);
      return received.sort((a, b) => a.data.events.length - b.data.events.length);
    },
    async hear<Type extends WebhookEventType>(eventType: Type) {
      await until(() => others.has(eventType));
      const message = others.get(eventType) as WebhookEvent<Type> | undefined;
      if (!message) throw new Surprise(`No webhook ${eventType} came within ${patienceMs / 1000} s.`);
      return message;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function verify(body: string, headers: IncomingHttpHeaders, secret: string): WebhookEvent {
  try {
    return verifyWebhook(body, headers, secret);
  } catch (error) {
    throw new Surprise(`A webhook arrived that does not verify: ${(error as Error).message}.`);
  }
}
