import { Button, Group, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain, SESSION_KEY } from '../../api/queries.ts';
import { useSession } from '../../api/session.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { CopyableId } from '../../parts/copyable-id.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import { formatCount } from '../../parts/figure-tile.tsx';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';

const ASK_AGAIN_MS = 2_000;

/** The teams of the organisation. */
export function Teams() {
  const { org } = useSession();
  const path = { org_id: org.id };
  const cursor = useCursor();
  const [isOpen, { open, close }] = useDisclosure(false);
  const [deleted, setDeleted] = useState<string[]>([]);
  const list = useQuery({
    queryKey: ['teams', cursor],
    queryFn: () => unwrap(phial.GET('/v1/org/{org_id}/team', { params: { path, query: { next_cursor: cursor } } })),
  });
  const remove = async (team_id: string): Promise<void> => {
    await unwrap(phial.DELETE('/v1/org/{org_id}/team/{team_id}', { params: { path: { ...path, team_id } } }));
    setDeleted((before) => [...before, team_id]);
    await readAgain('teams');
  };
  return (
    <Stack>
      <Group justify="space-between">
        <Text c="dimmed">Each team has its own users, orders and keys.</Text>
        <Button onClick={open}>Create a team</Button>
      </Group>
      <CreateTeam isOpen={isOpen} close={close} />
      {deleted.map((team_id) => (
        <Deletion key={team_id} teamId={team_id} />
      ))}
      <Loaded query={list}>
        {({ teams, next_cursor }) => (
          <>
            <DataTable
              caption="Teams"
              rows={teams}
              keyOf={({ id }) => id}
              columns={[
                { label: 'Name', render: ({ name }) => name, isHeader: true },
                { label: 'Id', render: ({ id, name }) => <CopyableId value={id} label={`the id of ${name}`} /> },
                { label: 'Your own id', render: ({ integration_team_id }) => integration_team_id ?? '–' },
                { label: 'Created', render: ({ created_on }) => <Time at={created_on} /> },
                {
                  label: 'Action',
                  align: 'right',
                  render: ({ id, name }) => (
                    <ConfirmButton action="Delete" question={`Delete the team ${name}?`} onConfirm={() => remove(id)}>
                      Everything of this team is erased: users, orders, results, wearable data, endpoints and keys. This
                      cannot be undone.
                    </ConfirmButton>
                  ),
                },
              ]}
            />
            <Pager nextCursor={next_cursor} />
          </>
        )}
      </Loaded>
    </Stack>
  );
}

/** How far the erasure of a deleted team is. */
function Deletion({ teamId }: { teamId: string }) {
  const { org } = useSession();
  const { data } = useQuery({
    queryKey: ['team_deletion', teamId],
    queryFn: () =>
      unwrap(
        phial.GET('/v1/org/{org_id}/team/{team_id}/deletion', {
          params: { path: { org_id: org.id, team_id: teamId } },
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.status === 'done' ? false : ASK_AGAIN_MS),
  });
  if (!data) return null;
  const { users, erased_users } = data.progress;
  const part = data.status === 'done' ? 100 : users ? (erased_users / users) * 100 : 0;
  return (
    <div role="status">
      <Text size="sm" mb={4}>
        {data.status === 'done'
          ? 'The deleted team is erased.'
          : `The deleted team is being erased: ${formatCount(erased_users)} of ${formatCount(users ?? 0)} users.`}
      </Text>
      <Progress value={part} aria-label="Progress of the erasure" />
    </div>
  );
}

function CreateTeam({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const { org, region } = useSession();
  const [name, setName] = useState('');
  const run = useMutation({
    mutationFn: async (): Promise<void> => {
      const body = { name: name.trim(), region: region as 'us' | 'eu' };
      await unwrap(phial.POST('/v1/org/{org_id}/team', { params: { path: { org_id: org.id } }, body }));
      await readAgain('teams', ...SESSION_KEY);
      setName('');
      close();
    },
  });
  return (
    <FormModal isOpen={isOpen} close={close} title="Create a team" action="Create the team" run={run}>
      <TextInput
        label="Name"
        required
        withAsterisk={false}
        maxLength={200}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        data-autofocus
      />
    </FormModal>
  );
}
