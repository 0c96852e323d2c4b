import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';
import { boundToOrg } from '../../db/session/bind.ts';
import { prepared } from '../../db/session/prepared.ts';
import { linkRefused, readToken } from '../../privacy/signed-link.ts';
import type { AuthKind, KeyIdentity } from './caller.ts';
import { idOf } from './signature.ts';

/**
 * Authenticates by a link that we signed for a record of an organisation, for example an invite. See signature.ts for
 * links of a team.
 */
export const orgSignature: AuthKind = {
  securitySchemes: {},
  refusals: ['link_refused'],
  async findCaller(ctx, access, _headers, { path, params, address }) {
    const kind = path.split('/').at(-2) ?? '';
    const token = params['token'] ?? '';
    const link = readToken(ctx.cipher, kind, token);
    const asked = link && { org_id: link.team_id, expires: link.expires };
    const org = asked && (await access.lookUp(address, (across) => findOrg(across, asked)));
    if (!link || !org) return { key: null, refusal: linkRefused() };
    const key: KeyIdentity = { kind: 'signed_link', id: idOf(token), org_id: org.id, team_id: null };
    const shown = { records: [link.id], countedAs: idOf(`links of ${org.id}`) };
    if (!org.opens) return { ...shown, key, refusal: linkRefused() };
    return {
      ctx: {
        ...boundToOrg(ctx, org.id),
        org: { id: org.id, name: org.name },
        signedId: link.id,
        signedUntil: link.expires,
      },
      ...shown,
      key,
      apiKey: token,
    };
  },
};

const findOrg = (
  ctx: Ctx,
  { org_id, expires }: { org_id: string; expires: number },
): Promise<{ id: string; name: string; opens: boolean } | undefined> =>
  boundToOrg(ctx, org_id)
    .db.selectFrom('orgs')
    .select(['id', 'name'])
    .select(sql<boolean>`to_timestamp(${expires}::float8) > now()`.as('opens'))
    .where('id', '=', org_id)
    .$call(prepared('organisation of signed link'))
    .executeTakeFirst();
