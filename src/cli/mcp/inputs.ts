// Members that the inputs of several tools share. Each text has a bound.
import { Type } from 'typebox';

/** Items that a tool returns at most. */
const MOST_ITEMS = 50;

export const userId = Type.String({ format: 'uuid', description: 'user_id of a user, as find_users returns it.' });
export const orderId = Type.String({ format: 'uuid', description: 'order_id of an order, as find_orders returns it.' });
export const DEFAULT_ITEMS = 20;
export const limit = Type.Integer({
  minimum: 1,
  maximum: MOST_ITEMS,
  default: DEFAULT_ITEMS,
  description: 'How many to return at most.',
});
export const day = (what: string) => Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: what });
export const provider = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Only data of this provider, by its slug, such as oura.',
});

const DAY_MS = 86_400_000;

/** Returns how many days there are from one to another, both included. NaN if one of them is no day. */
export const countDays = (since: string, until: string): number =>
  Math.round((Date.parse(until) - Date.parse(since)) / DAY_MS) + 1;
