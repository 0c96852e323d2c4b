import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

export type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** The confirmed data, which the service must not lose. */
export type Ledger = {
  users: Set<string>;
  /** How many events each order must have, after the responses so far. By the id of the order. */
  orders: Map<string, number>;
  /** The number of requests that got no response because of a kill. The service may have stored their data or not. */
  unanswered: number;
  /** Responses that are wrong, even if a process was killed. */
  wrong: string[];
};

/** A refusal of the service. A kill appears as a failed connection instead. */
export class Refused extends Error {}

/** Returns an API client with these headers. It throws Refused for a response without success. */
export function callerOf(baseUrl: string, headers: Record<string, string>): Call {
  return async <T>(method: string, path: string, body?: unknown) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Refused(`${method} ${path} answered ${response.status}: ${text.slice(0, 300)}`);
    return JSON.parse(text) as T;
  };
}

export const shipping = {
  receiver_name: 'Grace Palmer',
  first_line: '100 West Test Street',
  city: 'Phoenix',
  state: 'AZ',
  zip: '85004',
  country: 'US',
  phone_number: '+16025550123',
};

/** The number of events of a new order. The service writes both in one transaction. */
export const EVENTS_WHEN_ORDERED = 2;
const EVENTS_AT_THE_DOOR = 5;
const AFTER_FAILURE_MS = 25;

/**
 * Clients that make users and orders and ship every second kit, one request after the other, until they are stopped.
 */
export function startTraffic(
  call: Call,
  { clients, labTestId }: { clients: number; labTestId: string },
): { ledger: Ledger; stop: () => Promise<void> } {
  const ledger: Ledger = { users: new Set(), orders: new Map(), unanswered: 0, wrong: [] };
  let stopping = false;
  const client = async (): Promise<void> => {
    for (let round = 0; !stopping; round += 1) {
      try {
        await orderOnce(call, ledger, labTestId, round % 2 === 1);
      } catch (error) {
        if (error instanceof Refused && !isStopping(error)) ledger.wrong.push(error.message);
        else ledger.unanswered += 1;
        await wait(AFTER_FAILURE_MS);
      }
    }
  };
  const all = Array.from({ length: clients }, client);
  return {
    ledger,
    stop: async () => {
      stopping = true;
      await Promise.all(all);
    },
  };
}

async function orderOnce(call: Call, ledger: Ledger, labTestId: string, ship: boolean): Promise<void> {
  const user = await call<{ user_id: string }>('POST', '/v2/user', { client_user_id: randomUUID() });
  ledger.users.add(user.user_id);
  const { order } = await call<{ order: { id: string } }>('POST', '/v3/order/testkit', {
    user_id: user.user_id,
    lab_test_id: labTestId,
    shipping_details: shipping,
  });
  ledger.orders.set(order.id, EVENTS_WHEN_ORDERED);
  if (!ship) return;
  await call('POST', `/v3/order/${order.id}/test`);
  ledger.orders.set(order.id, EVENTS_AT_THE_DOOR);
}

/** After a kill of PostgreSQL, node ends a moment later. Its last responses are 5xx, which confirm nothing. */
const isStopping = (error: Refused): boolean => / answered 5\d\d:/.test(error.message);
