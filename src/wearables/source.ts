// The source of a value. Every summary and every group of samples has one.
import { Type, type Static } from 'typebox';
import type { Config } from '../config/options.ts';
import { nullable, Uuid } from '../wire/schema.ts';
import { PROVIDERS } from './providers/provider-catalogue.ts';
import { ownProperty } from '../wire/own-property.ts';
import { shape } from '../wire/shape.ts';

/** The source types: kinds of devices. More may be added. A device of any other kind is `unknown`. */
export const SOURCE_TYPES = [
  'unknown',
  'phone',
  'watch',
  'app',
  'multiple_sources',
  'fingerprick',
  'cuff',
  'manual_scan',
  'automatic',
  'insulin_pump',
  'scale',
  'chest_strap',
  'ring',
  'lab',
  'exercise_machine',
  'earphone',
] as const;

export type SourceType = (typeof SOURCE_TYPES)[number];

export const DataSource = shape('DataSource', {
  provider: Type.String({ description: 'Slug of the provider.' }),
  type: Type.String({ description: 'Kind of device: unknown, phone, watch, ring, scale and others.' }),
  app_id: nullable(Type.String()),
  device_id: nullable(Uuid),
  sport: nullable(Type.String()),
  workout_id: nullable(Uuid),
  name: Type.String({ deprecated: true, description: 'Name of the provider, for people.' }),
  slug: Type.String({ deprecated: true, description: 'The same as provider.' }),
  logo: Type.String({ deprecated: true, description: "Address of the provider's logo." }),
});

/** The parts of a source that we store. */
export type StoredSource = {
  provider: string;
  source_type: string;
  app_id?: string | null;
  device_id?: string | null;
  sport?: string | null;
  workout_id?: string | null;
};

/** Returns a stored source in the form that responses have. */
export function renderSource(config: Pick<Config, 'baseUrl'>, source: StoredSource): Static<typeof DataSource> {
  const { provider, source_type, app_id = null, device_id = null, sport = null, workout_id = null } = source;
  return {
    provider,
    type: source_type,
    app_id,
    device_id,
    sport,
    workout_id,
    name: ownProperty<{ name: string }>(PROVIDERS, provider)?.name ?? provider,
    slug: provider,
    logo: logoOf(config, provider),
  };
}

/** Returns the address of a provider's logo. Phial draws the logo itself. */
export const logoOf = (config: Pick<Config, 'baseUrl'>, provider: string): string =>
  `${config.baseUrl}/logos/${provider}.svg`;
