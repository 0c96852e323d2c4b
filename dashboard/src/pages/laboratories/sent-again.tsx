import { Alert, Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useTeamPath } from '../../api/session.tsx';
import { refusalInWords } from '../../parts/refusals.ts';
import type { Entry } from './outgoing.tsx';

const EVERY_MS = 2_000;

/** The states in which the laboratory has said nothing yet. */
const UNSENT = new Set(['waiting', 'held']);

/** What became of a message that somebody sent again: read until the laboratory has answered. */
export function SentAgain({ entry: { id, order_id }, close }: { entry: Entry; close: () => void }) {
  const path = useTeamPath();
  const { data: found } = useQuery({
    queryKey: ['sent_again', path.team_id, id],
    queryFn: async () => {
      const read = (state: string) =>
        unwrap(
          phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/laboratory_outbox', {
            params: { path, query: { state, order_id, limit: 50 } },
          }),
        );
      const [open, accepted] = [await read('open'), await read('accepted')];
      return [...open.data, ...accepted.data].find((entry) => entry.id === id) ?? null;
    },
    refetchInterval: ({ state }) => (!state.data || UNSENT.has(state.data.state) ? EVERY_MS : false),
  });
  const state = found?.state;
  useEffect(() => {
    if (state !== undefined) void readAgain('laboratory_outbox');
  }, [state]);
  return (
    <Alert withCloseButton closeButtonLabel="Close" onClose={close} title={`Order …${order_id.slice(-8)}`}>
      {said(found)}{' '}
      <Anchor component={Link} to={`/orders/${order_id}`} underline="always">
        Open the order
      </Anchor>
    </Alert>
  );
}

function said(entry: Entry | null | undefined): string {
  if (!entry || entry.state === 'waiting') return 'It is waiting to be sent.';
  if (entry.state === 'accepted') return 'Sent. The laboratory accepted it.';
  if (entry.state === 'committed') return 'Sent. The laboratory stored it, and has not answered yet.';
  if (entry.state === 'refused') return `Sent, and refused again. ${refusalInWords(entry.reason ?? '')}.`;
  return 'It is held back, and not sent yet.';
}
