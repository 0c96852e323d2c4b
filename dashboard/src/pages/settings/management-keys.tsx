import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { useSession, useTeamPath } from '../../api/session.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { nameOfRole, roleOptions } from './roles.ts';
import { ShownOnce } from './shown-once.tsx';

const PATH = '/v1/org/{org_id}/management_key';

/** The keys of programs that manage the organisation or single teams. */
export function ManagementKeys() {
  const { org } = useSession();
  const path = { org_id: org.id };
  const cursor = useCursor();
  const queries = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure(false);
  const [value, setValue] = useState<string | null>(null);
  const list = useQuery({
    queryKey: ['management_keys', cursor],
    queryFn: () => unwrap(phial.GET(PATH, { params: { path, query: { next_cursor: cursor } } })),
  });
  const readAgain = (): Promise<void> => queries.invalidateQueries({ queryKey: ['management_keys'] });
  const revoke = async (key_id: string): Promise<void> => {
    await unwrap(phial.DELETE(`${PATH}/{key_id}`, { params: { path: { ...path, key_id } } }));
    await readAgain();
  };
  type Key = NonNullable<typeof list.data>['data'][number];
  const columns: Column<Key>[] = [
    { label: 'Label', render: ({ label }) => label, isHeader: true },
    { label: 'Begins with', render: ({ key_prefix }) => <code>{key_prefix}</code> },
    { label: 'Role', render: ({ role }) => nameOfRole(role) },
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
  return (
    <Stack>
      <Group justify="space-between">
        <Text c="dimmed">A program manages teams, keys and endpoints with a management key.</Text>
        <Button onClick={open}>Create a key</Button>
      </Group>
      {value !== null && <ShownOnce value={value} close={() => setValue(null)} />}
      <CreateManagementKey
        isOpen={isOpen}
        close={close}
        onCreated={async (created) => {
          setValue(created);
          await readAgain();
        }}
      />
      <Loaded query={list}>
        {({ data, next_cursor }) =>
          data.length === 0 ? (
            <Empty title="There is no management key">Create one for the first program that is to manage teams.</Empty>
          ) : (
            <>
              <DataTable caption="Management keys" columns={columns} rows={data} keyOf={({ id }) => id} />
              <Pager nextCursor={next_cursor} />
            </>
          )
        }
      </Loaded>
    </Stack>
  );
}

type CreateProps = { isOpen: boolean; close: () => void; onCreated: (value: string) => Promise<void> };

function CreateManagementKey({ isOpen, close, onCreated }: CreateProps) {
  const { org, team } = useSession();
  const { team_id } = useTeamPath();
  const [label, setLabel] = useState('');
  const [role, setRole] = useState<'org_admin' | 'team_admin'>('team_admin');
  const run = useMutation({
    mutationFn: async (): Promise<void> => {
      const bindings = role === 'team_admin' ? { team_role_bindings: [{ team_id, role }] } : {};
      const body = { label: label.trim(), role, ...bindings };
      const { key } = await unwrap(phial.POST(PATH, { params: { path: { org_id: org.id } }, body }));
      setLabel('');
      close();
      await onCreated(key);
    },
  });
  return (
    <FormModal isOpen={isOpen} close={close} title="Create a management key" action="Create the key" run={run}>
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
        label="It manages"
        data={roleOptions(team?.name ?? '')}
        value={role}
        onChange={(chosen) => setRole(chosen === 'org_admin' ? 'org_admin' : 'team_admin')}
        allowDeselect={false}
      />
    </FormModal>
  );
}
