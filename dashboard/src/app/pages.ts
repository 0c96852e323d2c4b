// All pages. The order is that of the navigation.
import type { ComponentType } from 'react';
import {
  AppointmentsIcon,
  CatalogueIcon,
  ConnectionsIcon,
  CriticalIcon,
  EventsIcon,
  LaboratoriesIcon,
  OrdersIcon,
  OverviewIcon,
  SettingsIcon,
  UsersIcon,
  WebhooksIcon,
  type Icon,
} from '../parts/icons.tsx';

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
  { path: '/orders', label: 'Orders', icon: OrdersIcon, load: () => import('../pages/orders/page.tsx') },
  {
    path: '/critical-results',
    label: 'Critical results',
    icon: CriticalIcon,
    load: () => import('../pages/critical-results/page.tsx'),
  },
  {
    path: '/appointments',
    label: 'Appointments',
    icon: AppointmentsIcon,
    load: () => import('../pages/appointments/page.tsx'),
  },
  { path: '/users', label: 'Users', icon: UsersIcon, load: () => import('../pages/users/page.tsx') },
  { path: '/webhooks', label: 'Webhooks', icon: WebhooksIcon, load: () => import('../pages/webhooks/page.tsx') },
  { path: '/events', label: 'Events', icon: EventsIcon, load: () => import('../pages/events/page.tsx') },
  {
    path: '/laboratories',
    label: 'Laboratories',
    icon: LaboratoriesIcon,
    load: () => import('../pages/laboratories/page.tsx'),
  },
  { path: '/catalogue', label: 'Catalogue', icon: CatalogueIcon, load: () => import('../pages/catalogue/page.tsx') },
  {
    path: '/connections',
    label: 'Connections',
    icon: ConnectionsIcon,
    load: () => import('../pages/connections/page.tsx'),
  },
  { path: '/settings', label: 'Settings', icon: SettingsIcon, load: () => import('../pages/settings/page.tsx') },
  { path: '/users/$user', label: 'User', load: () => import('../pages/user/page.tsx') },
  { path: '/users/$user/trends', label: 'Trends', load: () => import('../pages/trends/page.tsx') },
  { path: '/webhooks/$webhook', label: 'Endpoint', load: () => import('../pages/webhook/page.tsx') },
  { path: '/events/$event', label: 'Event', load: () => import('../pages/event/page.tsx') },
  { path: '/notes', label: 'Notes on orders', load: () => import('../pages/notes/page.tsx') },
  { path: '/orders/$order', label: 'Order', load: () => import('../pages/order/page.tsx') },
  {
    path: '/laboratories/messages/$message',
    label: 'Message of a laboratory',
    load: () => import('../pages/laboratory-message/page.tsx'),
  },
  {
    path: '/laboratories/reports/$report',
    label: 'Lab report',
    load: () => import('../pages/lab-report/page.tsx'),
  },
  { path: '/catalogue/$test', label: 'Test', load: () => import('../pages/lab-test/page.tsx') },
];
