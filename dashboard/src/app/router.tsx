import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type ErrorComponentProps,
} from '@tanstack/react-router';
import { Failed, Loading } from '../parts/states.tsx';
import { Layout } from './layout.tsx';
import { NoPage } from './no-page.tsx';
import { PAGES } from './pages.ts';

const root = createRootRoute({ component: Outlet, notFoundComponent: NoPage });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('../pages/sign-in/page.tsx')),
});

/** Everything that needs a session. */
const layout = createRoute({ getParentRoute: () => root, id: 'layout', component: Layout });

const pages = PAGES.map(({ path, load }) =>
  createRoute({ getParentRoute: () => layout, path, component: lazyRouteComponent(load) }),
);

/** Only text, so that addresses stay readable. Pages check what they read by the rules of parts/filters.ts. */
const parseSearch = (search: string): Record<string, string> => Object.fromEntries(new URLSearchParams(search));
const stringifySearch = (search: Record<string, unknown>): string => {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
};

export const router = createRouter({
  routeTree: root.addChildren([signIn, layout.addChildren(pages)]),
  basepath: '/dashboard',
  parseSearch,
  stringifySearch,
  trailingSlash: 'never',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingComponent: Loading,
  defaultErrorComponent: ({ error, reset }: ErrorComponentProps) => <Failed error={error} retry={reset} />,
});
