import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';

/** Roughly where a zip code is: the facts of its first three digits, or its own where its state or time zone differs from theirs. */
export type Area = { state: string; city: string; lat: number; lng: number; iana_timezone: string };

/** Null where nothing is known of the zip code, as of military addresses. */
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
