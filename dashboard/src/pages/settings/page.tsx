import { useSession } from '../../api/session.tsx';
import { oneOf, useFilters } from '../../parts/filters.ts';
import { Page } from '../../parts/page.tsx';
import { PageTabs } from '../../parts/page-tabs.tsx';
import { AuditLog } from './audit-log/audit-log.tsx';
import { Keys } from './keys.tsx';
import { Laboratories } from './laboratories/laboratories.tsx';
import { ManagementKeys } from './management-keys.tsx';
import { Members } from './members.tsx';
import { Providers } from './providers/providers.tsx';
import { TeamSettings } from './team-settings.tsx';
import { Teams } from './teams.tsx';
import { PlanAndUsage } from './usage.tsx';

const TABS = {
  team: { label: 'This team', panel: <TeamSettings /> },
  keys: { label: 'Team keys', panel: <Keys /> },
  providers: { label: 'Providers', panel: <Providers /> },
  laboratories: { label: 'Laboratories', panel: <Laboratories /> },
  teams: { label: 'All teams', panel: <Teams /> },
  members: { label: 'Members', panel: <Members /> },
  'management-keys': { label: 'Management keys', panel: <ManagementKeys /> },
  'audit-log': { label: 'Audit log', panel: <AuditLog /> },
  usage: { label: 'Plan and usage', panel: <PlanAndUsage /> },
};
/** What only administrators of the whole organisation may read. */
const OF_ORG: ReadonlySet<string> = new Set(['members', 'management-keys', 'usage']);
const FILTERS = { tab: oneOf(...(Object.keys(TABS) as (keyof typeof TABS)[])) };

export default function Settings() {
  const [{ tab }, change] = useFilters(FILTERS);
  const { person } = useSession();
  const tabs: Partial<typeof TABS> = Object.fromEntries(
    Object.entries(TABS).filter(([name]) => person.role === 'org_admin' || !OF_ORG.has(name)),
  );
  return (
    <Page title="Settings" about="The team at the top of the page, and your organisation.">
      <PageTabs
        label="Settings"
        shown={tab !== undefined && tab in tabs ? tab : undefined}
        show={(next) => change({ tab: next })}
        tabs={tabs}
      />
    </Page>
  );
}
