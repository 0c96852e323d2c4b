import { boundToOrg, boundToTeam } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Ctx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { refuseBeyondLimit } from '../limits.ts';

export type NewTeam = {
  org_id: string;
  name: string;
  id?: string | null;
  integration_team_id?: string | null;
  settings?: Record<string, unknown>;
};

export type CreatedTeam = {
  id: string;
  name: string;
  created_at: string;
  integration_team_id: string | null;
  settings: unknown;
};

/** A team with what every team starts with. */
export function createTeam(ctx: Ctx, input: NewTeam): Promise<CreatedTeam> {
  return inTransaction(boundToOrg(ctx, input.org_id), async (ctx) => {
    await refuseTaken(ctx, input);
    await refuseBeyondLimit(ctx, 'teamsPerOrg', input.org_id, () => countTeams(ctx, input.org_id));
    const team = await ctx.db
      .insertInto('teams')
      .values({
        id: input.id ?? newId(),
        org_id: input.org_id,
        name: input.name,
        integration_team_id: input.integration_team_id ?? null,
        settings: JSON.stringify(input.settings ?? {}),
      })
      .onConflict((oc) => oc.doNothing())
      .returning(['id', 'name', 'created_at', 'integration_team_id', 'settings'])
      .executeTakeFirst();
    if (!team) {
      await refuseTaken(ctx, input); // somebody else was faster, and is visible now
      // Whose it is, another organisation's perhaps, is not said.
      throw new AppError('team_id_taken', 'This id is taken. Choose another, or leave it out.');
    }
    for (const step of ctx.newTeam) await step(boundToTeam(ctx, team.id), team.id);
    return team;
  });
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

async function refuseTaken(ctx: Ctx, input: NewTeam): Promise<void> {
  if (!input.integration_team_id) return;
  const taken = await ctx.db
    .selectFrom('teams')
    .select('id')
    .where('org_id', '=', input.org_id)
    .where('integration_team_id', '=', input.integration_team_id)
    .executeTakeFirst();
  if (!taken) return;
  throw new AppError('integration_team_id_conflict', 'A team with this integration_team_id exists.', {
    detail: { team_id: taken.id },
    fields: { team_id: taken.id },
  });
}
