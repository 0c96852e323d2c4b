import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { FigureTile, formatCount } from '../../parts/figure-tile.tsx';
import { EVERY_MS, Section } from './section.tsx';

/** The list has no total, and more than this need the same attention. */
const COUNTED = 100;

/** Orders of the team, and messages of laboratories that nobody has repaired. */
export function Laboratories() {
  const path = useTeamPath();
  const orders = useQuery({
    queryKey: ['orders', 'total', path.team_id],
    queryFn: () => unwrap(phial.GET('/v3/orders', { params: { query: { size: 1 } } })),
    refetchInterval: EVERY_MS,
  });
  const critical = useQuery({
    queryKey: ['orders', 'critical', path.team_id],
    queryFn: () => unwrap(phial.GET('/v3/orders', { params: { query: { size: 1, is_critical: true } } })),
    refetchInterval: EVERY_MS,
  });
  const failed = useQuery({
    queryKey: ['laboratory_messages', 'failed', path.team_id],
    queryFn: () =>
      unwrap(
        phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/laboratory_message', {
          params: { path, query: { state: 'failed', limit: COUNTED } },
        }),
      ),
    refetchInterval: EVERY_MS,
  });
  const waiting = failed.data?.data.length;
  return (
    <Section title="Laboratory tests" query={[orders, critical, failed].find(({ error }) => error) ?? orders}>
      <FigureTile label="Orders" value={orders.data && formatCount(orders.data.total)} note="In every status" />
      <FigureTile
        label="With a critical result"
        value={critical.data && formatCount(critical.data.total)}
        note="Also those that somebody saw"
        tone={critical.data && critical.data.total > 0 ? 'bad' : 'quiet'}
      />
      <FigureTile
        label="Laboratory messages"
        value={waiting === undefined ? undefined : waiting === COUNTED ? `${COUNTED} or more` : formatCount(waiting)}
        note="Wait for a repair"
        tone={waiting ? 'warning' : 'quiet'}
      />
    </Section>
  );
}
