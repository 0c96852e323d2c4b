import { createHmac, timingSafeEqual } from 'node:crypto';

export type HookHeaders = Readonly<Record<string, string | null>>;

/** What a notification tells: of whom, and where to look. It is a hint: what has happened the provider is asked. */
export type News = {
  /** The provider's own id of the user. */
  external_user_id: string;
  /** What may have changed, by the names of events. */
  resources: string[];
  /** The one summary that it names, by its kind and the provider's id. */
  object: { resource: string; id: string } | null;
};

/** How a provider tells of news by itself. */
export type Hook = {
  /** Whether the provider has signed it, as far as it signs. */
  isSigned: (secret: string, headers: HookHeaders, body: string) => boolean;
  /** null: of nothing that is pulled. */
  read: (notification: Readonly<Record<string, unknown>>) => News | null;
};

/** By which a provider shows that a subscription is ours: what the operator gives it when subscribing. */
export const verifyTokenOf = (secret: string): string => hexOf(secret, 'phial hooks');

export const hexOf = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex');

/** In a time that tells nothing of where they differ. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
