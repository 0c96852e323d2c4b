import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { findAccountAtOrNull } from '../catalogue/lab-accounts/find.ts';
import { bookingAtCenters, whoComesTo } from '../schedulers/find-schedulers.ts';
import type { AreaInfo } from './schemas.ts';
import { latitudesWithin, milesFrom } from './service-centers.ts';
import { findAreaOrNull, type Area } from './zip-codes.ts';

/**
 * Returns the providers that visit patients of an area: the connected schedulers, and in a sandbox also the simulated
 * one.
 */
async function phlebotomyIn(ctx: TeamCtx, area: Area | null): Promise<AreaInfo['phlebotomy']> {
  const comes = area ? await whoComesTo(ctx, area.state) : [];
  return {
    is_served: comes.length > 0,
    providers: comes.map(({ name, service_types }) => ({ name, service_types })),
  };
}

type AreaRequest = { zip_code: string; radius: number; labs: string[]; lab_account_id?: string | undefined };

/** Returns which providers visit the patients of a zip code, and which laboratories have sites near it. */
export async function describeArea(
  ctx: TeamCtx,
  { zip_code, radius, labs, lab_account_id }: AreaRequest,
): Promise<AreaInfo> {
  const account = await findAccountAtOrNull(ctx, null, lab_account_id);
  const area = await findAreaOrNull(ctx, zip_code);
  return {
    zip_code,
    phlebotomy: await phlebotomyIn(ctx, area),
    central_labs: await centralLabs(ctx, area, { radius, labs, labId: account?.lab_id ?? null }),
  };
}

const withWord = (word: string): string => `appointment_with_${word.replaceAll('-', '_')}`;

type Totals = {
  lab_id: number;
  slug: string;
  within_radius: number;
  bookable: boolean;
  capabilities: AreaInfo['central_labs'][string]['patient_service_centers']['capabilities'];
  supported_bill_types: string[];
};

/**
 * Returns the laboratories that have sites anywhere, each with the number of sites near the zip code. The filter `labs`
 * contains short names of laboratories, or of providers that book at the laboratories' sites.
 */
async function centralLabs(
  ctx: TeamCtx,
  area: Area | null,
  { radius, labs, labId }: { radius: number; labs: string[]; labId: number | null },
): Promise<AreaInfo['central_labs']> {
  const near = area ? sql`${latitudesWithin(area, radius)} and ${milesFrom(area)} <= ${radius}` : sql`false`;
  const booking = await bookingAtCenters(ctx);
  const { rows } = await sql<Totals>`
    select labs.id as lab_id, labs.slug, count(near.site_code)::integer as within_radius,
           coalesce(bool_or(near.scheduling_provider = any (${booking}::text[])), false) as bookable,
           array(select distinct c from unnest(array_agg(array_to_string(near.capabilities, ','))) as l,
                   unnest(string_to_array(l, ',')) as c order by 1) as capabilities,
           array(select distinct b from service_centers s, unnest(s.supported_bill_types) as b where s.lab_id = labs.id
                  order by 1)
             as supported_bill_types
      from labs left join lateral (
        select * from service_centers where service_centers.lab_id = labs.id and ${near}
      ) as near on true
     where exists (select from service_centers s where s.lab_id = labs.id
             and (${labs.length === 0} or labs.slug = any (${labs}::text[])
                  or s.scheduling_provider = any (${labs}::text[])))
       and (${labId}::bigint is null or labs.id = ${labId}::bigint)
     group by labs.id order by labs.id`.execute(ctx.db);
  return Object.fromEntries(
    rows.map(({ lab_id, slug, within_radius, bookable, capabilities, supported_bill_types }) => [
      slug,
      {
        patient_service_centers: {
          appointment_with_service: bookable,
          ...(ctx.headerWord === undefined ? {} : { [withWord(ctx.headerWord)]: bookable }),
          within_radius,
          radius: String(radius),
          capabilities,
        },
        supported_bill_types,
        lab_id,
      },
    ]),
  );
}
