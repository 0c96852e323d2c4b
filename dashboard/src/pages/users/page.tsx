import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../../api/client.ts';
import { useSession } from '../../api/session.tsx';
import { formatCount } from '../../parts/figure-tile.tsx';
import { text, useFilters } from '../../parts/filters.ts';
import { NumberedPager, usePageNumber } from '../../parts/numbered-pager.tsx';
import { Page } from '../../parts/page.tsx';
import { usePrivateSearch } from '../../parts/private-search.ts';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { NewUser } from './new-user.tsx';
import { Search, type Wanted } from './search.tsx';
import { UsersTable, type ListedUser } from './table.tsx';

const SIZE = 50;
/** A link may search by an id. */
const FILTERS = { search: text(256) };
const NOTHING: Wanted = { by: 'any', text: '' };

export default function Users() {
  const [{ search }, change] = useFilters(FILTERS);
  const [wanted, want] = usePrivateSearch<Wanted>('users', NOTHING, search ? { by: 'any', text: search } : undefined);
  const searchFor = (next: Wanted): void => {
    want(next);
    change({ search: null });
  };
  return (
    <Page title="Users" about="The people whose data the team keeps." actions={<NewUser followsAddress />}>
      <Search wanted={wanted} change={searchFor} />
      {!isWhole(wanted) ? (
        <All />
      ) : wanted.by === 'any' ? (
        <Found searched={wanted.text} />
      ) : (
        <FoundByPerson key={`${wanted.by} ${wanted.text}`} wanted={wanted} />
      )}
    </Page>
  );
}

const readAll = (offset: number) => unwrap(phial.GET('/v2/user', { params: { query: { offset, limit: SIZE } } }));

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
            <UsersTable users={users} />
            <NumberedPager total={total} size={SIZE} />
          </>
        )
      }
    </Loaded>
  );
}

/** The most users that the search by ids returns. */
const MOST = 100;

/** Finds users by their ids and by words of their names at once. */
async function findAny(query_id: string): Promise<{ users: ListedUser[]; hasMore: boolean }> {
  const [byId, byName] = await Promise.all([
    unwrap(phial.GET('/v2/team/users/search', { params: { query: { query_id } } })),
    // A longer text is an id, and no name.
    query_id.length > 200
      ? { data: [], next_cursor: null }
      : unwrap(phial.POST('/v2/user/search', { body: { name: query_id, limit: MOST } })),
  ]);
  const named = new Set(byName.data.map(({ user_id }) => user_id));
  return {
    users: [...byName.data, ...byId.filter(({ user_id }) => !named.has(user_id))],
    hasMore: byName.next_cursor !== null || byId.length === MOST,
  };
}

function Found({ searched }: { searched: string }) {
  const { team } = useSession();
  const query = useQuery({
    queryKey: ['users_search', team?.id, searched],
    queryFn: () => findAny(searched),
    placeholderData: (before) => before,
  });
  return (
    <Loaded query={query}>
      {({ users, hasMore }) =>
        users.length === 0 ? (
          <Nobody />
        ) : (
          <>
            <Matches count={users.length} hasMore={hasMore} />
            <UsersTable users={users} />
          </>
        )
      }
    </Loaded>
  );
}

const Nobody = () => (
  <Empty title="Nobody matches">
    A part of your own id, or the whole user id, finds a user. A name is found by its whole words. E-mail addresses,
    phone numbers and dates of birth are found whole: choose under “Search by” what you know.
  </Empty>
);

function Matches({ count, hasMore }: { count: number; hasMore: boolean }) {
  const users = `${formatCount(count)} ${count === 1 ? 'user' : 'users'}`;
  return (
    <Text size="sm" c="dimmed" role="status">
      {hasMore ? `The first ${users} of those who match` : `${users} ${count === 1 ? 'matches' : 'match'}`}
    </Text>
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
          <Nobody />
        ) : (
          <>
            {next_cursor === undefined && <Matches count={data.length} hasMore={next !== null} />}
            <UsersTable users={data} />
            <Pager nextCursor={next} />
          </>
        )
      }
    </Loaded>
  );
}
