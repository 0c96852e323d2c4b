import { createHmac } from 'node:crypto';
import { equalInConstantTime } from '../../privacy/equal-in-constant-time.ts';
import { textOf } from './connector.ts';

/** A request to our hook, with the parts that prove who sent it. */
export type HookRequest = {
  headers: Readonly<Record<string, string | null>>;
  /** The last part of the address; null if the address has no token. */
  token: string | null;
  body: string;
};

/** A notification names the user and what may have changed. We ask the provider for the data. */
export type ProviderEvent = {
  /** The provider's own id of the user. */
  external_user_id: string;
  /** The resources that may have changed, by their names in events. */
  resources: string[];
  /** The summary that the notification names, by its kind and the provider's id. */
  object?: { resource: string; id: string };
  /**
   * The time span in which data may have changed. The second moment is excluded. If this is missing, the data changed
   * lately.
   */
  span?: { from: string; to: string } | null;
  /**
   * Whether something in the span, or during the named summary, may have been deleted. This has no effect if the
   * notification has neither.
   */
  deleted?: boolean;
  /** Set if the user may have ended the agreement at the provider. */
  ended?: true;
};

/** Verifies and reads the notifications of a provider. */
export type NotificationReader = {
  /** The headers that prove who sent a notification, in lower case. */
  headers: readonly string[];
  /**
   * Whether the provider has sent the notification, as far as we can verify this. `secret` is the secret of the
   * application.
   */
  isGenuine: (secret: string, sent: HookRequest) => boolean;
  /**
   * Returns the provider's id of the subscription to which a notification belongs. It is missing if the notifications
   * have no such id.
   */
  subscriptionOf?: (notification: Readonly<Record<string, unknown>>) => string | null;
  /** Set if the notifications are forms. If it is missing, they are JSON: one notification or a list of them. */
  isForm?: boolean;
  /**
   * Set if two notifications with the same text can report two changes, for example if a notification only names a day.
   * If it is missing, the second one is a repetition.
   */
  repeats?: boolean;
  /** Returns null if the notification is about data that we do not pull. */
  read: (notification: Readonly<Record<string, unknown>>) => ProviderEvent | null;
};

/**
 * Returns the token that proves that a subscription is ours. The provider returns it when we subscribe. For a provider
 * that does not sign, it is also the last part of the address.
 */
export const hookTokenOf = (secret: string): string => createHmac('sha256', secret).update('phial hooks').digest('hex');

/**
 * The number of days for which providers repeat a notification. If an older notification arrives, the provider has not
 * sent it now.
 */
export const INBOX_RETENTION_DAYS = 3;

/** Whether the notification came to the address that only the provider knows. */
export const hasOurToken = (secret: string, { token }: HookRequest): boolean =>
  token !== null && equalInConstantTime(token, hookTokenOf(secret));

export const hexOf = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex');

/** Returns an id that may be part of an address; null for any other value. */
export function idOf(value: unknown): string | null {
  const id = textOf(value);
  return id !== null && /^[A-Za-z0-9-]{1,100}$/.test(id) ? id : null;
}

/** Returns the fields of an object; an empty object for any other value. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const LONGEST_SPAN_MS = 92 * 86_400_000;
const FIRST_MS = Date.UTC(1970, 0, 1);

/**
 * Returns the span between two moments in milliseconds, which are both included; null if no request can ask for this
 * span.
 */
export function spanOf(first: number, last: number): { from: string; to: string } | null {
  const isSpan =
    first >= FIRST_MS && last >= first && last - first <= LONGEST_SPAN_MS && last < Date.now() + 86_400_000;
  return isSpan ? { from: new Date(first).toISOString(), to: new Date(last + 1_000).toISOString() } : null;
}

const DAY_MS = 86_400_000;

/**
 * Returns the span of a day; null if the value is not a date. It is a local day of the person, so the span includes the
 * days before and after it.
 */
export function spanOfDay(date: unknown): { from: string; to: string } | null {
  const start = typeof date === 'string' && /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : NaN;
  return spanOf(start - DAY_MS, Math.min(start + 2 * DAY_MS, Date.now()));
}
