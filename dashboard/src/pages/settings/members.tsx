import { Alert, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useSession } from '../../api/session.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { inWords } from '../../parts/status-badge.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { ChangeRole } from './change-role.tsx';
import { Invite } from './invite.tsx';
import { describeRole } from './roles.ts';

/** The people who sign in, and those who were asked to. */
export function Members() {
  const { org } = useSession();
  return (
    <Stack>
      {org.plan !== 'scale' && (
        <Alert title={`The plan ${inWords(org.plan)} has no members`}>
          Nobody here can use the dashboard before the organisation has the plan Scale.
        </Alert>
      )}
      <Invite />
      <MemberList />
      <Title order={2} mt="md">
        Open invites
      </Title>
      <InviteList />
    </Stack>
  );
}

function MemberList() {
  const { org, person, teams } = useSession();
  const path = { org_id: org.id };
  const cursor = useCursor();
  const list = useQuery({
    queryKey: ['members', cursor],
    queryFn: () => unwrap(phial.GET('/v1/org/{org_id}/member', { params: { path, query: { next_cursor: cursor } } })),
  });
  const remove = async (member_id: string): Promise<void> => {
    await unwrap(phial.DELETE('/v1/org/{org_id}/member/{member_id}', { params: { path: { ...path, member_id } } }));
    await readAgain('members');
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
                { label: 'Manages', render: (bearer) => describeRole(bearer, teams) },
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
  const { org, teams } = useSession();
  const path = { org_id: org.id };
  const list = useQuery({
    queryKey: ['invites'],
    queryFn: () => unwrap(phial.GET('/v1/org/{org_id}/invite', { params: { path } })),
  });
  const remove = async (invite_id: string): Promise<void> => {
    await unwrap(phial.DELETE('/v1/org/{org_id}/invite/{invite_id}', { params: { path: { ...path, invite_id } } }));
    await readAgain('invites');
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
              { label: 'Will manage', render: (bearer) => describeRole(bearer, teams) },
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
