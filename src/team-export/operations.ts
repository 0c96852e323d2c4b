import { operation } from '../operation/operation.ts';
import { ndjson } from '../operation/media.ts';
import { ofTeam, TEAM_PATH } from '../tenancy/team-paths.ts';
import { exportTeam, refuseUnknownUser } from './export-team.ts';
import { beginExport, takePermit } from './export-lease.ts';
import { ExportLine, ExportQuery } from './schemas.ts';

export const teamExportOperations = [
  operation({
    id: 'export_team',
    method: 'GET',
    path: `${TEAM_PATH}/export`,
    tag: 'management',
    auth: 'management_key',
    scope: 'team',
    params: ofTeam,
    query: ExportQuery,
    response: ndjson(ExportLine),
    lasts: true,
    summary: 'Export everything of a team',
    description:
      'One JSON object per line: first the data of the team itself, then of each user, beginning with a line ' +
      '`user`. Sealed values are opened. Keys, secrets and headers of webhooks, tokens of providers and ' +
      'published events are not included. The last line is `end`, with the number of lines before it. ' +
      'Without it the stream was cut off. Continue with `after` and the last user who is followed by another ' +
      'user. Data that changes during the export is exported as it was when it was read. A team has one ' +
      'export at a time, also of a single user: 409 export_running. An organisation has two in each process ' +
      'of the service, and ' +
      'fewer while many others export: 503 not_ready with Retry-After.',
    refusals: ['export_running', 'not_found'],
    handle: async (ctx, { query: { after = null, user_id = null } }) => {
      if (user_id !== null) await refuseUnknownUser(ctx, user_id);
      takePermit(ctx);
      return exportTeam(ctx, await beginExport(ctx, user_id), { after, user_id });
    },
  }),
];
