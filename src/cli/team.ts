import { setClosedBeta, type ClosedBeta } from '../tenancy/teams/closed-beta.ts';
import { withChange } from './with-change.ts';

type Values = { org: string; team: string; beta: ClosedBeta };

export const openBetaCommand = (values: Values): Promise<number> => changeBeta('team open-beta', values, true);

export const closeBetaCommand = (values: Values): Promise<number> => changeBeta('team close-beta', values, false);

function changeBeta(words: string, { org, team, beta }: Values, open: boolean): Promise<number> {
  return withChange(words, async (ctx) => {
    await setClosedBeta(ctx, { org_id: org, team_id: team, beta, open });
    const tell = (): void => console.log(`${beta} ${open ? 'is open to the team now' : 'is closed to the team now'}.`);
    return { org_id: org, team_id: team, records: [team], tell };
  });
}
