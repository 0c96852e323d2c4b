import { sql, type Selectable } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import type { ServiceCenters } from '../../db/tables.ts';
import { notFound } from '../../errors.ts';
import { findAccountAtOrNull } from '../catalogue/lab-accounts/find.ts';
import type { CentersInfo, ServiceCenter } from './schemas.ts';
import { findAreaOrNull, type Area } from './zip-codes.ts';

const MAX_CENTERS = 200;
const EARTH_RADIUS_MILES = 3_958.8;
const MILES_PER_DEGREE = 69;

/**
 * Returns the great-circle distance in miles between a row of `service_centers` and an area, by the haversine formula.
 */
export const milesFrom = ({ lat, lng }: Pick<Area, 'lat' | 'lng'>) => sql<number>`
  2 * ${EARTH_RADIUS_MILES}::float8 * asin(least(1, sqrt(
    power(sind((service_centers.lat - ${lat}::float8) / 2), 2)
    + cosd(service_centers.lat) * cosd(${lat}::float8) * power(sind((service_centers.lng - ${lng}::float8) / 2), 2))))`;

/** Returns a condition on the latitude. An index on the latitude then finds the rows that may be within the radius. */
export const latitudesWithin = ({ lat }: Pick<Area, 'lat'>, miles: number) => sql<boolean>`
  service_centers.lat between ${lat - miles / MILES_PER_DEGREE - 0.1}::float8
    and ${lat + miles / MILES_PER_DEGREE + 0.1}::float8`;

type Near = {
  zip_code: string;
  lab_id: number;
  radius: number;
  capabilities?: string[] | undefined;
  lab_account_id?: string | undefined;
};

/**
 * Returns a laboratory's sites within `radius` miles of a zip code, the nearest first. The list is empty for an unknown
 * zip code.
 */
export async function listServiceCenters(ctx: TeamCtx, near: Near): Promise<CentersInfo> {
  const lab = await ctx.db
    .selectFrom('labs')
    .select(['id', 'slug'])
    .where(sql<boolean>`id = ${near.lab_id}::bigint`)
    .executeTakeFirst();
  if (!lab) throw notFound('Laboratory');
  await findAccountAtOrNull(ctx, lab.id, near.lab_account_id);
  const area = await findAreaOrNull(ctx, near.zip_code);
  const centers = area ? await centersAround(ctx, area, near) : [];
  return { lab_id: lab.id, slug: lab.slug, patient_service_centers: centers };
}

async function centersAround(
  { db }: TeamCtx,
  area: Area,
  { lab_id, radius, capabilities }: Near,
): Promise<Static<typeof ServiceCenter>[]> {
  const rows = await db
    .selectFrom('service_centers')
    .selectAll()
    .select(milesFrom(area).as('miles'))
    .where('lab_id', '=', lab_id)
    .where(latitudesWithin(area, radius))
    .where(milesFrom(area), '<=', radius)
    .where(sql<boolean>`capabilities @> ${capabilities ?? []}::text[]`)
    .orderBy('miles')
    .orderBy('site_code')
    .limit(MAX_CENTERS)
    .execute();
  return rows.map(({ miles, site_code, supported_bill_types, capabilities: can, lat, lng, ...metadata }) => ({
    metadata: { ...metadata, hours: metadata.hours as Record<string, unknown> | null },
    distance: Math.round(miles),
    site_code,
    supported_bill_types,
    location: { lat, lng },
    capabilities: can as Static<typeof ServiceCenter>['capabilities'],
  }));
}

/** A site at which clients can book appointments through this service. */
export type BookableCenter = Pick<
  Selectable<ServiceCenters>,
  | 'lab_id'
  | 'site_code'
  | 'name'
  | 'first_line'
  | 'second_line'
  | 'city'
  | 'state'
  | 'zip_code'
  | 'lat'
  | 'lng'
  | 'iana_timezone'
> & { miles: number | null };

type Bookable = {
  /** If null, the result includes sites at which no provider books through this service. */
  provider: string | null;
  lab_id?: number;
  site_codes?: string[] | undefined;
  zip_code?: string | undefined;
  radius: number;
  most: number;
};

/**
 * Returns sites at which a provider books appointments: the named sites, or the nearest ones around a zip code. If the
 * caller gives both, a site must match both.
 */
export async function listBookableCenters(
  ctx: TeamCtx,
  { provider, lab_id, site_codes, zip_code, radius, most }: Bookable,
): Promise<BookableCenter[]> {
  const area = zip_code === undefined ? null : await findAreaOrNull(ctx, zip_code);
  if (zip_code !== undefined && !area) return [];
  return bookable(ctx, { provider, lab_id, site_codes, area, radius })
    .select(['lab_id', 'site_code', 'name', 'first_line', 'second_line', 'city', 'state', 'zip_code', 'lat', 'lng'])
    .select(['iana_timezone', (area ? milesFrom(area) : sql<number | null>`null::float8`).as('miles')])
    .orderBy('miles')
    .orderBy('site_code')
    .limit(most)
    .execute();
}

/** Returns the names of the providers that book at these sites, or around a zip code. */
export async function listWhoBooks(
  ctx: TeamCtx,
  asked: Pick<Bookable, 'site_codes' | 'zip_code' | 'radius'>,
): Promise<string[]> {
  const { site_codes, zip_code, radius } = asked;
  const area = zip_code === undefined ? null : await findAreaOrNull(ctx, zip_code);
  if (zip_code !== undefined && !area) return [];
  const rows = await bookable(ctx, { provider: null, site_codes, area, radius })
    .select('scheduling_provider')
    .distinct()
    .where('scheduling_provider', 'is not', null)
    .orderBy('scheduling_provider')
    .execute();
  return rows.map(({ scheduling_provider }) => scheduling_provider as string);
}

type BookableFilter = Pick<Bookable, 'provider' | 'lab_id' | 'site_codes' | 'radius'> & { area: Area | null };

const bookable = ({ db }: TeamCtx, { provider, lab_id, site_codes, area, radius }: BookableFilter) =>
  db
    .selectFrom('service_centers')
    .$if(provider !== null, (query) => query.where('scheduling_provider', '=', provider))
    .$if(lab_id !== undefined, (query) => query.where('lab_id', '=', lab_id as number))
    .$if(site_codes !== undefined, (query) => query.where('site_code', 'in', site_codes as string[]))
    .$if(area !== null, (query) =>
      query.where(latitudesWithin(area as Area, radius)).where(milesFrom(area as Area), '<=', radius),
    );
