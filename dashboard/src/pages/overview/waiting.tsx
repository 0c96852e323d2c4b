import { FigureTile, formatCount } from '../../parts/figure-tile.tsx';
import { useOrderCounts } from '../../parts/order-counts.ts';
import { useTeamStatus } from '../../parts/team-status.ts';
import { FiguresSection } from './figures-section.tsx';

/** Counts of the status stop here: whoever has more has to look anyway. */
const COUNTED = 10_000;
const counted = (count: number): string => (count >= COUNTED ? `${formatCount(COUNTED)} or more` : formatCount(count));

/** What somebody has to look at. */
export function Waiting() {
  const orders = useOrderCounts();
  const status = useTeamStatus();
  const critical = orders.data?.with_open_critical_result;
  const toSignOff = orders.data?.critical_results.acknowledged;
  const overdue = orders.data?.overdue.total;
  const laboratories = status.data?.laboratories;
  return (
    <FiguresSection title="Waits for somebody" query={orders.error ? orders : status}>
      <FigureTile
        label="Critical results"
        value={critical === undefined ? undefined : formatCount(critical)}
        note="Orders whose result nobody acknowledged"
        tone={critical ? 'bad' : 'quiet'}
        to="/critical-results"
      />
      <FigureTile
        label="Results to sign off"
        value={toSignOff === undefined ? undefined : formatCount(toSignOff)}
        note="Critical results that somebody acknowledged"
        tone={toSignOff ? 'warning' : 'quiet'}
        to="/critical-results"
        search={{ status: 'acknowledged' }}
      />
      <FigureTile
        label="Overdue orders"
        value={overdue === undefined ? undefined : formatCount(overdue)}
        note="Too long without news"
        tone={overdue ? 'warning' : 'quiet'}
        to="/orders"
        search={{ overdue: 'true' }}
      />
      <FigureTile
        label="Laboratory messages"
        value={laboratories && counted(laboratories.messages_waiting)}
        note="Wait for a repair"
        tone={laboratories?.messages_waiting ? 'warning' : 'quiet'}
        to="/laboratories"
      />
      <FigureTile
        label="Unmatched results"
        value={laboratories && counted(laboratories.unmatched_results)}
        note="Belong to no known order"
        tone={laboratories?.unmatched_results ? 'warning' : 'quiet'}
        to="/laboratories"
        search={{ tab: 'unmatched' }}
      />
      <FigureTile
        label="Lab reports"
        value={laboratories && counted(laboratories.reports_to_review)}
        note="Wait for a review"
        tone={laboratories?.reports_to_review ? 'warning' : 'quiet'}
        to="/laboratories"
        search={{ tab: 'reports' }}
      />
      <FigureTile
        label="Refused messages"
        value={laboratories && counted(laboratories.orders_refused)}
        note="A laboratory did not take them"
        tone={laboratories?.orders_refused ? 'warning' : 'quiet'}
        to="/laboratories"
        search={{ tab: 'outgoing', state: 'refused' }}
      />
      <FigureTile
        label="Unanswered orders"
        value={laboratories && counted(laboratories.orders_unanswered)}
        note="A laboratory stored them only"
        to="/laboratories"
        search={{ tab: 'outgoing', state: 'committed' }}
      />
    </FiguresSection>
  );
}
