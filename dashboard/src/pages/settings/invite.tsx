import { Alert, Button, Code, Group, Select, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useIsOperator, useSession, useTeamPath } from '../../api/session.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import { roleOptions } from './roles.ts';

type Status = 'invite_created' | 'invite_resent' | 'already_in_org';

/** Whether the service has a mail server. Without one a link stays with the operator. */
function useMail(): boolean | undefined {
  const { data } = useQuery({
    queryKey: ['sign_in_ways'],
    queryFn: () => unwrap(phial.GET('/v1/sign_in')),
    staleTime: Infinity,
  });
  return data?.link_by_mail;
}

/** The button that invites, its form, and what became of the newest invite. */
export function Invite() {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [made, setMade] = useState<{ email: string; status: Status } | null>(null);
  return (
    <>
      <Group justify="space-between">
        <Text c="dimmed">People who sign in to this dashboard.</Text>
        <Button onClick={open}>Invite a person</Button>
      </Group>
      <div role="status">{made && <Outcome {...made} />}</div>
      {isOpen && <InviteForm close={close} done={setMade} />}
    </>
  );
}

function Outcome({ email, status }: { email: string; status: Status }) {
  const { org } = useSession();
  const isOperator = useIsOperator();
  const hasMail = useMail();
  if (status === 'already_in_org') return <Text size="sm">{email} is a member already. No mail was sent.</Text>;
  if (hasMail === undefined) return null;
  if (hasMail)
    return <Text size="sm">A mail with the link is on its way to {email}. The link works for seven days.</Text>;
  return (
    <Alert title="No mail was sent">
      The service has no mail server, so the link stays with its operator.{' '}
      {isOperator ? 'Run' : 'Ask the operator to run'} <Code>phial org invites --org {org.id}</Code>, where the service
      runs, and {isOperator ? 'give' : 'to give'} the link to {email}.
    </Alert>
  );
}

type InviteFormProps = { close: () => void; done: (made: { email: string; status: Status }) => void };

function InviteForm({ close, done }: InviteFormProps) {
  const { org, team } = useSession();
  const { team_id } = useTeamPath();
  const hasMail = useMail();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<'org_admin' | 'team_admin'>('team_admin');
  const run = useMutation({
    mutationFn: async (): Promise<void> => {
      const bindings = role === 'team_admin' ? { team_role_bindings: [{ team_id, role }] } : {};
      const body = { email: email.trim(), role, ...bindings };
      const path = { org_id: org.id };
      const { status } = await unwrap(phial.POST('/v1/org/{org_id}/invite', { params: { path }, body }));
      await readAgain('invites');
      done({ email: body.email, status });
      close();
    },
  });
  return (
    <FormModal
      close={close}
      title="Invite a person"
      action={hasMail === false ? 'Invite' : 'Send the invite'}
      run={run}
    >
      <TextInput
        label="Email address"
        description={
          hasMail === false
            ? 'The service has no mail server. Its operator gets the link that makes this person a member.'
            : 'The mail has a link that makes this person a member.'
        }
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
