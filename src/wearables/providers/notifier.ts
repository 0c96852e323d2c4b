import { createHmac } from 'node:crypto';
import { isSame } from '../../privacy/is-same.ts';
import { textOf } from './connector.ts';

/** What has come in, as far as it shows who sent it. */
export type Sent = {
  headers: Readonly<Record<string, string | null>>;
  /** The last part of the address that it came to; null: that of the provider, which has none. */
  token: string | null;
  body: string;
};

/** A notification names the user and what may have changed. We ask the provider for the data. */
export type ProviderEvent = {
  /** The provider's own id of the user. */
  external_user_id: string;
  /** What may have changed, by the names of events. */
  resources: string[];
  /** The one summary that it names, by its kind and the provider's id. */
  object?: { resource: string; id: string };
  /** When it may have changed, the second moment excluded; left out: lately. */
  span?: { from: string; to: string } | null;
  /** Something in the span may have been deleted, or beside the summary that it names; without either it tells nothing. */
  deleted?: boolean;
  /** The user may have ended the agreement at the provider. */
  ended?: true;
};

/** How the notifications of a provider are verified and read. */
export type Notifier = {
  /** What shows who has sent a notification, in lower case. */
  headers: readonly string[];
  /** Whether it is from the provider, as far as that can be told; `secret` is the application's. */
  isGenuine: (secret: string, sent: Sent) => boolean;
  /** The provider's id of the subscription that a notification is of; left out: none is told. */
  subscriptionOf?: (notification: Readonly<Record<string, unknown>>) => string | null;
  /** Its notifications are forms; left out: JSON, one or a list of them. */
  isForm?: boolean;
  /** The same words can tell of something new, as those that name a day; left out: they are one that came twice. */
  repeats?: boolean;
  /** null: of nothing that is pulled. */
  read: (notification: Readonly<Record<string, unknown>>) => ProviderEvent | null;
};

/**
 * By which a provider shows that a subscription is ours: the token that it gives back when one is made, and the last part of
 * the address for one that does not sign.
 */
export const hookTokenOf = (secret: string): string => createHmac('sha256', secret).update('phial hooks').digest('hex');

/** As long as providers send a notification again: what is older is none that they send now. */
export const KEPT_DAYS = 3;

/** It came to the address that only the provider knows. */
export const hasOurToken = (secret: string, { token }: Sent): boolean =>
  token !== null && isSame(token, hookTokenOf(secret));

export const hexOf = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex');

/** An id as it may stand in an address; null for anything else. */
export function idOf(value: unknown): string | null {
  const id = textOf(value);
  return id !== null && /^[A-Za-z0-9-]{1,100}$/.test(id) ? id : null;
}

/** The fields of an object; none of anything else. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const LONGEST_SPAN_MS = 92 * 86_400_000;
const FIRST_MS = Date.UTC(1970, 0, 1);

/** What lies between two moments in milliseconds, both included; null where that is no span that can be asked for. */
export function spanOf(first: number, last: number): { from: string; to: string } | null {
  const isSpan =
    first >= FIRST_MS && last >= first && last - first <= LONGEST_SPAN_MS && last < Date.now() + 86_400_000;
  return isSpan ? { from: new Date(first).toISOString(), to: new Date(last + 1_000).toISOString() } : null;
}

const DAY_MS = 86_400_000;

/** What lies on a day; null where it is none. It is the person's own, so the ones around belong to it as well. */
export function spanOfDay(date: unknown): { from: string; to: string } | null {
  const start = typeof date === 'string' && /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : NaN;
  return spanOf(start - DAY_MS, Math.min(start + 2 * DAY_MS, Date.now()));
}
