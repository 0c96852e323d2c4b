import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { phial, unwrap } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { useTeamPath } from '../api/session.tsx';
import { useReadAfter } from './read-after.ts';

const EVENT_ATTEMPTS = '/v1/org/{org_id}/team/{team_id}/{environment}/event/{event_id}/attempt';
const AGAIN_MS = 1_000;
/** What is not sent within this many looks waits for longer: the endpoint is disabled or busy. */
const MOST_LOOKS = 30;

type Awaited = {
  event_id: string;
  webhook_id: string;
  /** The attempts that were made before. */
  before: number;
};

/** Returns the attempt that somebody asked for, once it is made, and has the page read again what it changes. */
export function useMadeAttempt(awaited: Awaited | null) {
  const { event_id = '', webhook_id, before = 0 } = awaited ?? {};
  const path = { ...useTeamPath(), event_id };
  const { data: made } = useQuery({
    queryKey: ['made_attempt', path.team_id, event_id, webhook_id, before],
    queryFn: async () => {
      const { data } = await unwrap(phial.GET(EVENT_ATTEMPTS, { params: { path, query: { limit: 100 } } }));
      return data.find((attempt) => attempt.webhook_id === webhook_id && attempt.attempt > before) ?? null;
    },
    enabled: awaited !== null,
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data || dataUpdateCount >= MOST_LOOKS ? false : AGAIN_MS,
  });
  const id = made?.id;
  useEffect(() => {
    if (id !== undefined) void readAgain('attempts', 'event_attempts', 'webhook');
  }, [id]);
  useReadAfter(id, 'endpoint_figures');
  return made ?? null;
}
