import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { oneOf, text, useFilters } from '../../parts/filters.ts';
import { Page } from '../../parts/page.tsx';
import { Adapters } from './adapters.tsx';
import { LabReports } from './lab-reports.tsx';
import { Messages } from './messages.tsx';
import { Outgoing } from './outgoing.tsx';
import { Unmatched } from './unmatched.tsx';

const TABS = ['repair', 'outgoing', 'unmatched', 'reports', 'laboratories'] as const;
const RULES = { tab: oneOf(...TABS), state: text(100), lab: text(100), reason: text(100) };
const LABELS: Record<(typeof TABS)[number], string> = {
  repair: 'Messages to repair',
  outgoing: 'Outgoing',
  unmatched: 'Unmatched results',
  reports: 'Lab reports',
  laboratories: 'Laboratories',
};
const PANELS: Record<(typeof TABS)[number], () => ReactNode> = {
  repair: Messages,
  outgoing: Outgoing,
  unmatched: Unmatched,
  reports: LabReports,
  laboratories: Adapters,
};

export default function Laboratories() {
  const [{ tab = 'repair' }, change] = useFilters(RULES);
  const Panel = PANELS[tab];
  return (
    <Page
      title="Laboratories"
      about="What came from laboratories and waits for somebody, and what waits to reach them."
    >
      <Tabs
        value={tab}
        keepMounted={false}
        // The filters of one list mean nothing in another.
        onChange={(next) => change({ tab: next === 'repair' ? null : next, state: null, lab: null, reason: null })}
      >
        <Tabs.List mb="lg">
          {TABS.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {LABELS[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map((name) => (
          <Tabs.Panel key={name} value={name}>
            {name === tab && <Panel />}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
