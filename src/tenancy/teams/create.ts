import type { Static } from 'typebox';
import { boundToOrg, boundToTeam } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Ctx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { refuseBeyondLimit } from '../limits.ts';
import { changeBrand, newBrand } from './brand.ts';
import { wasDeleted } from './deletion/find.ts';
import { refuseTaken } from './integration-team-id.ts';
import { TEAM_COLUMNS, type TeamRow } from './render.ts';
import type { TeamInput } from './schemas.ts';

export type NewTeam = {
  org_id: string;
  name: string;
  id?: string | null;
  integration_team_id?: string | null;
  settings?: Record<string, unknown> & Pick<Static<typeof TeamInput>, 'brand_information'>;
};

/** Creates a team with the standard lab tests. */
export function createTeam(ctx: Ctx, input: NewTeam): Promise<TeamRow> {
  return inTransaction(boundToOrg(ctx, input.org_id), async (ctx) => {
    if (input.integration_team_id) await refuseTaken(ctx, input.org_id, input.integration_team_id);
    await refuseBeyondLimit(ctx, 'teamsPerOrg', input.org_id, () => countTeams(ctx, input.org_id));
    if (input.id && (await isTakenOtherwise(ctx, input.id))) refuseId();
    const team = await ctx.db
      .insertInto('teams')
      .values({
        id: input.id ?? newId(),
        org_id: input.org_id,
        name: input.name,
        integration_team_id: input.integration_team_id ?? null,
        settings: JSON.stringify(input.settings ? settingsFrom(input.settings) : {}),
      })
      .onConflict((oc) => oc.doNothing())
      .returning(TEAM_COLUMNS)
      .executeTakeFirst();
    if (!team) refuseId();
    for (const step of ctx.subscriptions.teamCreated) await step(boundToTeam(ctx, team.id), team.id);
    return team;
  });
}

/**
 * Returns true if an organisation has this id, or if a deleted team had it. A team must not have the id of an
 * organisation, because we store idempotency keys under the id of a team or an organisation, and could not tell the two
 * apart. It must not have the id of a deleted team, because the logs about the deleted team contain that id.
 */
const isTakenOtherwise = async (ctx: Ctx, id: string): Promise<boolean> =>
  (await isOrg(boundToOrg(ctx, id), id)) || (await wasDeleted(boundToTeam(ctx, id), id));

/** Throws team_id_taken. The id may belong to another organisation, so the error does not say to whom it belongs. */
function refuseId(): never {
  throw new AppError('team_id_taken', 'This id is in use. Choose another, or leave it out.');
}

const settingsFrom = ({ brand_information: brand, ...settings }: NonNullable<NewTeam['settings']>) => ({
  ...settings,
  brand_information: brand && changeBrand(newBrand(brand.company_name), brand),
});

/** Returns true if an organisation has this id. `ctx` must have access to the rows of that organisation. */
async function isOrg({ db }: Ctx, id: string): Promise<boolean> {
  const found = await db.selectFrom('orgs').select('id').where('id', '=', id).executeTakeFirst();
  return found !== undefined;
}

async function countTeams(ctx: Ctx, orgId: string): Promise<number> {
  const { teams } = await ctx.db
    .selectFrom('teams')
    .select((eb) => eb.fn.countAll<number>().as('teams'))
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return teams;
}
