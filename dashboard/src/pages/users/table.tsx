import { Anchor, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { components } from '../../api/client.ts';
import { CopyableId } from '../../parts/copyable-id.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { fullName, usePeople } from '../../parts/people.tsx';
import { Ago, CalendarDate } from '../../parts/time.tsx';
import classes from './table.module.css';

type FoundUser = components['schemas']['FoundUser'];
/** A user of a list that does not say who it is, or of one that does. */
export type ListedUser = Omit<FoundUser, 'person'> & Partial<Pick<FoundUser, 'person'>>;

/** Users with their names and dates of birth. */
export function UsersTable({ users }: { users: readonly ListedUser[] }) {
  const unnamed = users.filter(({ person }) => person === undefined).map(({ user_id }) => user_id);
  const { data: people } = usePeople(unnamed);
  const rows = users.map((user) => ({ ...user, person: user.person ?? people?.get(user.user_id) ?? null }));
  return <DataTable caption="Users" columns={COLUMNS} rows={rows} keyOf={({ user_id }) => user_id} />;
}

const COLUMNS: Column<FoundUser>[] = [
  {
    label: 'Your system’s id',
    isHeader: true,
    render: ({ user_id, client_user_id }) => (
      <Anchor component={Link} to={`/users/${user_id}`} fw={600} title={client_user_id} className={classes['id']}>
        {client_user_id}
      </Anchor>
    ),
  },
  {
    label: 'Name',
    render: ({ user_id, person }) => {
      const name = person && fullName(person);
      return name ? (
        <Anchor component={Link} to={`/users/${user_id}`}>
          {name}
        </Anchor>
      ) : (
        '–'
      );
    },
  },
  { label: 'Born', render: ({ person }) => (person ? <CalendarDate date={person.dob} /> : '–') },
  { label: 'User', isOneLine: true, render: ({ user_id }) => <CopyableId value={user_id} label="user id" /> },
  {
    label: 'Connections',
    render: ({ connected_sources }) =>
      connected_sources.length === 0 ? (
        '–'
      ) : (
        <Group gap={6}>{connected_sources.map(({ provider }) => provider.name).join(', ')}</Group>
      ),
  },
  { label: 'Time zone', render: ({ fallback_time_zone }) => fallback_time_zone?.id ?? '–' },
  { label: 'Created', isOneLine: true, render: ({ created_on }) => <Ago at={created_on} /> },
];
