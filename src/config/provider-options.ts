// Options for the operator's application at each provider of wearable data.
import { PROVIDERS, type ProviderSlug } from '../wearables/providers/provider-catalogue.ts';
import type { ConnectedFacts, ProviderFacts } from '../wearables/providers/facts.ts';
import { httpAddress, orNull, text, whole } from './option-kinds.ts';

/** The providers that users can connect, with their properties. */
const CONNECTED = Object.entries<ProviderFacts & Partial<ConnectedFacts>>(PROVIDERS).flatMap(
  ([slug, { application, history_days }]) =>
    application ? [{ slug, name: slug.toUpperCase() as Name, history_days, ...application }] : [],
);

type NameOf<Facts> = Uppercase<{ [S in ProviderSlug]: (typeof PROVIDERS)[S] extends Facts ? S : never }[ProviderSlug]>;
type Name = NameOf<ConnectedFacts>;
type NameBySubscription = NameOf<{ application: { subscription_id: true } }>;

/**
 * Returns the provider of an option, in the spelling that options use. Returns null if the option belongs to no
 * provider.
 */
export const providerOf = (option: string): Name | null =>
  CONNECTED.find(({ name }) => option.startsWith(`PHIAL_${name}_`))?.name ?? null;

/** A secret that is never printed or serialised. So a log line may contain the object. */
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

/** Reads a list of secrets with commas between them. */
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
  /**
   * The provider's id of a subscription that the operator created at the provider. Null: the service creates or finds
   * one.
   */
  subscriptionId: string | null;
};

/** Settings of a provider for every application at this provider. */
export type ProviderSettings = {
  /** Replaces the origin in every URL of the provider. Null: we use the provider's own origin. */
  baseUrl: string | null;
  /** How many days of past data we import for a new connection. Null: the provider's default. */
  historyDays: number | null;
};

/** The most days of past data, for every provider. */
export const MAX_HISTORY_DAYS = 365;

type Option<T> = { default: string; read: (value: string) => T | null; meaning: string; secret?: true };

type Options<N extends Name, Ending extends string, T> = Record<`PHIAL_${N}_${Ending}`, Option<T>>;

/** Returns the options of a provider. `at` is the provider's name in the texts of options. */
const optionsOf = ({ name, at, history_days, subscription_id }: (typeof CONNECTED)[number]) => ({
  [`PHIAL_${name}_CLIENT_ID`]: {
    default: '',
    read: orNull(text),
    meaning: `Client id of your application at ${at}; empty: only teams with an application of their own connect it.`,
  },
  [`PHIAL_${name}_CLIENT_SECRET`]: {
    secret: true,
    default: '',
    read: (value: string) => (value === '' ? null : new Hidden(value)),
    meaning: 'Client secret of that application.',
  },
  [`PHIAL_${name}_BASE_URL`]: {
    default: '',
    read: orNull(httpAddress),
    meaning: `Address that is called instead of the addresses of ${at}, for tests; empty: the real ones.`,
  },
  [`PHIAL_${name}_HISTORY_DAYS`]: {
    default: '',
    read: orNull(whole(1, MAX_HISTORY_DAYS)),
    meaning:
      `Days of the past that a new connection to ${at} imports (1 to ${MAX_HISTORY_DAYS}); empty: ` +
      `${history_days}.`,
  },
  ...(subscription_id && {
    [`PHIAL_${name}_SUBSCRIPTION_ID`]: {
      default: '',
      read: orNull(text),
      meaning: `Id of a ${at} subscription that you created by hand; empty: the service creates one itself.`,
    },
  }),
});

export const PROVIDER_OPTIONS = Object.assign({}, ...CONNECTED.map(optionsOf)) as Options<
  Name,
  'CLIENT_ID' | 'BASE_URL',
  string
> &
  Options<Name, 'CLIENT_SECRET', Hidden> &
  Options<Name, 'HISTORY_DAYS', number> &
  Options<NameBySubscription, 'SUBSCRIPTION_ID', string>;

type ProviderOptionValues = { [N in keyof typeof PROVIDER_OPTIONS]: ReturnType<(typeof PROVIDER_OPTIONS)[N]['read']> };

/** Returns null if the operator did not set the option, or the provider has no such option. */
const subscriptionOf = (given: Partial<ProviderOptionValues>, name: string): string | null =>
  given[`PHIAL_${name as NameBySubscription}_SUBSCRIPTION_ID`] ?? null;

/**
 * Returns the options whose URL is http and not https. In production we send no codes, tokens and secrets to such a
 * URL.
 */
export const unencryptedProviders = (given: ProviderOptionValues): string[] =>
  CONNECTED.map(({ name }) => `PHIAL_${name}_BASE_URL` as const).filter((option) => given[option]?.startsWith('http:'));

/**
 * Returns the configured applications by provider, and a problem for each incomplete one. An option in `wrong` has a
 * problem already.
 */
export function readProviderClients(
  given: ProviderOptionValues,
  wrong: ReadonlyMap<string, string> = new Map(),
): {
  clients: Readonly<Record<string, ProviderClient>>;
  problems: string[];
} {
  const clients: Record<string, ProviderClient> = {};
  const problems: string[] = [];
  for (const { slug, name } of CONNECTED) {
    const [id, secret] = [given[`PHIAL_${name}_CLIENT_ID`], given[`PHIAL_${name}_CLIENT_SECRET`]];
    if (id !== null && secret !== null) clients[slug] = { id, secret, subscriptionId: subscriptionOf(given, name) };
    else if ((id !== null || secret !== null) && !wrong.has(`PHIAL_${name}_CLIENT_SECRET`))
      problems.push(`PHIAL_${name}_CLIENT_ID and PHIAL_${name}_CLIENT_SECRET belong together. Set both or none.`);
  }
  return { clients, problems };
}

/** Reads the settings of every provider that users can connect. */
export const readProviderSettings = (given: ProviderOptionValues): Readonly<Record<string, ProviderSettings>> =>
  Object.fromEntries(
    CONNECTED.map(({ slug, name }) => [
      slug,
      { baseUrl: given[`PHIAL_${name}_BASE_URL`], historyDays: given[`PHIAL_${name}_HISTORY_DAYS`] },
    ]),
  );
