import { Anchor, Button, Group, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { CopyableId } from '../../parts/copyable-id.tsx';
import { oneOf, useFilters } from '../../parts/filters.ts';
import { Page } from '../../parts/page.tsx';
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

const TABS = {
  person: ['Person', Person],
  orders: ['Orders and results', UserOrders],
  connections: ['Connections', Connections],
  days: ['Days', Days],
  devices: ['Devices', Devices],
  raw: ['Raw payloads', RawPayloads],
} as const;
type Tab = keyof typeof TABS;
const NAMES = Object.keys(TABS) as Tab[];
const FILTERS = { tab: oneOf(...NAMES) };

export default function UserPage() {
  const { user: user_id } = useParams({ strict: false }) as { user: string };
  const [{ tab = 'person' }, change] = useFilters(FILTERS);
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
          <Tabs
            value={tab}
            onChange={(value) => change({ tab: value === 'person' ? null : (value as Tab) })}
            keepMounted={false}
          >
            <Tabs.List mb="lg">
              {NAMES.map((name) => (
                <Tabs.Tab key={name} value={name}>
                  {TABS[name][0]}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            {NAMES.map((name) => {
              const Shown = TABS[name][1];
              return (
                <Tabs.Panel key={name} value={name}>
                  <Shown userId={user.user_id} />
                </Tabs.Panel>
              );
            })}
          </Tabs>
        </Page>
      )}
    </Loaded>
  );
}
