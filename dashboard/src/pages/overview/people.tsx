import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { FigureTile, formatCount } from '../../parts/figure-tile.tsx';
import { EVERY_MS, Section } from './section.tsx';

/** Users and their connections to providers of wearable data. */
export function People() {
  const { team_id } = useTeamPath();
  const users = useQuery({
    queryKey: ['users', 'count', team_id],
    queryFn: () => unwrap(phial.GET('/v2/user/metrics')),
    refetchInterval: EVERY_MS,
  });
  const connections = useQuery({
    queryKey: ['connections', 'count', team_id],
    queryFn: () => unwrap(phial.GET('/v2/team/connection_counts')),
    refetchInterval: EVERY_MS,
  });
  const counts = connections.data;
  return (
    <Section title="Users and connections" query={users.error ? users : connections}>
      <FigureTile label="Users" value={users.data && formatCount(users.data.number_of_users)} />
      <FigureTile label="Connected" value={counts && formatCount(counts.connected)} note="Deliver data" />
      <FigureTile
        label="In error"
        value={counts && formatCount(counts.error)}
        note="Deliver no data"
        tone={counts && counts.error > 0 ? 'bad' : 'quiet'}
      />
      <FigureTile label="Paused" value={counts && formatCount(counts.paused)} note="Until they are resumed" />
    </Section>
  );
}
