import { Tabs } from '@mantine/core';
import { oneOf, useFilters } from '../../parts/filters.ts';
import { Page } from '../../parts/page.tsx';
import { AuditLog } from './audit-log/audit-log.tsx';
import { Keys } from './keys.tsx';
import { Laboratories } from './laboratories/laboratories.tsx';
import { ManagementKeys } from './management-keys.tsx';
import { Members } from './members.tsx';
import { Providers } from './providers/providers.tsx';
import { TeamSettings } from './team-settings.tsx';
import { Teams } from './teams.tsx';
import { PlanAndUsage } from './usage.tsx';

const TABS = [
  { value: 'team', label: 'This team', Panel: TeamSettings },
  { value: 'keys', label: 'Team keys', Panel: Keys },
  { value: 'providers', label: 'Providers', Panel: Providers },
  { value: 'laboratories', label: 'Laboratories', Panel: Laboratories },
  { value: 'teams', label: 'All teams', Panel: Teams },
  { value: 'members', label: 'Members', Panel: Members },
  { value: 'management-keys', label: 'Management keys', Panel: ManagementKeys },
  { value: 'audit-log', label: 'Audit log', Panel: AuditLog },
  { value: 'usage', label: 'Plan and usage', Panel: PlanAndUsage },
];
const FILTERS = { tab: oneOf(...TABS.map(({ value }) => value)) };

export default function Settings() {
  const [{ tab = 'team' }, change] = useFilters(FILTERS);
  return (
    <Page title="Settings" about="The team at the top of the page, and your organisation.">
      <Tabs value={tab} onChange={(value) => change({ tab: value === 'team' ? null : value })} keepMounted={false}>
        <Tabs.List aria-label="Settings">
          {TABS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map(({ value, Panel }) => (
          <Tabs.Panel key={value} value={value} pt="lg">
            <Panel />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
