import { FigureTile, formatCount } from '../../parts/figure-tile.tsx';
import { useOrderCounts } from '../../parts/order-counts.ts';
import { ORDER_GROUPS, statusesOf } from '../../parts/order-groups.ts';
import { FiguresSection } from './figures-section.tsx';

/** All orders of the team, by how far they are. */
export function Orders() {
  const query = useOrderCounts();
  const countOf = (group: string): number => {
    const statuses = new Set(statusesOf(group));
    const found = query.data?.by_low_level_status.filter(({ low_level_status }) => statuses.has(low_level_status));
    return (found ?? []).reduce((sum, { count }) => sum + count, 0);
  };
  return (
    <FiguresSection title="Orders" query={query}>
      {Object.entries(ORDER_GROUPS).map(([group, { label, about }]) => (
        <FigureTile
          key={group}
          label={label}
          value={query.data && formatCount(countOf(group))}
          note={about}
          to="/orders"
          search={{ status: group }}
        />
      ))}
    </FiguresSection>
  );
}
