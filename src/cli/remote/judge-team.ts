// Judges the state of a team. The service counts (`get_team_status`), and a person reads the findings.
import { unwrap, type components, type Phial } from '@phial/client';
import { findingsOf, type Finding } from '../finding.ts';
import type { ManagedTeam } from './with-remote.ts';

type TeamStatus = components['schemas']['TeamStatus'];
type Endpoint = components['schemas']['Webhook'];

/** Below this rate an endpoint is likely down, and not only slow now and then. */
const GOOD_RATE = 0.95;
/** The service stops counting here what waits. */
const COUNTED = 10_000;
/** We look at this many endpoints to name those that are disabled or fail. */
const MAX_ENDPOINTS = 50;

export async function judgeTeam(manager: Phial, path: ManagedTeam): Promise<Finding[]> {
  const status = await unwrap(
    manager.GET('/v1/org/{org_id}/team/{team_id}/{environment}/status', { params: { path } }),
  );
  return [
    judgeDeliveries(status.deliveries),
    ...(await judgeEndpoints(status.endpoints, manager, path)),
    ...judgeLaboratories(status.laboratories),
  ];
}

function judgeDeliveries({ attempts, success_rate, latency_ms }: TeamStatus['deliveries']): Finding {
  const { fine, skipped, warning } = findingsOf('deliveries');
  if (success_rate === null) return skipped('no attempt within a day');
  const found =
    `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'} within a day, ` +
    `${(success_rate * 100).toFixed(1)} % succeeded, ` +
    `p50 ${latency_ms.p50 ?? '-'} ms, p99 ${latency_ms.p99 ?? '-'} ms`;
  if (success_rate >= GOOD_RATE) return fine(found);
  return warning(found, 'docs/guides/see-what-was-delivered.md finds the failed attempts.');
}

async function judgeEndpoints(
  { total, disabled, failing }: TeamStatus['endpoints'],
  manager: Phial,
  path: ManagedTeam,
): Promise<Finding[]> {
  const { fine, skipped, problem } = findingsOf('endpoints');
  if (total === 0) return [skipped('the team has none')];
  const wrong = disabled + failing;
  const named = wrong === 0 ? [] : await nameWrongEndpoints(manager, path, failing);
  const others = wrong - named.length;
  return [
    ...named,
    ...(others > 0
      ? [
          problem(
            others === 1 ? '1 other is disabled or fails' : `${others} others are disabled or fail`,
            'The dashboard lists all.',
          ),
        ]
      : []),
    // Those with a problem have their own lines.
    ...(wrong < total ? [fine(wrong === 0 ? `all ${total} work` : `${total - wrong} of ${total} work`)] : []),
  ];
}

/** Finds which of the endpoints are disabled, and at which the last attempt failed. */
async function nameWrongEndpoints(manager: Phial, path: ManagedTeam, failing: number): Promise<Finding[]> {
  const { problem } = findingsOf('endpoints');
  const { data } = await unwrap(
    manager.GET('/v1/org/{org_id}/team/{team_id}/{environment}/webhook', {
      params: { path, query: { limit: MAX_ENDPOINTS } },
    }),
  );
  const hostOf = ({ url }: Endpoint): string => new URL(url).host;
  const wrong = data.flatMap((endpoint) =>
    endpoint.disabled
      ? [
          problem(
            `${endpoint.id} at ${hostOf(endpoint)} is disabled`,
            'Mend it, enable it, then recover what it missed.',
          ),
        ]
      : [],
  );
  let unnamed = failing;
  for (const endpoint of data.filter((each) => !each.disabled)) {
    if (unnamed === 0) break;
    const { data: newest } = await unwrap(
      manager.GET('/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}/attempt', {
        params: { path: { ...path, webhook_id: endpoint.id }, query: { limit: 1 } },
      }),
    );
    const [last] = newest;
    if (last === undefined || last.status === 'succeeded') continue;
    unnamed -= 1;
    const answer = last.http_status === null ? last.error : `status ${last.http_status}`;
    wrong.push(problem(`${endpoint.id} at ${hostOf(endpoint)} fails: ${answer}`, 'Look at its log of attempts.'));
  }
  return wrong;
}

/** What waits until a person decides. */
const WAITING = [
  {
    check: 'critical results',
    count: 'critical_results_open',
    one: 'critical result that nobody has acknowledged',
    many: 'critical results that nobody has acknowledged',
    mend: 'Acknowledge them in the dashboard, which lists them, or by the API.',
  },
  {
    check: 'messages',
    count: 'messages_waiting',
    one: 'message of a laboratory waits for a repair',
    many: 'messages of laboratories wait for a repair',
    mend: 'docs/guides/repair-messages.md has the steps.',
  },
  {
    check: 'outgoing orders',
    count: 'orders_refused',
    one: 'order was refused by a laboratory',
    many: 'orders were refused by a laboratory',
    mend: 'docs/guides/repair-messages.md has the steps.',
  },
  {
    check: 'results',
    count: 'unmatched_results',
    one: 'result without an order waits for a decision',
    many: 'results without an order wait for a decision',
    mend: 'docs/guides/read-results.md has the steps.',
  },
  {
    check: 'lab reports',
    count: 'reports_to_review',
    one: 'uploaded lab report waits for a review',
    many: 'uploaded lab reports wait for a review',
    mend: 'docs/guides/parse-a-report.md has the steps.',
  },
] as const;

const judgeLaboratories = (counts: TeamStatus['laboratories']): Finding[] =>
  WAITING.map(({ check, count, one, many, mend }) => {
    const { fine, problem } = findingsOf(check);
    const waiting = counts[count];
    if (waiting === 0) return fine('none waits for a person');
    const found = waiting === 1 ? `1 ${one}` : `${waiting}${waiting < COUNTED ? '' : ' or more'} ${many}`;
    return problem(found, mend);
  });
