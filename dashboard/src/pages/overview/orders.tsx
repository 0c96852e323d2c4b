import { FigureTile, formatCount } from '../../parts/figure-tile.tsx';
import { useOrderCounts } from './figures.ts';
import { Section } from './section.tsx';

const STATUSES = [
  ['received', 'Received', 'Have not left yet'],
  ['collecting_sample', 'Collecting sample', 'On the way, or yet to be taken'],
  ['sample_with_lab', 'Sample with lab', 'At the laboratory'],
  ['completed', 'Completed', 'Have their final results'],
  ['failed', 'Failed', 'Ended without results'],
  ['cancelled', 'Cancelled', 'Were called off'],
] as const;

/** All orders of the team, by status. */
export function Orders() {
  const query = useOrderCounts();
  return (
    <Section title="Orders" query={query}>
      {STATUSES.map(([status, label, note]) => (
        <FigureTile
          key={status}
          label={label}
          value={query.data && formatCount(query.data.by_status[status])}
          note={note}
          to="/orders"
          search={{ status }}
        />
      ))}
    </Section>
  );
}
