import { Button, Select, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useSession, useTeamPath } from '../../api/session.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import { NOTHING_YET, roleOptions } from './roles.ts';

type Role = 'org_admin' | 'team_admin' | 'no_role';
type Member = { id: string; name: string; role: Role; team_role_bindings: { team_id: string }[] | null };

/** Gives a member another role. A team that is added keeps the others that the member manages. */
export function ChangeRole({ member }: { member: Member }) {
  const { id: member_id, name, team_role_bindings: bindings } = member;
  const { org, team } = useSession();
  const { team_id } = useTeamPath();
  const [isOpen, { open, close }] = useDisclosure(false);
  const [role, setRole] = useState<Role>(member.role);
  const kept = (bindings ?? []).map((each) => each.team_id);
  const run = useMutation({
    mutationFn: async (): Promise<void> => {
      const teams = [...new Set([...kept, team_id])].map((each) => ({ team_id: each }));
      const body = { role, team_role_bindings: role === 'team_admin' ? teams : null };
      const path = { org_id: org.id, member_id };
      await unwrap(phial.PATCH('/v1/org/{org_id}/member/{member_id}', { params: { path }, body }));
      await readAgain('members');
      close();
    },
  });
  const begin = (): void => {
    run.reset();
    setRole(member.role);
    open();
  };
  const others = kept.filter((each) => each !== team_id).length;
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={begin} aria-label={`Change what ${name} manages`}>
        Change
      </Button>
      <FormModal isOpen={isOpen} close={close} title={`What ${name} manages`} action="Change" run={run}>
        <Select
          label="Manages"
          data={[...roleOptions(team?.name ?? ''), { value: 'no_role' as const, label: NOTHING_YET }]}
          value={role}
          onChange={(chosen) => setRole((chosen as Role | null) ?? 'no_role')}
          allowDeselect={false}
          data-autofocus
        />
        {role === 'team_admin' && others > 0 && (
          <Text size="sm" c="dimmed">
            {others === 1 ? 'One other team stays with this person.' : `${others} other teams stay with this person.`}
          </Text>
        )}
        <Text size="sm" c="dimmed">
          The change applies at once. The person stays signed in.
        </Text>
      </FormModal>
    </>
  );
}
