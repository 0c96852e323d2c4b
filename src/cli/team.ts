import type { Beta } from '../operation/betas.ts';
import { setBeta } from '../tenancy/teams/betas.ts';
import { findOrg } from '../tenancy/orgs/find.ts';
import { listAllTeams } from '../tenancy/teams/list-all.ts';
import { endSignedLinks } from '../tenancy/teams/end-signed-links.ts';
import { switchSetting, type Switch } from '../tenancy/teams/switch-setting.ts';
import { printDone, printRecords } from './print.ts';
import { withChange } from './with-change.ts';
import { withCtx } from './with-ctx.ts';

export function listTeamsCommand({ org, json }: { org: string | undefined; json: boolean }): Promise<number> {
  return withCtx('team list', async (ctx) => {
    if (org !== undefined) await findOrg(ctx, org);
    printRecords(json, 'teams', await listAllTeams(ctx, org ?? null));
    return 0;
  });
}

type Values = { org: string; team: string; beta: Beta; json: boolean };

export const openBetaCommand = (values: Values): Promise<number> => changeBeta('team open-beta', values, true);

export const closeBetaCommand = (values: Values): Promise<number> => changeBeta('team close-beta', values, false);

function changeBeta(words: string, { org, team, beta, json }: Values, open: boolean): Promise<number> {
  return withChange(words, async (ctx) => {
    await setBeta(ctx, { org_id: org, team_id: team, beta, open });
    const said = `${beta} ${open ? 'is open to the team now' : 'is closed to the team now'}.`;
    const printResult = (): void => printDone(json, said, { team_id: team, beta, is_open: open });
    return { org_id: org, team_id: team, records: [team], printResult };
  });
}

type LinkValues = { org: string; team: string; json: boolean };

export const endLinksCommand = ({ org, team, json }: LinkValues): Promise<number> =>
  withChange('team end-links', async (ctx) => {
    await endSignedLinks(ctx, { id: team, org_id: org });
    const said = 'All signed links of the team are ended.';
    const printResult = (): void => printDone(json, said, { team_id: team, links_ended: true });
    return { org_id: org, team_id: team, records: [team], printResult };
  });

type SwitchValues = { org: string; team: string; setting: Switch; to: 'on' | 'off'; json: boolean };

export const switchCommand = ({ org, team, setting, to, json }: SwitchValues): Promise<number> =>
  withChange('team switch', async (ctx) => {
    await switchSetting(ctx, { org_id: org, team_id: team, setting, on: to === 'on' });
    const said = `${setting} is now ${to} for the team.`;
    const printResult = (): void => printDone(json, said, { team_id: team, setting, is_on: to === 'on' });
    return { org_id: org, team_id: team, records: [team], printResult };
  });
