// The application that an operator has registered with each provider of wearable data.
import { httpAddress, orNull, text } from './option-kinds.ts';

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

/** An application at a provider. */
export type ProviderClient = {
  id: string;
  secret: Hidden;
  /** Takes the place of the origin of every address of the provider; null: the provider's own. */
  baseUrl: string | null;
};

const ofProvider = <N extends Name>(name: N, title: string) =>
  ({
    [`PHIAL_${name}_CLIENT_ID`]: {
      default: '',
      read: orNull(text),
      meaning: `Id of the application registered with ${title}; empty: ${title} cannot be connected.`,
    },
    [`PHIAL_${name}_CLIENT_SECRET`]: {
      default: '',
      read: (value: string) => (value === '' ? null : new Hidden(value)),
      meaning: `Secret of that application.`,
    },
    [`PHIAL_${name}_BASE_URL`]: {
      default: '',
      read: orNull(httpAddress),
      meaning: `Address that stands for every host of ${title}, as that of a stand-in; empty: the real ones.`,
    },
  }) as Record<`PHIAL_${N}_CLIENT_ID`, Option<string>> &
    Record<`PHIAL_${N}_CLIENT_SECRET`, Option<Hidden>> &
    Record<`PHIAL_${N}_BASE_URL`, Option<string>>;

type Option<T> = { default: string; read: (value: string) => T | null; meaning: string };

export const PROVIDER_OPTIONS = {
  ...ofProvider('GOOGLE_HEALTH', 'Google Health'),
  ...ofProvider('DEXCOM_V3', 'Dexcom'),
  ...ofProvider('OURA', 'Oura'),
  ...ofProvider('STRAVA', 'Strava'),
  ...ofProvider('WITHINGS', 'Withings'),
  ...ofProvider('WHOOP_V2', 'WHOOP'),
  ...ofProvider('WAHOO', 'Wahoo'),
  ...ofProvider('POLAR', 'Polar'),
};

type Given = { [N in keyof typeof PROVIDER_OPTIONS]: ReturnType<(typeof PROVIDER_OPTIONS)[N]['read']> };

/** The applications that are configured, by provider, and what is wrong with those that are half. */
export function readProviderClients(given: Given): {
  clients: Readonly<Record<string, ProviderClient>>;
  problems: string[];
} {
  const clients: Record<string, ProviderClient> = {};
  const problems: string[] = [];
  for (const [slug, name] of Object.entries(NAMES)) {
    const [id, secret] = [given[`PHIAL_${name}_CLIENT_ID`], given[`PHIAL_${name}_CLIENT_SECRET`]];
    const baseUrl = given[`PHIAL_${name}_BASE_URL`];
    if (id !== null && secret !== null) clients[slug] = { id, secret, baseUrl };
    else if (id !== null || secret !== null)
      problems.push(`PHIAL_${name}_CLIENT_ID and PHIAL_${name}_CLIENT_SECRET come together or not at all.`);
  }
  return { clients, problems };
}
