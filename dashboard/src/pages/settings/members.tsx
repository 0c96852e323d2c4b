import { Button, Group, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { useSession, useTeamPath } from '../../api/session.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { ChangeRole } from './change-role.tsx';
import { nameOfRole, roleOptions } from './roles.ts';

/** The people who sign in, and those who were asked to. */
export function Members() {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <Stack>
      <Group justify="space-between">
        <Text c="dimmed">People who sign in to this dashboard.</Text>
        <Button onClick={open}>Invite a person</Button>
      </Group>
      <Invite isOpen={isOpen} close={close} />
      <MemberList />
      <Title order={2} mt="md">
        Open invites
      </Title>
      <InviteList />
    </Stack>
  );
}

function MemberList() {
  const { org, person } = useSession();
  const path = { org_id: org.id };
  const cursor = useCursor();
  const queries = useQueryClient();
  const list = useQuery({
    queryKey: ['members', cursor],
    queryFn: () => unwrap(phial.GET('/v1/org/{org_id}/member', { params: { path, query: { next_cursor: cursor } } })),
  });
  const remove = async (member_id: string): Promise<void> => {
    await unwrap(phial.DELETE('/v1/org/{org_id}/member/{member_id}', { params: { path: { ...path, member_id } } }));
    await queries.invalidateQueries({ queryKey: ['members'] });
  };
  return (
    <Loaded query={list}>
      {({ members, next_cursor }) =>
        members.length === 0 ? (
          <Empty title="Nobody is a member yet">
            Invite the first person by the button above. The operator can sign in without that.
          </Empty>
        ) : (
          <>
            <DataTable
              caption="Members"
              rows={members}
              keyOf={({ id }) => id}
              columns={[
                { label: 'Name', render: ({ name }) => name, isHeader: true },
                { label: 'Email', render: ({ email }) => email },
                { label: 'Manages', render: ({ role }) => nameOfRole(role) },
                { label: 'Since', render: ({ created_on }) => <Time at={created_on} /> },
                {
                  label: 'Action',
                  align: 'right',
                  render: (member) =>
                    member.id === person.member_id ? (
                      'You'
                    ) : (
                      <Group gap="xs" display="inline-flex">
                        <ChangeRole member={member} />
                        <ConfirmButton
                          action="Remove"
                          question={`Remove ${member.name}?`}
                          onConfirm={() => remove(member.id)}
                        >
                          This person is signed out and cannot sign in again, unless you invite them again.
                        </ConfirmButton>
                      </Group>
                    ),
                },
              ]}
            />
            <Pager nextCursor={next_cursor} />
          </>
        )
      }
    </Loaded>
  );
}

function InviteList() {
  const { org } = useSession();
  const path = { org_id: org.id };
  const queries = useQueryClient();
  const list = useQuery({
    queryKey: ['invites'],
    queryFn: () => unwrap(phial.GET('/v1/org/{org_id}/invite', { params: { path } })),
  });
  const remove = async (invite_id: string): Promise<void> => {
    await unwrap(phial.DELETE('/v1/org/{org_id}/invite/{invite_id}', { params: { path: { ...path, invite_id } } }));
    await queries.invalidateQueries({ queryKey: ['invites'] });
  };
  return (
    <Loaded query={list}>
      {({ invites }) =>
        invites.length === 0 ? (
          <Text c="dimmed">Nobody is invited at the moment.</Text>
        ) : (
          <DataTable
            caption="Open invites"
            rows={invites}
            keyOf={({ id }) => id}
            columns={[
              { label: 'Email', render: ({ email }) => email, isHeader: true },
              { label: 'Will manage', render: ({ role }) => nameOfRole(role) },
              { label: 'Invited', render: ({ invited_at, resent_at }) => <Ago at={resent_at ?? invited_at} /> },
              {
                label: 'Action',
                align: 'right',
                render: ({ id, email }) => (
                  <ConfirmButton
                    action="Withdraw"
                    question={`Withdraw the invite of ${email}?`}
                    onConfirm={() => remove(id)}
                  >
                    The link in the mail no longer works.
                  </ConfirmButton>
                ),
              },
            ]}
          />
        )
      }
    </Loaded>
  );
}

function Invite({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const { org, team } = useSession();
  const { team_id } = useTeamPath();
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<'org_admin' | 'team_admin'>('team_admin');
  const run = useMutation({
    mutationFn: async (): Promise<void> => {
      const bindings = role === 'team_admin' ? { team_role_bindings: [{ team_id, role }] } : {};
      const body = { email: email.trim(), role, ...bindings };
      await unwrap(phial.POST('/v1/org/{org_id}/invite', { params: { path: { org_id: org.id } }, body }));
      await queries.invalidateQueries({ queryKey: ['invites'] });
      setEmail('');
      close();
    },
  });
  return (
    <FormModal isOpen={isOpen} close={close} title="Invite a person" action="Send the invite" run={run}>
      <TextInput
        label="Email address"
        description="The mail has a link that makes this person a member."
        type="email"
        required
        withAsterisk={false}
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        data-autofocus
      />
      <Select
        label="Manages"
        data={roleOptions(team?.name ?? '')}
        value={role}
        onChange={(chosen) => setRole(chosen === 'org_admin' ? 'org_admin' : 'team_admin')}
        allowDeselect={false}
      />
    </FormModal>
  );
}
