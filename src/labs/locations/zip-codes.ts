import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';

/**
 * The approximate location of a zip code. A table gives one location for each group of zip codes with the same first
 * three digits. A zip code that is in another state or time zone than its group has its own row in the table.
 */
export type Area = { state: string; city: string; lat: number; lng: number; iana_timezone: string };

/** Returns the area of a zip code; null if we do not know it, for example for the zip code of a military address. */
export async function findAreaOrNull({ db }: Pick<Ctx, 'db'>, zipCode: string): Promise<Area | null> {
  const area = await db
    .selectFrom('zip_prefixes')
    .select(['state', 'city', 'lat', 'lng', 'iana_timezone'])
    .where('prefix', 'in', [zipCode.slice(0, 3), zipCode.slice(0, 5)])
    .orderBy(sql`length(prefix)`, 'desc')
    .limit(1)
    .executeTakeFirst();
  return area ?? null;
}
