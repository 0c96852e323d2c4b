import { FigureTile, formatCount } from '../../parts/figure-tile.tsx';
import { Time } from '../../parts/time.tsx';
import { useTeamStatus } from '../../parts/team-status.ts';
import { useUserCount } from './figures.ts';
import { FiguresSection } from './figures-section.tsx';

const STATUSES = [
  ['error', 'Connections in error', 'Deliver no data'],
  ['connected', 'Connections that work', 'Deliver data'],
  ['paused', 'Paused connections', 'Until they are resumed'],
] as const;

/** Users, their connections to providers of wearable data, and what these brought. */
export function People() {
  const users = useUserCount();
  const status = useTeamStatus();
  const connections = status.data?.connections;
  const samples = status.data?.samples;
  return (
    <FiguresSection title="Users and wearable data" query={users.error ? users : status}>
      <FigureTile label="Users" value={users.data && formatCount(users.data.number_of_users)} note="All" to="/users" />
      {STATUSES.map(([name, label, note]) => (
        <FigureTile
          key={name}
          label={label}
          value={connections && formatCount(connections[name])}
          note={note}
          tone={name === 'error' && connections && connections.error > 0 ? 'bad' : 'quiet'}
          to="/connections"
          search={{ status: name }}
        />
      ))}
      <FigureTile
        label="Samples taken in"
        value={samples && formatCount(samples.stored)}
        note={
          samples && (
            <>
              Since <Time at={samples.since} />
            </>
          )
        }
        to="/connections"
        search={{ status: 'connected' }}
      />
    </FiguresSection>
  );
}
