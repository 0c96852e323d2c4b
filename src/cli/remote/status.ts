import { unwrap, type Phial } from '@phial/client';
import { findingsOf, renderFindings, STATES, type Finding } from '../finding.ts';
import { printJson } from '../print.ts';
import { findManagedTeam, withRemote, type ManagedTeam, type Remote } from './with-remote.ts';

type StatusOptions = {
  url: string | undefined;
  key: string | undefined;
  org: string | undefined;
  team: string | undefined;
  json: boolean;
};

/** A request that waited this long shows that the process is overloaded. */
const LONG_WAIT_SECONDS = 1;
const FEW_SUCCEED = 0.95;
/** We read the figures of this many endpoints, and one page of each list. */
const MAX_ENDPOINTS = 50;
const PAGE = 100;

/** Prints the state of the service and of a team, what is wrong first. Returns 1 if something needs a person. */
export async function statusCommand(values: StatusOptions): Promise<number> {
  return withRemote('status', values, async (remote) => {
    const findings = [...(await checkService(remote))];
    if (remote.manager) {
      const { manager, path } = await findManagedTeam('status', remote, values);
      findings.push(
        await checkDeliveries(manager, path),
        ...(await checkEndpoints(manager, path)),
        ...(await checkLaboratories(manager, path)),
      );
    } else findings.push(findingsOf('team').skipped('deliveries and laboratories need a management key'));
    findings.sort((one, other) => STATES.indexOf(one.state) - STATES.indexOf(other.state));
    const needsPerson = findings.some(({ state }) => state === 'problem');
    if (values.json) printJson({ base_url: remote.baseUrl, needs_person: needsPerson, findings });
    else console.log(renderFindings(findings));
    return needsPerson ? 1 : 0;
  });
}

async function checkService({ baseUrl, manager, team }: Remote): Promise<Finding[]> {
  const phial = manager ?? team();
  const begun = performance.now();
  const { version, environment, region } = await unwrap(phial.GET('/'));
  const took = Math.round(performance.now() - begun);
  const service = findingsOf('service').fine(`${version}, ${environment}, region ${region}, answers in ${took} ms`);
  // Not through the client, which would ask again for a while as long as the answer is 503.
  const response = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(10_000) });
  const body = (await response.json()) as { detail?: unknown; request_wait_seconds?: number };
  const { fine, problem } = findingsOf('database');
  if (response.status !== 200)
    return [service, problem(`the service is not ready: ${String(body.detail)}`, 'phial doctor says how to mend it.')];
  return [service, fine('answers'), checkRequests(body.request_wait_seconds ?? 0)];
}

function checkRequests(seconds: number): Finding {
  const { fine, warning } = findingsOf('requests');
  if (seconds < LONG_WAIT_SECONDS) return fine('none waits');
  return warning(`one has waited for ${seconds} s`, 'Start another process of the API, or give it more connections.');
}

async function checkDeliveries(manager: Phial, path: ManagedTeam): Promise<Finding> {
  const { fine, skipped, warning } = findingsOf('deliveries');
  const { total } = await unwrap(
    manager.GET('/v1/org/{org_id}/team/{team_id}/{environment}/webhook_metrics', { params: { path } }),
  );
  const { attempts, success_rate, latency_ms } = total;
  if (success_rate === null) return skipped('no attempt within a day');
  const found =
    `${attempts} attempts within a day, ${(success_rate * 100).toFixed(1)} % succeeded, ` +
    `p50 ${latency_ms.p50 ?? '-'} ms, p99 ${latency_ms.p99 ?? '-'} ms`;
  if (success_rate >= FEW_SUCCEED) return fine(found);
  return warning(found, 'docs/guides/see-what-was-delivered.md finds the failed attempts.');
}

async function checkEndpoints(manager: Phial, path: ManagedTeam): Promise<Finding[]> {
  const { fine, skipped, problem } = findingsOf('endpoints');
  const query = { limit: MAX_ENDPOINTS };
  const { data, next_cursor } = await unwrap(
    manager.GET('/v1/org/{org_id}/team/{team_id}/{environment}/webhook', { params: { path, query } }),
  );
  if (data.length === 0) return [skipped('the team has none')];
  const wrong: Finding[] = [];
  for (const { id, url, disabled } of data) {
    const host = new URL(url).host;
    if (disabled) {
      wrong.push(problem(`${id} at ${host} is disabled`, 'Mend it, enable it, then recover what it missed.'));
      continue;
    }
    const { total } = await unwrap(
      manager.GET('/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}/metrics', {
        params: { path: { ...path, webhook_id: id } },
      }),
    );
    if (total.attempts > 0 && total.succeeded === 0)
      wrong.push(problem(`${id} at ${host} refused all ${total.attempts} attempts of a day`, 'Look at its log.'));
  }
  const all = `${data.length}${next_cursor === null ? '' : ' or more'}`;
  return [...wrong, fine(`${all} in all, ${wrong.length} with a problem`)];
}

/** What waits until a person decides. */
async function checkLaboratories(manager: Phial, path: ManagedTeam): Promise<Finding[]> {
  const params = { path, query: { limit: PAGE } };
  const lists = [
    {
      check: 'messages',
      what: 'messages of laboratories wait for a repair',
      mend: 'docs/guides/repair-messages.md',
      page: manager.GET('/v1/org/{org_id}/team/{team_id}/{environment}/laboratory_message', { params }),
    },
    {
      check: 'outgoing orders',
      what: 'orders were refused by a laboratory',
      mend: 'docs/guides/repair-messages.md',
      page: manager.GET('/v1/org/{org_id}/team/{team_id}/{environment}/laboratory_outbox', { params }),
    },
    {
      check: 'results',
      what: 'results without an order wait for a decision',
      mend: 'docs/guides/read-results.md',
      page: manager.GET('/v1/org/{org_id}/team/{team_id}/{environment}/unmatched_result', {
        params: { path, query: { ...params.query, status: 'pending_customer_review' } },
      }),
    },
  ];
  return Promise.all(
    lists.map(async ({ check, what, mend, page }) => {
      const { data, next_cursor } = await unwrap(page as Promise<Page>);
      const { fine, problem } = findingsOf(check);
      if (data.length === 0) return fine('none waits for a person');
      return problem(`${data.length}${next_cursor === null ? '' : ' or more'} ${what}`, `${mend} has the steps.`);
    }),
  );
}

type Page = { data: { data: unknown[]; next_cursor: string | null }; error?: undefined; response: Response };
