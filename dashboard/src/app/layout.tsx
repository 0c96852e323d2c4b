import { AppShell, Badge, Box, Burger, Center, Group, Loader, NavLink, ScrollArea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isSignedOut } from '../api/queries.ts';
import { takePage } from '../api/return-to.ts';
import { SessionProvider, useSession, useSessionQuery } from '../api/session.tsx';
import { formatCount } from '../parts/figure-tile.tsx';
import { useOrderCounts } from '../parts/order-counts.ts';
import { Empty, Failed } from '../parts/states.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Brand } from './brand.tsx';
import { ColourSchemeMenu } from './colour-scheme-menu.tsx';
import { PAGES } from './pages.ts';
import { TeamSwitcher } from './team-switcher.tsx';
import classes from './layout.module.css';

/** Shows the frame to somebody who is signed in, and leads everybody else to the page for it, and back. */
export function Layout() {
  const query = useSessionQuery();
  const router = useRouter();
  const isOut = isSignedOut(query.error);
  useEffect(() => {
    if (!isOut) return;
    const { href } = router.state.location;
    void router.navigate({ to: '/sign-in', search: { from: href } as never, replace: true });
  }, [isOut, router]);
  if (query.data && !isOut)
    return (
      <SessionProvider session={query.data}>
        <Frame />
      </SessionProvider>
    );
  if (query.error && !isOut)
    return (
      <main className={classes['alone']}>
        <Failed error={query.error} retry={() => void query.refetch()} />
      </main>
    );
  return (
    <Center h="100vh">
      <Loader type="dots" aria-label="Loading" role="status" />
    </Center>
  );
}

function Frame() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  const { team, environment } = useSession();
  const { history } = useRouter();
  useEffect(() => {
    // The link of a mail leads to the overview. Whoever asked for another page before wants that one.
    const asked = takePage();
    if (asked !== null && location.pathname.replace(/\/$/, '') === '/dashboard') history.replace(`/dashboard${asked}`);
  }, [history]);
  useEffect(close, [pathname, close]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <a href="#content" className="skip-link">
        Skip to content
      </a>
      <AppShell.Header className={classes['header']}>
        <Group gap="sm" wrap="nowrap" miw={0}>
          <NavigationButton isOpen={isOpen} toggle={toggle} />
          <Brand />
          <TeamSwitcher />
        </Group>
        <Group gap={4} wrap="nowrap" style={{ flexShrink: 0 }}>
          {environment === 'sandbox' && (
            <Badge variant="light" color="gray" tt="none" mr={{ base: 0, sm: 'xs' }}>
              Sandbox
            </Badge>
          )}
          <ColourSchemeMenu />
          <AccountMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        <ScrollArea>
          {PAGES.map(({ path, label, icon: Icon }) => {
            if (!Icon) return null;
            const isCurrent = path === '/' ? pathname === '/' : `${pathname}/`.startsWith(`${path}/`);
            return (
              <NavLink
                key={path}
                component={Link}
                to={path}
                label={label}
                leftSection={<Icon size={18} />}
                rightSection={path === '/critical-results' && team ? <OpenCritical /> : undefined}
                active={isCurrent}
                aria-current={isCurrent ? 'page' : undefined}
                className={classes['link']}
              />
            );
          })}
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes['main']}>
        <div className={classes['content']}>
          {team ? (
            // Another team is another page: nothing of the team before may stay.
            <Outlet key={team.id} />
          ) : (
            <Empty title="You have no team yet">
              Ask an administrator of your organisation to add you to one, then reload this page.
            </Empty>
          )}
        </div>
      </AppShell.Main>
    </AppShell>
  );
}

/** Opens and closes the navigation of a narrow screen. While it is closed, the button says what is urgent in it. */
function NavigationButton({ isOpen, toggle }: { isOpen: boolean; toggle: () => void }) {
  const { team } = useSession();
  return (
    <Box hiddenFrom="sm" className={classes['burger']}>
      <Burger
        opened={isOpen}
        onClick={toggle}
        size="sm"
        aria-label={isOpen ? 'Close the navigation' : 'Open the navigation'}
        aria-expanded={isOpen}
      />
      {team && !isOpen && (
        <span className={classes['mark']}>
          <OpenCritical of=" critical results" />
        </span>
      )}
    </Box>
  );
}

/** How many critical results wait for somebody. */
function OpenCritical({ of = '' }: { of?: string }) {
  const { data } = useOrderCounts();
  const open = data?.critical_results.open ?? 0;
  if (open === 0) return null;
  return (
    <Badge size="sm" color="red.8" aria-label={`${formatCount(open)} open${of}`}>
      {formatCount(open)}
    </Badge>
  );
}
