import { setClosedBeta } from '../tenancy/teams/closed-beta.ts';
import { findOrg } from '../tenancy/orgs/find.ts';
import { listAllTeams } from '../tenancy/teams/list-all.ts';
import { endSignedLinks } from '../tenancy/teams/end-signed-links.ts';
import { switchSetting, type Switch } from '../tenancy/teams/switch-setting.ts';
import { withChange } from './with-change.ts';
import { withCtx } from './with-ctx.ts';

export function listTeamsCommand({ org }: { org: string | undefined }): Promise<number> {
  return withCtx('team list', async (ctx) => {
    if (org !== undefined) await findOrg(ctx, org);
    for (const team of await listAllTeams(ctx, org ?? null)) console.log(JSON.stringify(team));
    return 0;
  });
}

type Values = { org: string; team: string; beta: Parameters<typeof setClosedBeta>[1]['beta'] };

export const openBetaCommand = (values: Values): Promise<number> => changeBeta('team open-beta', values, true);

export const closeBetaCommand = (values: Values): Promise<number> => changeBeta('team close-beta', values, false);

function changeBeta(words: string, { org, team, beta }: Values, open: boolean): Promise<number> {
  return withChange(words, async (ctx) => {
    await setClosedBeta(ctx, { org_id: org, team_id: team, beta, open });
    const printResult = (): void =>
      console.log(`${beta} ${open ? 'is open to the team now' : 'is closed to the team now'}.`);
    return { org_id: org, team_id: team, records: [team], printResult };
  });
}

export const endLinksCommand = ({ org, team }: { org: string; team: string }): Promise<number> =>
  withChange('team end-links', async (ctx) => {
    await endSignedLinks(ctx, { id: team, org_id: org });
    const printResult = (): void => console.log('All signed links of the team are ended.');
    return { org_id: org, team_id: team, records: [team], printResult };
  });

type SwitchValues = { org: string; team: string; setting: Switch; to: 'on' | 'off' };

export const switchCommand = ({ org, team, setting, to }: SwitchValues): Promise<number> =>
  withChange('team switch', async (ctx) => {
    await switchSetting(ctx, { org_id: org, team_id: team, setting, on: to === 'on' });
    const printResult = (): void => console.log(`${setting} is now ${to} for the team.`);
    return { org_id: org, team_id: team, records: [team], printResult };
  });
