import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useSession, useTeamPath } from '../../api/session.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { useCursor, Pager } from '../../parts/pager.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { inWords } from '../../parts/status-badge.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { KeysPanel, type MadeKey } from './keys-panel.tsx';

const PATH = '/v1/org/{org_id}/team_api_keys/{env}/{region}';

/** What a key may do. More than one area is chosen through the interface. */
const RIGHTS = [
  { value: 'all', label: 'Everything in this team', scopes: null },
  { value: 'read', label: 'Read everything', scopes: ['read'] },
  { value: 'orders', label: 'Orders and results', scopes: ['orders', 'results', 'users'] },
  { value: 'wearables', label: 'Wearable data', scopes: ['wearables', 'users'] },
  { value: 'events', label: 'Read events', scopes: ['events:read'] },
] as const;
type Right = (typeof RIGHTS)[number]['value'];

/** The words of the form for what a key may do, or each area of a key that was made another way. */
function rightInWords(scopes: readonly string[] | null): string {
  const same = RIGHTS.find((right) => [...(right.scopes ?? [])].toSorted().join() === (scopes ?? []).toSorted().join());
  if (same) return same.label;
  return (scopes ?? [])
    .map((scope) => scope.split(':'))
    .map(([area = '', action]) => (action === undefined ? inWords(area) : `${inWords(action)} ${area}`))
    .join(', ');
}

function usePath() {
  const { org, environment, region } = useSession();
  return { org_id: org.id, env: environment, region: region as 'us' | 'eu' };
}

/** The keys of programs that act for the team. */
export function Keys() {
  const path = usePath();
  const { team_id } = useTeamPath();
  const cursor = useCursor();
  const list = useQuery({
    queryKey: ['team_api_keys', team_id, cursor],
    queryFn: () => unwrap(phial.GET(PATH, { params: { path, query: { team_id, next_cursor: cursor } } })),
  });
  const [revoked, setRevoked] = useState<string[]>([]);
  const revoke = async (id: string): Promise<void> => {
    await unwrap(phial.DELETE(PATH, { params: { path, query: { api_key_id: [id] } } }));
    setRevoked((before) => [...before, id]);
    await readAgain('team_api_keys');
  };
  type Key = NonNullable<typeof list.data>['api_keys'][number];
  const columns: Column<Key>[] = [
    { label: 'Label', render: ({ label }) => label, isHeader: true },
    { label: 'May', render: ({ scopes }) => rightInWords(scopes) },
    { label: 'Begins with', render: ({ value }) => <code>{value}</code> },
    { label: 'Created', render: ({ created_at }) => <Ago at={created_at} /> },
    { label: 'Last used', render: ({ last_used_at }) => (last_used_at ? <Ago at={last_used_at} /> : 'Never') },
    { label: 'Ends', render: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : 'When it is revoked') },
    {
      label: 'Action',
      align: 'right',
      render: ({ id, label }) => (
        <ConfirmButton action="Revoke" question={`Revoke the key “${label}”?`} onConfirm={() => revoke(id)}>
          Programs that use it are refused from now on. This cannot be undone.
        </ConfirmButton>
      ),
    },
  ];
  const make = async (label: string, right: Right): Promise<MadeKey> => {
    const scopes = RIGHTS.find((each) => each.value === right)?.scopes;
    const body = { label, team_id, ...(scopes && { scopes: [...scopes] }) };
    const { id, value } = await unwrap(phial.POST(PATH, { params: { path }, body }));
    await readAgain('team_api_keys');
    return { id, value };
  };
  return (
    <KeysPanel<Right>
      about="A program acts for this team with a key."
      title="Create a team key"
      choices={{ label: 'It may', first: 'all', data: RIGHTS.map(({ value, label }) => ({ value, label })) }}
      make={make}
      revoked={revoked}
    >
      {(create) => (
        <Loaded query={list}>
          {({ api_keys, next_cursor }) =>
            api_keys.length === 0 ? (
              <Empty title="This team has no key" action={create}>
                Create one for the first program that is to act for the team.
              </Empty>
            ) : (
              <>
                <DataTable caption="Keys of the team" columns={columns} rows={api_keys} keyOf={({ id }) => id} />
                <Pager nextCursor={next_cursor} />
              </>
            )
          }
        </Loaded>
      )}
    </KeysPanel>
  );
}
