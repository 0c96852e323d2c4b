import { Anchor, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { phial, unwrap, type components } from '../../api/client.ts';
import { useSession } from '../../api/session.tsx';
import { CopyableId } from '../../parts/copyable-id.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { formatCount } from '../../parts/figure-tile.tsx';
import { text, useFilters } from '../../parts/filters.ts';
import { NumberedPager, usePageNumber } from '../../parts/numbered-pager.tsx';
import { Page } from '../../parts/page.tsx';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Ago, CalendarDate } from '../../parts/time.tsx';
import { NewUser } from './new-user.tsx';
import { Search, type Wanted } from './search.tsx';

const SIZE = 50;
const FILTERS = { search: text(256) };

export default function Users() {
  const [{ search }, change] = useFilters(FILTERS);
  // Personal data stay out of the address bar, where histories and logs would keep them.
  const [person, setPerson] = useState<Wanted | null>(null);
  const wanted = person ?? { by: 'id', text: search ?? '' };
  const searchFor = (next: Wanted): void => {
    setPerson(next.by === 'id' ? null : next);
    change({ search: next.by === 'id' ? next.text : null });
  };
  return (
    <Page title="Users" about="The people whose data the team keeps." actions={<NewUser />}>
      <Search wanted={wanted} change={searchFor} />
      {person && isWhole(person) ? (
        <FoundByPerson key={`${person.by} ${person.text}`} wanted={person} />
      ) : search && search.length >= 2 ? (
        <Found search={search} />
      ) : (
        <All />
      )}
    </Page>
  );
}

const readAll = (offset: number) => unwrap(phial.GET('/v2/user', { params: { query: { offset, limit: SIZE } } }));
type User = Awaited<ReturnType<typeof readAll>>['users'][number];

function All() {
  const { team } = useSession();
  const page = usePageNumber();
  const query = useQuery({
    queryKey: ['users', team?.id, page],
    queryFn: () => readAll((page - 1) * SIZE),
    placeholderData: (before) => before,
  });
  return (
    <Loaded query={query}>
      {({ users, total }) =>
        users.length === 0 ? (
          <Empty title="There are no users yet" action={<NewUser />}>
            Create one here. Your own program can create them too, each with an id of your own system.
          </Empty>
        ) : (
          <>
            <Text size="sm" c="dimmed" role="status">
              {formatCount(total)} {total === 1 ? 'user' : 'users'}
            </Text>
            <DataTable caption="Users" columns={COLUMNS} rows={users} keyOf={({ user_id }) => user_id} />
            <NumberedPager total={total} size={SIZE} />
          </>
        )
      }
    </Loaded>
  );
}

function Found({ search }: { search: string }) {
  const { team } = useSession();
  const query = useQuery({
    queryKey: ['users_search', team?.id, search],
    queryFn: () => unwrap(phial.GET('/v2/team/users/search', { params: { query: { query_id: search } } })),
  });
  return (
    <Loaded query={query}>
      {(users) =>
        users.length === 0 ? (
          <Empty title="Nobody matches">
            Search by a user id, or by a part of your own id. To search by personal data, choose what you know.
          </Empty>
        ) : (
          <DataTable caption="Users" columns={COLUMNS} rows={users} keyOf={({ user_id }) => user_id} />
        )
      }
    </Loaded>
  );
}

/** False while somebody is still typing. */
function isWhole({ by, text: typed }: Wanted): boolean {
  if (by === 'email') return /^[^@\s]+@[^@\s]+\.[^@\s]{2,}$/.test(typed);
  if (by === 'phone_number') return typed.replaceAll(/\D/g, '').length >= 10;
  return by === 'birth_date' ? /^(19|20)\d\d-\d\d-\d\d$/.test(typed) : typed.length >= 2;
}

function FoundByPerson({ wanted: { by, text: typed } }: { wanted: Wanted }) {
  const { team } = useSession();
  const next_cursor = useCursor();
  const query = useQuery({
    queryKey: ['users_by_person', team?.id, by, typed, next_cursor],
    queryFn: () =>
      unwrap(phial.POST('/v2/user/search', { body: { [by]: typed, ...(next_cursor && { next_cursor }) } })),
  });
  return (
    <Loaded query={query}>
      {({ data, next_cursor: next }) =>
        data.length === 0 ? (
          <Empty title="Nobody matches">
            A name is found by its whole words. E-mail addresses, phone numbers and dates of birth are found whole.
          </Empty>
        ) : (
          <>
            <DataTable caption="Users" columns={PEOPLE} rows={data} keyOf={({ user_id }) => user_id} />
            <Pager nextCursor={next} />
          </>
        )
      }
    </Loaded>
  );
}

const COLUMNS: Column<User>[] = [
  {
    label: 'Your id',
    isHeader: true,
    render: ({ user_id, client_user_id }) => (
      <Anchor component={Link} to={`/users/${user_id}`} fw={600} style={{ overflowWrap: 'anywhere' }}>
        {client_user_id}
      </Anchor>
    ),
  },
  { label: 'User', render: ({ user_id }) => <CopyableId value={user_id} label="user id" /> },
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
  { label: 'Created', render: ({ created_on }) => <Ago at={created_on} /> },
];

const [YOUR_ID, ...OTHERS] = COLUMNS as [Column<User>, ...Column<User>[]];

type FoundUser = components['schemas']['FoundUserPage']['data'][number];

const PEOPLE: Column<FoundUser>[] = [
  YOUR_ID,
  { label: 'Name', render: ({ person }) => (person ? `${person.first_name} ${person.last_name}` : '–') },
  { label: 'Born', render: ({ person }) => (person ? <CalendarDate date={person.dob} /> : '–') },
  ...OTHERS,
];
