// How commands ask a running service: by the public interface, with a key, and through the client that customers use.
import { openPhial, PhialError, type Phial } from '@phial/client';
import { readEnvironment } from '../../config/read-environment.ts';
import { CommandError, UsageError } from '../command.ts';
import { reasonOf } from '../listen/reason.ts';
import { addressOf, findSandboxOrNull, keyOfEnvironment, serviceOf } from '../find-service.ts';

type RemoteValues = { url: string | undefined; key: string | undefined };
type TeamValues = RemoteValues & { org: string | undefined; team: string | undefined };

export type ManagedTeam = { org_id: string; team_id: string; environment: 'sandbox' | 'production' };

export type Remote = {
  baseUrl: string;
  /** Throws UsageError if there is no team key. */
  team: () => Phial;
  hasTeamKey: boolean;
  /** The client with a management key, or null if there is none. */
  manager: Phial | null;
};

/** Once, so that a person at a terminal does not wait long for a service that is away. */
const RETRIES = 1;
/** For the head of the response. The body of an export can take an hour. */
const ANSWERS_WITHIN_MS = 60_000;

/** Runs `work` with clients of the service. Says what to do if the service does not answer, or refuses. */
export async function withRemote(
  words: string,
  values: RemoteValues,
  work: (remote: Remote) => Promise<number>,
): Promise<number> {
  const remote = openRemote(words, values);
  try {
    return await work(remote);
  } catch (error) {
    throw describeUnanswered(error, remote.baseUrl);
  }
}

function openRemote(words: string, { url, key: given }: RemoteValues): Remote {
  const env = readEnvironment();
  const key = given ?? keyOfEnvironment(env);
  const sandbox = key === undefined ? findSandboxOrNull(env) : null;
  const address = url === undefined ? serviceOf(words, env) : addressOf(words, '--url', url);
  const baseUrl = address.href.replace(/\/$/, '');
  const options = { baseUrl, retries: RETRIES, fetch: send };
  const isManagement = key?.startsWith('mg_') ?? false;
  const managementKey = isManagement ? key : sandbox?.management_key;
  const apiKey = isManagement ? undefined : (key ?? sandbox?.team_api_key);
  return {
    baseUrl,
    hasTeamKey: apiKey !== undefined,
    team: () => {
      if (apiKey) return openPhial({ ...options, apiKey });
      throw new UsageError(
        `phial ${words} needs a team API key. Set PHIAL_API_KEY, or run it where a sandbox was started.`,
      );
    },
    manager: managementKey ? openPhial({ ...options, managementKey }) : null,
  };
}

/** Follows no redirect, which may lead to another server that would then get the key. */
async function send(request: Request): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException('no answer', 'TimeoutError')), ANSWERS_WITHIN_MS);
  try {
    return await fetch(request, { redirect: 'manual', signal: late.signal });
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the team that a management key is to open. Throws UsageError if the flags and the sandbox name none. */
export async function findManagedTeam(
  words: string,
  { baseUrl, manager }: Remote,
  { org, team }: TeamValues,
): Promise<{ manager: Phial; path: ManagedTeam }> {
  if (!manager)
    throw new UsageError(`phial ${words} needs a management key. Set PHIAL_API_KEY to one, or give it with --key.`);
  const sandbox = org === undefined || team === undefined ? findSandboxOrNull(readEnvironment()) : null;
  const org_id = org ?? sandbox?.org_id;
  const team_id = team ?? sandbox?.team_id;
  if (!org_id || !team_id) throw new UsageError(`phial ${words} needs --org ID and --team ID with this key.`);
  return { manager, path: { org_id, team_id, environment: await readEnvironmentOf(baseUrl) } };
}

export async function readEnvironmentOf(baseUrl: string): Promise<ManagedTeam['environment']> {
  const { data } = await openPhial({ baseUrl, apiKey: '', retries: RETRIES }).GET('/');
  if (data?.environment !== 'sandbox' && data?.environment !== 'production')
    throw new CommandError(`${baseUrl} is not the address of a Phial service. Name it with --url.`);
  return data.environment;
}

/** Returns the error for a person: what happened, and what to do. */
export function describeUnanswered(error: unknown, baseUrl: string): Error {
  if (error instanceof PhialError) return new CommandError(`${baseUrl} answered ${error.message}${adviceOn(error)}`);
  if (!isUnanswered(error)) return error as Error;
  return new CommandError(
    `Nothing answers at ${baseUrl}: ${reasonOf(error)}. Start the service with phial serve, or name its address ` +
      'with --url.',
  );
}

const isUnanswered = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'TimeoutError' || (error.name === 'TypeError' && 'cause' in error));

function adviceOn({ status, code }: PhialError<string>): string {
  if (code === 'unknown_answer') return ' Name the address of the service with --url.';
  if (status === 401) return ' Set PHIAL_API_KEY to a key of this service.';
  return '';
}
