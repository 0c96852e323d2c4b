import { sql } from 'kysely';
import type { OrgSignedCtx } from '../../context.ts';
import type { BrowserAnswer } from '../../http/media.ts';
import { escapeHtml, layout } from '../../http/page.ts';
import { linkRefused } from '../../privacy/signed-link.ts';
import { findConfigurationOrNull } from './configuration.ts';
import { openMember } from './members/render.ts';
import { ownOf } from '../../wire/own.ts';

const STYLE = `
section{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem;margin:0 0 .75rem}
section h2{font-size:1rem;margin:0 0 .25rem}
section p{margin:0;overflow-wrap:anywhere}
`;

const FEATURE_WORDS: Record<string, string> = {
  home: 'Overview',
  users: 'Users',
  orders: 'Orders',
  results: 'Results',
};

/**
 * The page that a link of an EHR opens: who was let in, for which teams and what. Throws link_refused once the session, its
 * member, the member's binding to its team or the modality is gone.
 */
export async function openDashboard(ctx: OrgSignedCtx): Promise<BrowserAnswer> {
  const session = await findSession(ctx);
  const member = openMember(ctx, ctx.org.id, { ...session, id: session.member_id });
  const configuration = await findConfigurationOrNull(ctx);
  if (!configuration?.modalities.some((modality) => modality === session.modality)) throw linkRefused();
  if (session.team_id !== null && !member.team_ids?.includes(session.team_id)) throw linkRefused();
  const teams = await teamNames(ctx, session.team_id === null ? (member.team_ids ?? []) : [session.team_id]);
  const body = [
    card('Signed in as', member.name, member.email),
    card(teams.length === 1 ? 'Team' : 'Teams', ...(teams.length === 0 ? ['None yet.'] : teams)),
    card('You asked for', ownOf(FEATURE_WORDS, session.feature) ?? session.feature),
    '<p>This release has no dashboard yet: this page shows that your EHR may let you in, and as whom. Users, orders and ' +
      'results are where your EHR shows them. You can close this page.</p>',
  ];
  return {
    ...layout(ctx.org.name, body.join('\n'), STYLE),
    ...(session.modality === 'feature_embed'
      ? { framedBy: configuration.origin_configs.map(({ origin }) => origin) }
      : {}),
  };
}

const card = (title: string, ...lines: string[]): string =>
  `<section><h2>${escapeHtml(title)}</h2>${lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('')}</section>`;

type Session = {
  member_id: string;
  team_id: string | null;
  feature: string;
  modality: string;
  person: Buffer;
  team_ids: string[] | null;
};

async function findSession({ db, org, signedId }: OrgSignedCtx): Promise<Session> {
  const found = await db
    .selectFrom('ehr_sessions')
    .innerJoin('ehr_members', 'ehr_members.id', 'ehr_sessions.member_id')
    .select(['member_id', 'team_id', 'feature', 'modality', 'person', 'team_ids'])
    .where('ehr_sessions.org_id', '=', org.id)
    .where('ehr_sessions.id', '=', signedId)
    .where('expires_at', '>', sql<string>`now()`)
    .executeTakeFirst();
  if (!found) throw linkRefused();
  return found;
}

/** Of teams that are there; a session whose only team is deleted is refused by the erasure of its row, and shows none before. */
async function teamNames({ db, org }: OrgSignedCtx, ids: string[]): Promise<string[]> {
  const teams = await db
    .selectFrom('teams')
    .select('name')
    .where('org_id', '=', org.id)
    .where(sql<boolean>`id = any (${ids}::uuid[])`)
    .where('deleted_at', 'is', null)
    .orderBy('name')
    .execute();
  return teams.map(({ name }) => name);
}
