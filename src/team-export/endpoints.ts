import { endpoint } from '../http/endpoint.ts';
import { ndjson } from '../http/media.ts';
import { ofTeam, TEAM_PATH } from '../tenancy/places.ts';
import { exportTeam } from './export-team.ts';
import { beginExport, takePlace } from './one-at-a-time.ts';
import { ExportLine, ExportQuery } from './schemas.ts';

export const teamExportEndpoints = [
  endpoint({
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
      'One JSON object a line: first what is of the team itself, then user by user, each beginning with its line `user`. ' +
      'Sealed values are opened; keys, secrets of webhooks, headers of webhooks, and tokens of providers are never in it, nor ' +
      'what was published as events. The last line is `end`, with the number of lines before it: without it the stream was cut ' +
      'off, and goes on with `after`, the last user who is followed by another. What changes while it runs is told as it was ' +
      'when it was read. One export of a team at a time: 409 export_running; of an organisation two in each process of the ' +
      'service, and fewer while many others export: 503 not_ready, with when to ask again.',
    refusals: ['export_running'],
    handle: async (ctx, { query: { after = null } }) => {
      takePlace(ctx);
      return exportTeam(ctx, await beginExport(ctx), after);
    },
  }),
];
