// The application that an operator has registered with each provider of wearable data.
import { httpAddress, orNull, text, whole } from './option-kinds.ts';

/** Providers that can be connected, as options name them. */
const NAMES = {
  google_health: 'GOOGLE_HEALTH',
  dexcom_v3: 'DEXCOM_V3',
  oura: 'OURA',
  strava: 'STRAVA',
  withings: 'WITHINGS',
  whoop_v2: 'WHOOP_V2',
  wahoo: 'WAHOO',
  polar: 'POLAR',
} as const;

type Slug = keyof typeof NAMES;
type Name = (typeof NAMES)[Slug];

/** The provider that an option is of, as options name it; null for one of no provider. */
export const providerOf = (option: string): Name | null =>
  Object.values(NAMES).find((name) => option.startsWith(`PHIAL_${name}_`)) ?? null;

/** A secret that prints and serialises as nothing, so that it can stand in what is logged. */
export class Hidden {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toJSON(): string {
    return '[hidden]';
  }
}

/** Secrets with commas between them. */
export const hiddenList = (value: string): Hidden[] =>
  value
    .split(',')
    .map((secret) => secret.trim())
    .filter(Boolean)
    .map((secret) => new Hidden(secret));

/** An application at a provider. */
export type ProviderClient = {
  id: string;
  secret: Hidden;
  /** The provider's id of the subscription that an operator has made there by hand; null: what the service makes or finds. */
  subscriptionId: string | null;
};

/** What holds for a provider here, whoever's application it is asked by. */
export type ProviderSettings = {
  /** Takes the place of the origin of every address of the provider; null: the provider's own. */
  baseUrl: string | null;
  /** Days of the past that a new connection brings; null: as many as users of the provider are used to. */
  historyDays: number | null;
};

/** Of any provider. */
export const MOST_HISTORY_DAYS = 365;

const ofProvider = <N extends Name>(name: N, title: string, usual: number) =>
  ({
    [`PHIAL_${name}_CLIENT_ID`]: {
      default: '',
      read: orNull(text),
      meaning: `Client id of your application at ${title}; empty: only teams with an application of their own connect it.`,
    },
    [`PHIAL_${name}_CLIENT_SECRET`]: {
      default: '',
      read: (value: string) => (value === '' ? null : new Hidden(value)),
      meaning: 'Client secret of that application.',
    },
    [`PHIAL_${name}_BASE_URL`]: {
      default: '',
      read: orNull(httpAddress),
      meaning: `Address that is called instead of the addresses of ${title}, for tests; empty: the real ones.`,
    },
    [`PHIAL_${name}_HISTORY_DAYS`]: {
      default: '',
      read: orNull(whole(1, MOST_HISTORY_DAYS)),
      meaning: `Days of the past that a new connection to ${title} imports (1 to ${MOST_HISTORY_DAYS}); empty: ${usual}.`,
    },
  }) as Record<`PHIAL_${N}_CLIENT_ID`, Option<string>> &
    Record<`PHIAL_${N}_CLIENT_SECRET`, Option<Hidden>> &
    Record<`PHIAL_${N}_BASE_URL`, Option<string>> &
    Record<`PHIAL_${N}_HISTORY_DAYS`, Option<number>>;

type Option<T> = { default: string; read: (value: string) => T | null; meaning: string };

export const PROVIDER_OPTIONS = {
  ...ofProvider('GOOGLE_HEALTH', 'Google Health', 90),
  ...ofProvider('DEXCOM_V3', 'Dexcom', 30),
  ...ofProvider('OURA', 'Oura', 180),
  ...ofProvider('STRAVA', 'Strava', 14),
  PHIAL_STRAVA_SUBSCRIPTION_ID: {
    default: '',
    read: orNull(text),
    meaning: 'Id of a Strava subscription that you created by hand; empty: the service creates one itself.',
  },
  ...ofProvider('WITHINGS', 'Withings', 90),
  ...ofProvider('WHOOP_V2', 'WHOOP', 180),
  ...ofProvider('WAHOO', 'Wahoo', 180),
  ...ofProvider('POLAR', 'Polar', 28),
};

type Given = { [N in keyof typeof PROVIDER_OPTIONS]: ReturnType<(typeof PROVIDER_OPTIONS)[N]['read']> };

const subscriptionOf = (given: Given, name: Name): string | null =>
  name === 'STRAVA' ? given.PHIAL_STRAVA_SUBSCRIPTION_ID : null;

/** Addresses that production does not send codes, tokens and secrets to. */
export const unencryptedProviders = (given: Given): string[] =>
  Object.values(NAMES)
    .map((name) => `PHIAL_${name}_BASE_URL` as const)
    .filter((option) => given[option]?.startsWith('http:'));

/** The applications that are configured, by provider, and what is wrong with those that are half. */
export function readProviderClients(given: Given): {
  clients: Readonly<Record<string, ProviderClient>>;
  problems: string[];
} {
  const clients: Record<string, ProviderClient> = {};
  const problems: string[] = [];
  for (const [slug, name] of Object.entries(NAMES)) {
    const [id, secret] = [given[`PHIAL_${name}_CLIENT_ID`], given[`PHIAL_${name}_CLIENT_SECRET`]];
    if (id !== null && secret !== null) clients[slug] = { id, secret, subscriptionId: subscriptionOf(given, name) };
    else if (id !== null || secret !== null)
      problems.push(`PHIAL_${name}_CLIENT_ID and PHIAL_${name}_CLIENT_SECRET come together or not at all.`);
  }
  return { clients, problems };
}

/** Of every provider that can be connected. */
export const readProviderSettings = (given: Given): Readonly<Record<string, ProviderSettings>> =>
  Object.fromEntries(
    Object.entries(NAMES).map(([slug, name]) => [
      slug,
      { baseUrl: given[`PHIAL_${name}_BASE_URL`], historyDays: given[`PHIAL_${name}_HISTORY_DAYS`] },
    ]),
  );
