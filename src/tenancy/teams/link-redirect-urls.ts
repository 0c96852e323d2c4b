import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import type { LinkRedirectUrls } from './schemas.ts';

/** Returns the URLs to which link tokens of the team may redirect browsers. */
export const linkRedirectUrls = ({ team }: TeamCtx): Static<typeof LinkRedirectUrls> => ({
  urls: team.settings.link_redirect_urls ?? [],
});

/**
 * Replaces the list. A link token that is in use may contain a URL that this call removes from the list. In production,
 * the user's browser then stays on our page at the end.
 */
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
