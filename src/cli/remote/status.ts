import { unwrap } from '@phial/client';
import { findingsOf, renderFindings, STATES, type Finding } from '../finding.ts';
import { printJson } from '../print.ts';
import { judgeTeam } from './judge-team.ts';
import { findManagedTeam, withRemote, type Remote } from './with-remote.ts';

type StatusOptions = {
  url: string | undefined;
  key: string | undefined;
  org: string | undefined;
  team: string | undefined;
  json: boolean;
};

/** A request that waited this long shows that the process is overloaded. */
const LONG_WAIT_SECONDS = 1;

/** Prints the state of the service and of a team, what is wrong first. Returns 1 if something needs a person. */
export async function statusCommand(values: StatusOptions): Promise<number> {
  return withRemote('status', values, async (remote) => {
    const findings = [...(await checkService(remote))];
    if (remote.manager) {
      const { manager, path } = await findManagedTeam('status', remote, values);
      findings.push(...(await judgeTeam(manager, path)));
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
