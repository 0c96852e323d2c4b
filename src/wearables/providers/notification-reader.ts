import { createHmac } from 'node:crypto';
import { equalInConstantTime } from '../../privacy/equal-in-constant-time.ts';
import { textOf } from './connector.ts';

/** A request to our address for notifications, with the parts that prove who sent it. */
export type HookRequest = {
  headers: Readonly<Record<string, string | null>>;
  /** The secret at the end of the address, for providers that do not sign; null if the address has none. */
  token: string | null;
  body: string;
};

/** A notification names the user and what may have changed. We ask the provider for the data. */
export type ProviderEvent = {
  /** The provider's id of the user. */
  external_user_id: string;
  /** The resources that may have changed, by their names in events. */
  resources: string[];
  /** The summary that the notification names, by its kind and by the provider's id. */
  object?: { resource: string; id: string };
  /**
   * The span of time in which data may have changed: from `from`, up to and without `to`. If it is missing, data of the
   * last days may have changed.
   */
  span?: { from: string; to: string } | null;
  /**
   * True if data may have been deleted, in the span or during the named summary. If the notification has neither, this
   * has no effect.
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
   * Whether the provider sent the notification, as far as this can be verified. `secret` is the secret of the
   * application.
   */
  isGenuine: (secret: string, sent: HookRequest) => boolean;
  /**
   * Returns the provider's id of the subscription to which a notification belongs. Missing if notifications do not name
   * it.
   */
  subscriptionOf?: (notification: Readonly<Record<string, unknown>>) => string | null;
  /** True if notifications are HTML forms. Otherwise they are JSON: one notification or a list of them. */
  isForm?: boolean;
  /**
   * True if two notifications with the same text can report two changes, for example because they only name a day.
   * Otherwise the second one is a repetition of the first.
   */
  repeats?: boolean;
  /** Returns null if the notification is not about data that we pull. */
  read: (notification: Readonly<Record<string, unknown>>) => ProviderEvent | null;
};

/**
 * Returns the token that proves that a subscription is ours. We send it when we subscribe, and the provider returns it.
 * For a provider that does not sign, it is also the last part of the address.
 */
export const hookTokenOf = (secret: string): string => createHmac('sha256', secret).update('phial hooks').digest('hex');

/**
 * The number of days for which providers may repeat a notification. We refuse an older one, because somebody else may
 * be sending a copy.
 */
export const INBOX_RETENTION_DAYS = 3;

/** Whether the notification came to the address with our token. Only the provider knows this address. */
export const hasOurToken = (secret: string, { token }: HookRequest): boolean =>
  token !== null && equalInConstantTime(token, hookTokenOf(secret));

export const hexOf = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex');

/** Returns an id that may be a part of a URL; null for any other value. */
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
 * Returns the span from `first` to `last` in milliseconds, both included. Returns null if no request can ask for it,
 * for example because it is too long.
 */
export function spanOf(first: number, last: number): { from: string; to: string } | null {
  const isSpan =
    first >= FIRST_MS && last >= first && last - first <= LONGEST_SPAN_MS && last < Date.now() + 86_400_000;
  return isSpan ? { from: new Date(first).toISOString(), to: new Date(last + 1_000).toISOString() } : null;
}

const DAY_MS = 86_400_000;

/**
 * Returns the span of a day; null if the value is no date. The day is a local day of the person, who may be in any time
 * zone. So the span includes the day before and the day after.
 */
export function spanOfDay(date: unknown): { from: string; to: string } | null {
  const start = typeof date === 'string' && /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : NaN;
  return spanOf(start - DAY_MS, Math.min(start + 2 * DAY_MS, Date.now()));
}
