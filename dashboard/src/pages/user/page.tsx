import { Anchor, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { CopyableId } from '../../parts/copyable-id.tsx';
import { oneOf, useFilters } from '../../parts/filters.ts';
import { Page } from '../../parts/page.tsx';
import { PageTabs } from '../../parts/page-tabs.tsx';
import { fullName, usePerson } from '../../parts/people.tsx';
import { Loaded } from '../../parts/states.tsx';
import { CalendarDate, Time } from '../../parts/time.tsx';
import { Connections } from './connections.tsx';
import { Days } from './days.tsx';
import { Devices } from './devices.tsx';
import { Person } from './person.tsx';
import { RawPayloads } from './raw-payloads.tsx';
import { userQuery } from './summaries.ts';
import { UserOrders } from './user-orders.tsx';

const TABS = ['person', 'orders', 'connections', 'days', 'devices', 'raw'] as const;
const FILTERS = { tab: oneOf(...TABS) };

export default function UserPage() {
  const { user: user_id } = useParams({ strict: false }) as { user: string };
  const [{ tab }, change] = useFilters(FILTERS);
  const query = useQuery(userQuery(user_id));
  const person = usePerson(user_id);
  return (
    <Loaded query={query}>
      {(user) => (
        <Page
          title={user.client_user_id}
          heading={(person && fullName(person)) ?? user.client_user_id}
          actions={
            <Button component={Link} to="/orders" search={{ order_for: user.user_id } as never}>
              Order a test
            </Button>
          }
          about={
            <Group gap="sm" component="span">
              {person && (
                <span>
                  born <CalendarDate date={person.dob} />
                </span>
              )}
              {person && <span>{user.client_user_id}</span>}
              <CopyableId value={user.user_id} label="user id" />
              <Text component="span">
                since <Time at={user.created_on} />
              </Text>
              <Anchor component={Link} to="/settings" search={{ tab: 'audit-log', record: user.user_id } as never}>
                Who opened this
              </Anchor>
            </Group>
          }
        >
          <PageTabs label="User" shown={tab} show={(next) => change({ tab: next })} tabs={tabsOf(user)} />
        </Page>
      )}
    </Loaded>
  );
}

const tabsOf = ({ user_id: userId }: { user_id: string }) => ({
  person: { label: 'Person', panel: <Person userId={userId} /> },
  orders: { label: 'Orders and results', panel: <UserOrders userId={userId} /> },
  connections: { label: 'Connections', panel: <Connections userId={userId} /> },
  days: { label: 'Days', panel: <Days userId={userId} /> },
  devices: { label: 'Devices', panel: <Devices userId={userId} /> },
  raw: { label: 'Raw payloads', panel: <RawPayloads userId={userId} /> },
});
