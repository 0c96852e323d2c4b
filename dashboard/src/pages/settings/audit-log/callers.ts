import { itemsOf, pagesOf } from '@phial/client';
import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../../../api/client.ts';
import { useSession, useTeamPath } from '../../../api/session.tsx';
import { inWords } from '../../../parts/status-badge.tsx';
import type { AuditLine } from './query.ts';

const WORDS = {
  session: 'Person in the dashboard',
  team_key: 'Team key',
  management_key: 'Management key',
  access_token: 'Access token',
  user_token: 'User token',
  link_token: 'Link token',
  link_code: 'Link code',
  signed_link: 'Signed link',
  operator: 'Operator',
};
export const ACTORS = Object.keys(WORDS) as (keyof typeof WORDS)[];

/** What a caller is. A job of the service has its own name. */
export const actorInWords = (actor: string): string =>
  ACTORS.some((known) => known === actor) ? WORDS[actor as keyof typeof WORDS] : inWords(actor);

/** The most names of a kind that are read. Callers beyond them show what they are, and their id. */
const MOST = 500;

async function take<Of extends { id: string }>(items: AsyncIterable<Of>, nameOf: (item: Of) => string) {
  const names: [string, string][] = [];
  for await (const item of items) {
    names.push([item.id, nameOf(item)]);
    if (names.length >= MOST) break;
  }
  return new Map(names);
}

/**
 * Returns a function that gives the name of a caller: the person, or the label of the key. It returns null if nobody
 * knows it, as for a key that was revoked.
 */
export function useCallerName(): (line: AuditLine) => string | null {
  const { org, person, region, environment } = useSession();
  const { team_id } = useTeamPath();
  const path = { org_id: org.id };
  const lasts = { staleTime: 300_000, retry: false };
  const managers = useQuery({
    queryKey: ['management_key_labels'],
    ...lasts,
    // An administrator of teams may not read these keys.
    enabled: person.role === 'org_admin',
    queryFn: () =>
      take(
        itemsOf(
          pagesOf((next) => unwrap(phial.GET('/v1/org/{org_id}/management_key', { params: { path, query: next } }))),
          'data',
        ),
        ({ label }) => label,
      ),
  });
  const teamKeys = useQuery({
    queryKey: ['team_key_labels', team_id],
    ...lasts,
    queryFn: () =>
      take(
        itemsOf(
          pagesOf((next) =>
            unwrap(
              phial.GET('/v1/org/{org_id}/team_api_keys/{env}/{region}', {
                params: {
                  path: { ...path, env: environment, region: region as 'us' | 'eu' },
                  query: { team_id, ...next },
                },
              }),
            ),
          ),
          'api_keys',
        ),
        ({ label }) => label,
      ),
  });
  return ({ actor, key_id, person_id, person_name }) => {
    if (actor === 'session') return person_id === null ? 'Operator' : person_name;
    return key_id === null ? null : (managers.data?.get(key_id) ?? teamKeys.data?.get(key_id) ?? null);
  };
}
