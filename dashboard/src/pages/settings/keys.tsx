import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { useSession, useTeamPath } from '../../api/session.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { useCursor, Pager } from '../../parts/pager.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { ShownOnce } from './shown-once.tsx';

const PATH = '/v1/org/{org_id}/team_api_keys/{env}/{region}';

/** What a key may do. More than one area is chosen through the interface. */
const RIGHTS = [
  { value: 'all', label: 'Everything in this team', scopes: null },
  { value: 'read', label: 'Read everything', scopes: ['read'] },
  { value: 'orders', label: 'Orders and results', scopes: ['orders', 'results', 'users'] },
  { value: 'wearables', label: 'Wearable data', scopes: ['wearables', 'users'] },
  { value: 'events', label: 'Read events', scopes: ['events:read'] },
] as const;

function usePath() {
  const { org, environment, region } = useSession();
  return { org_id: org.id, env: environment, region: region as 'us' | 'eu' };
}

/** The keys of programs that act for the team. */
export function Keys() {
  const path = usePath();
  const { team_id } = useTeamPath();
  const cursor = useCursor();
  const queries = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure(false);
  const [value, setValue] = useState<string | null>(null);
  const list = useQuery({
    queryKey: ['team_api_keys', team_id, cursor],
    queryFn: () => unwrap(phial.GET(PATH, { params: { path, query: { team_id, next_cursor: cursor } } })),
  });
  const readAgain = (): Promise<void> => queries.invalidateQueries({ queryKey: ['team_api_keys'] });
  const revoke = async (id: string): Promise<void> => {
    await unwrap(phial.DELETE(PATH, { params: { path, query: { api_key_id: [id] } } }));
    await readAgain();
  };
  type Key = NonNullable<typeof list.data>['api_keys'][number];
  const columns: Column<Key>[] = [
    { label: 'Label', render: ({ label }) => label, isHeader: true },
    { label: 'May', render: ({ scopes }) => (scopes === null ? 'Everything in this team' : scopes.join(', ')) },
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
  const create = <Button onClick={open}>Create a key</Button>;
  return (
    <Stack>
      <Group justify="space-between">
        <Text c="dimmed">A program acts for this team with a key.</Text>
        {create}
      </Group>
      {value !== null && <ShownOnce value={value} close={() => setValue(null)} />}
      <CreateKey
        isOpen={isOpen}
        close={close}
        onCreated={async (created) => {
          setValue(created);
          await readAgain();
        }}
      />
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
    </Stack>
  );
}

type CreateKeyProps = { isOpen: boolean; close: () => void; onCreated: (value: string) => Promise<void> };

function CreateKey({ isOpen, close, onCreated }: CreateKeyProps) {
  const path = usePath();
  const { team_id } = useTeamPath();
  const [label, setLabel] = useState('');
  const [right, setRight] = useState<string>('all');
  const run = useMutation({
    mutationFn: async (): Promise<void> => {
      const scopes = RIGHTS.find(({ value }) => value === right)?.scopes;
      const body = { label: label.trim(), team_id, ...(scopes && { scopes: [...scopes] }) };
      const { value } = await unwrap(phial.POST(PATH, { params: { path }, body }));
      setLabel('');
      close();
      await onCreated(value);
    },
  });
  return (
    <FormModal isOpen={isOpen} close={close} title="Create a team key" action="Create the key" run={run}>
      <TextInput
        label="Label"
        description="What the key is for, so that you know it when you revoke it."
        required
        withAsterisk={false}
        maxLength={200}
        value={label}
        onChange={({ currentTarget }) => setLabel(currentTarget.value)}
        data-autofocus
      />
      <Select
        label="It may"
        data={RIGHTS.map(({ value, label }) => ({ value, label }))}
        value={right}
        onChange={(chosen) => setRight(chosen ?? 'all')}
        allowDeselect={false}
      />
    </FormModal>
  );
}
