import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';

type PageTabsProps<Name extends string> = {
  /** The name of all tabs together, for screen readers. */
  label: string;
  /** In the order of the page. The first is shown where the address names none. */
  tabs: Partial<Record<Name, { label: string; panel: ReactNode }>>;
  shown: Name | undefined;
  /** Called with null for the first tab. */
  show: (name: Name | null) => void;
};

/** Tabs of a page. The page keeps the name of the shown one in its address. Only this one reads its data. */
export function PageTabs<Name extends string>({ label, tabs, shown, show }: PageTabsProps<Name>) {
  const all = Object.entries(tabs) as [Name, { label: string; panel: ReactNode }][];
  const first = all[0]?.[0];
  return (
    <Tabs
      value={shown ?? first ?? null}
      keepMounted={false}
      onChange={(next) => show(next === first ? null : (next as Name))}
    >
      <Tabs.List mb="lg" aria-label={label}>
        {all.map(([name, tab]) => (
          <Tabs.Tab key={name} value={name}>
            {tab.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {all.map(([name, tab]) => (
        <Tabs.Panel key={name} value={name}>
          {tab.panel}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
