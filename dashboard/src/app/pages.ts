// All pages. The order is that of the navigation.
import type { ComponentType } from 'react';
import { OverviewIcon, SettingsIcon, type Icon } from '../parts/icons.tsx';

export type PageEntry = {
  /** The path below /dashboard, with `$name` for a parameter. */
  path: string;
  label: string;
  /** Only pages with an icon are in the navigation. */
  icon?: Icon;
  /** Loads the chunk of the page when somebody goes there. */
  load: () => Promise<{ default: ComponentType }>;
};

export const PAGES: PageEntry[] = [
  { path: '/', label: 'Overview', icon: OverviewIcon, load: () => import('../pages/overview/page.tsx') },
  { path: '/settings', label: 'Settings', icon: SettingsIcon, load: () => import('../pages/settings/page.tsx') },
];
