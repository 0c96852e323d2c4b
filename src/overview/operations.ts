import { Type } from 'typebox';
import { ndjson } from '../operation/media.ts';
import { operation } from '../operation/operation.ts';
import { ofTeam, TEAM_PATH } from '../tenancy/team-paths.ts';
import { Uuid } from '../wire/schema.ts';
import { exportAuditLog, listAuditLog, takeExportPermit } from './read-audit-log.ts';
import { readStatus } from './read-status.ts';
import { readUsage } from './read-usage.ts';
import {
  AuditLogExportQuery,
  AuditLogLine,
  AuditLogPage,
  AuditLogQuery,
  OrgUsage,
  TeamStatus,
  UsageQuery,
} from './schemas.ts';

const management = { tag: 'overview', auth: 'management_key' } as const;
const ofOrg = Type.Object({ org_id: Uuid });

/** Operations that show an organisation what happens in it. */
export const overviewOperations = [
  operation({
    ...management,
    id: 'list_audit_log',
    method: 'GET',
    path: '/v1/org/{org_id}/audit_log',
    scope: 'teams',
    params: ofOrg,
    query: AuditLogQuery,
    response: AuditLogPage,
    summary: 'List the audit log',
    description:
      'Who read or changed which records, by ids only. The newest line comes first. A Team Management Key lists the ' +
      'lines of its own teams. A line can appear up to a second after its request.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { query }) => listAuditLog(ctx, query),
  }),
  operation({
    ...management,
    id: 'export_audit_log',
    method: 'GET',
    path: '/v1/org/{org_id}/audit_log/export',
    scope: 'teams',
    params: ofOrg,
    query: AuditLogExportQuery,
    response: ndjson(AuditLogLine),
    lasts: true,
    summary: 'Export the audit log',
    description:
      'One JSON object per line, the oldest first, with the filters of the list. 503 not_ready with Retry-After: too ' +
      'many exports run.',
    refusals: [],
    handle: async (ctx, { query }) => {
      takeExportPermit(ctx);
      // The export ends before its own line, however slowly the client reads.
      return exportAuditLog(ctx, { until: new Date(Date.now() - 1).toISOString(), ...query });
    },
  }),
  operation({
    ...management,
    id: 'get_usage',
    method: 'GET',
    path: '/v1/org/{org_id}/usage',
    scope: 'org',
    params: ofOrg,
    query: UsageQuery,
    response: OrgUsage,
    summary: 'Read what the organisation uses',
    description:
      'What it has now and what it used in a month, in sum and for each team. Teams come by id, 50 per page. A user ' +
      'who was deleted within the last minute may still count. An erasure does not lower the figures of a month.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { query }) => readUsage(ctx, query),
  }),
  operation({
    ...management,
    id: 'get_team_status',
    method: 'GET',
    path: `${TEAM_PATH}/status`,
    scope: 'team',
    params: ofTeam,
    response: TeamStatus,
    summary: 'Read the state of a team at a glance',
    description: 'Deliveries and samples of the last 24 hours, endpoints, connections, and what waits for somebody.',
    handle: (ctx) => readStatus(ctx),
  }),
];
