import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import type { LinkRedirectUrls } from './schemas.ts';

/** Where link tokens of the team may send browsers to. */
export const linkRedirectUrls = ({ team }: TeamCtx): Static<typeof LinkRedirectUrls> => ({
  urls: team.settings.link_redirect_urls ?? [],
});

/** Puts a list in the place of the one before; link tokens that were made by it end elsewhere from now on. */
export async function putLinkRedirectUrls(
  ctx: TeamCtx,
  { urls }: Static<typeof LinkRedirectUrls>,
): Promise<Static<typeof LinkRedirectUrls>> {
  const distinct = [...new Set(urls)];
  await sql`
    update teams set settings = settings || jsonb_build_object('link_redirect_urls', ${JSON.stringify(distinct)}::jsonb)
     where id = ${ctx.team.id} and deleted_at is null`.execute(ctx.db);
  return { urls: distinct };
}
