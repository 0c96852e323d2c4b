import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../context.ts';
import type { Payor, PayorSearch } from './schemas.ts';

const MAX_FOUND = 100;

/**
 * Finds payors of the platform and of the caller's team. A payor matches if its name, or one of its aliases, contains
 * every word of insurance_name. All other conditions must match too. Payors with exactly this name come first.
 */
export async function searchPayors(ctx: TeamCtx, by: Static<typeof PayorSearch>): Promise<Static<typeof Payor>[]> {
  const name = by.insurance_name?.toLowerCase() ?? '';
  const words = name.split(/\s+/).filter((word) => word !== '');
  const { rows } = await sql<Static<typeof Payor>>`
    select payor_code, name, aliases, org_address, case when team_id is null then 'platform' else 'team' end as source
    from payors
    where (team_id is null or team_id = ${ctx.team.id})
      and exists (
        select from unnest(array[name] || aliases) as names (known)
        where not exists (select from unnest(${words}::text[]) as words (word) where strpos(lower(known), word) = 0))
      and (${by.provider ?? null}::text is null and ${by.provider_payor_id ?? null}::text is null or exists (
        select from payor_external_codes as codes
        where codes.payor_code = payors.payor_code
          and codes.provider = coalesce(${by.provider ?? null}, codes.provider)
          and codes.provider_payor_id = coalesce(${by.provider_payor_id ?? null}, codes.provider_payor_id)))
    order by lower(name) = ${name} or ${name} = any (select lower(alias) from unnest(aliases) as alias) desc,
      strpos(lower(name), ${name}) = 1 desc, name, payor_code
    limit ${MAX_FOUND}`.execute(ctx.db);
  return rows;
}
