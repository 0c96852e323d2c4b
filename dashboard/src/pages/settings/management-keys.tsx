import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useSession, useTeamPath } from '../../api/session.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { KeysPanel, type MadeKey } from './keys-panel.tsx';
import { describeRole, roleOptions } from './roles.ts';

const PATH = '/v1/org/{org_id}/management_key';
type Role = 'org_admin' | 'team_admin';

/** The keys of programs that manage the organisation or single teams. */
export function ManagementKeys() {
  const { org, team, teams } = useSession();
  const { team_id } = useTeamPath();
  const path = { org_id: org.id };
  const cursor = useCursor();
  const list = useQuery({
    queryKey: ['management_keys', cursor],
    queryFn: () => unwrap(phial.GET(PATH, { params: { path, query: { next_cursor: cursor } } })),
  });
  const [revoked, setRevoked] = useState<string[]>([]);
  const revoke = async (key_id: string): Promise<void> => {
    await unwrap(phial.DELETE(`${PATH}/{key_id}`, { params: { path: { ...path, key_id } } }));
    setRevoked((before) => [...before, key_id]);
    await readAgain('management_keys');
  };
  type Key = NonNullable<typeof list.data>['data'][number];
  const columns: Column<Key>[] = [
    { label: 'Label', render: ({ label }) => label, isHeader: true },
    { label: 'Begins with', render: ({ key_prefix }) => <code>{key_prefix}</code> },
    { label: 'Role', render: (key) => describeRole(key, teams) },
    { label: 'Created', render: ({ created_at }) => <Time at={created_at} /> },
    {
      label: 'Action',
      align: 'right',
      render: ({ id, label }) => (
        <ConfirmButton action="Revoke" question={`Revoke the management key “${label}”?`} onConfirm={() => revoke(id)}>
          Programs that use it are refused from now on. This cannot be undone.
        </ConfirmButton>
      ),
    },
  ];
  const make = async (label: string, role: Role): Promise<MadeKey> => {
    const bindings = role === 'team_admin' ? { team_role_bindings: [{ team_id, role }] } : {};
    const { id, key } = await unwrap(phial.POST(PATH, { params: { path }, body: { label, role, ...bindings } }));
    await readAgain('management_keys');
    return { id, value: key };
  };
  return (
    <KeysPanel<Role>
      about="A program manages teams, keys and endpoints with a management key."
      title="Create a management key"
      choices={{ label: 'It manages', first: 'team_admin', data: roleOptions(team?.name ?? '') }}
      make={make}
      revoked={revoked}
    >
      {(create) => (
        <Loaded query={list}>
          {({ data, next_cursor }) =>
            data.length === 0 ? (
              <Empty title="There is no management key" action={create}>
                Create one for the first program that is to manage teams.
              </Empty>
            ) : (
              <>
                <DataTable caption="Management keys" columns={columns} rows={data} keyOf={({ id }) => id} />
                <Pager nextCursor={next_cursor} />
              </>
            )
          }
        </Loaded>
      )}
    </KeysPanel>
  );
}
