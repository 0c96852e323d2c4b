import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

export type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** What the service has answered for, and must therefore keep. */
export type Ledger = {
  users: Set<string>;
  /** Events that the order had when the service last answered for it. */
  orders: Map<string, number>;
  /** Requests that a kill left without an answer: they may have been written or not. */
  unanswered: number;
  /** Answers that nobody may get, whatever is killed. */
  wrong: string[];
};

/** The service refused; a kill shows as a failed connection instead. */
export class Refused extends Error {}

/** Calls the service as its team; throws Refused on an answer that is no success. */
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

/** Both in one transaction. */
export const EVENTS_WHEN_ORDERED = 2;
const EVENTS_AT_THE_DOOR = 5;
const AFTER_FAILURE_MS = 25;

/** Clients that make users and orders and ship every second kit, one request after the other, until stopped. */
export function startTraffic(
  call: Call,
  { clients, labTestId }: { clients: number; labTestId: string },
): { ledger: Ledger; stop: () => Promise<void> } {
  const ledger: Ledger = { users: new Set(), orders: new Map(), unanswered: 0, wrong: [] };
  let stopping = false;
  const client = async (): Promise<void> => {
    for (let turn = 0; !stopping; turn += 1) {
      try {
        await orderOnce(call, ledger, labTestId, turn % 2 === 1);
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

/** A killed postmaster takes node along a moment later: its last answers are 5xx, which promise nothing. */
const isStopping = (error: Refused): boolean => / answered 5\d\d:/.test(error.message);
