import type { Ctx } from '../../context.ts';

/** Roughly where a zip code is: the facts of its first three digits. */
export type Area = { state: string; city: string; lat: number; lng: number; iana_timezone: string };

/** Null where nothing is known of the zip code, as of military addresses. */
export async function findAreaOrNull({ db }: Pick<Ctx, 'db'>, zipCode: string): Promise<Area | null> {
  const area = await db
    .selectFrom('zip_prefixes')
    .select(['state', 'city', 'lat', 'lng', 'iana_timezone'])
    .where('prefix', '=', zipCode.slice(0, 3))
    .executeTakeFirst();
  return area ?? null;
}
