import { oneOf, text, useFilters } from '../../parts/filters.ts';
import { Page } from '../../parts/page.tsx';
import { PageTabs } from '../../parts/page-tabs.tsx';
import { useTeamStatus } from '../../parts/team-status.ts';
import { Adapters } from './adapters.tsx';
import { LabReports } from './lab-reports.tsx';
import { Messages } from './messages.tsx';
import { Outgoing } from './outgoing.tsx';
import { Unmatched } from './unmatched.tsx';

const TABS = ['repair', 'outgoing', 'unmatched', 'reports', 'laboratories'] as const;
const RULES = { tab: oneOf(...TABS), state: text(100), lab: text(100), reason: text(100) };

export default function Laboratories() {
  const [{ tab }, change] = useFilters(RULES);
  const waiting = useTeamStatus().data?.laboratories;
  const withCount = (label: string, count: number | undefined): string => (count ? `${label} (${count})` : label);
  return (
    <Page
      title="Laboratories"
      about="What came from laboratories and waits for somebody, and what waits to reach them."
    >
      <PageTabs
        label="Laboratories"
        shown={tab}
        // The filters of one list mean nothing in another.
        show={(next) => change({ tab: next, state: null, lab: null, reason: null })}
        tabs={{
          repair: { label: withCount('Messages to repair', waiting?.messages_waiting), panel: <Messages /> },
          outgoing: { label: 'Outgoing', panel: <Outgoing /> },
          unmatched: { label: withCount('Unmatched results', waiting?.unmatched_results), panel: <Unmatched /> },
          reports: { label: withCount('Lab reports', waiting?.reports_to_review), panel: <LabReports /> },
          laboratories: { label: 'Laboratories', panel: <Adapters /> },
        }}
      />
    </Page>
  );
}
