// The application that an operator has registered with each provider of wearable data.
import { PROVIDERS, type ProviderSlug } from '../wearables/providers/catalogue.ts';
import type { ConnectedFacts, ProviderFacts } from '../wearables/providers/facts.ts';
import { httpAddress, orNull, text, whole } from './option-kinds.ts';

/** Providers that can be connected, with their facts. */
const CONNECTED = Object.entries<ProviderFacts & Partial<ConnectedFacts>>(PROVIDERS).flatMap(
  ([slug, { application, history_days }]) =>
    application ? [{ slug, name: slug.toUpperCase() as Name, history_days, ...application }] : [],
);

type NameOf<Facts> = Uppercase<{ [S in ProviderSlug]: (typeof PROVIDERS)[S] extends Facts ? S : never }[ProviderSlug]>;
type Name = NameOf<ConnectedFacts>;
type NameBySubscription = NameOf<{ application: { subscription_id: true } }>;

/** The provider that an option is of, as options name it; null for one of no provider. */
export const providerOf = (option: string): Name | null =>
  CONNECTED.find(({ name }) => option.startsWith(`PHIAL_${name}_`))?.name ?? null;

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

type Option<T> = { default: string; read: (value: string) => T | null; meaning: string };

type Options<N extends Name, Ending extends string, T> = Record<`PHIAL_${N}_${Ending}`, Option<T>>;

/** Of a provider. `at` is how options call it. */
const optionsOf = ({ name, at, history_days, subscription_id }: (typeof CONNECTED)[number]) => ({
  [`PHIAL_${name}_CLIENT_ID`]: {
    default: '',
    read: orNull(text),
    meaning: `Client id of your application at ${at}; empty: only teams with an application of their own connect it.`,
  },
  [`PHIAL_${name}_CLIENT_SECRET`]: {
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
    read: orNull(whole(1, MOST_HISTORY_DAYS)),
    meaning: `Days of the past that a new connection to ${at} imports (1 to ${MOST_HISTORY_DAYS}); empty: ${history_days}.`,
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

type Given = { [N in keyof typeof PROVIDER_OPTIONS]: ReturnType<(typeof PROVIDER_OPTIONS)[N]['read']> };

/** Null where an operator says nothing, or the provider has no such option. */
const subscriptionOf = (given: Partial<Given>, name: string): string | null =>
  given[`PHIAL_${name as NameBySubscription}_SUBSCRIPTION_ID`] ?? null;

/** Addresses that production does not send codes, tokens and secrets to. */
export const unencryptedProviders = (given: Given): string[] =>
  CONNECTED.map(({ name }) => `PHIAL_${name}_BASE_URL` as const).filter((option) => given[option]?.startsWith('http:'));

/** The applications that are configured, by provider, and what is wrong with those that are half. */
export function readProviderClients(given: Given): {
  clients: Readonly<Record<string, ProviderClient>>;
  problems: string[];
} {
  const clients: Record<string, ProviderClient> = {};
  const problems: string[] = [];
  for (const { slug, name } of CONNECTED) {
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
    CONNECTED.map(({ slug, name }) => [
      slug,
      { baseUrl: given[`PHIAL_${name}_BASE_URL`], historyDays: given[`PHIAL_${name}_HISTORY_DAYS`] },
    ]),
  );
