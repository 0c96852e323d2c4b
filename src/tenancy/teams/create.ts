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

/** A team with what every team starts with. */
export function createTeam(ctx: Ctx, input: NewTeam): Promise<TeamRow> {
  return inTransaction(boundToOrg(ctx, input.org_id), async (ctx) => {
    if (input.integration_team_id) await refuseTaken(ctx, input.org_id, input.integration_team_id);
    await refuseBeyondLimit(ctx, 'teamsPerOrg', input.org_id, () => countTeams(ctx, input.org_id));
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
    // What was done to a deleted team stays that team's in every log: its id is not given to another.
    if (!team || (input.id && (await wasDeleted(boundToTeam(ctx, input.id), input.id)))) {
      // Whose it is or was, another organisation's perhaps, is not said.
      throw new AppError('team_id_taken', 'This id is taken. Choose another, or leave it out.');
    }
    for (const step of ctx.newTeam) await step(boundToTeam(ctx, team.id), team.id);
    return team;
  });
}

const settingsFrom = ({ brand_information: brand, ...settings }: NonNullable<NewTeam['settings']>) => ({
  ...settings,
  brand_information: brand && changeBrand(newBrand(brand.company_name), brand),
});

async function countTeams(ctx: Ctx, orgId: string): Promise<number> {
  const { teams } = await ctx.db
    .selectFrom('teams')
    .select((eb) => eb.fn.countAll<number>().as('teams'))
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return teams;
}
