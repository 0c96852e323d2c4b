import { ActionIcon, Menu, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { phial, unwrap } from '../api/client.ts';
import { useSession } from '../api/session.tsx';
import { PersonIcon, SignOutIcon } from '../parts/icons.tsx';

const ROLES = {
  org_admin: 'Administrator of the organisation',
  team_admin: 'Administrator of teams',
  no_role: 'Member',
};

/** Says who is signed in, and signs out. */
export function AccountMenu() {
  const { person, org } = useSession();
  const signOut = useMutation({
    mutationFn: (path: '/v1/session' | '/v1/session/all') => unwrap(phial.DELETE(path)),
    // A new start of the program: nothing that was read may stay in this browser.
    onSettled: () => location.assign('/dashboard/sign-in?notice=signed_out'),
  });
  const name = person.name ?? person.email ?? (person.kind === 'operator' ? 'Operator' : 'Signed in');
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Account of ${name}`}>
          <PersonIcon size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <div style={{ padding: '8px 12px' }}>
          <Text fw={600} truncate>
            {name}
          </Text>
          {person.email !== null && person.email !== name && (
            <Text size="sm" c="dimmed" truncate>
              {person.email}
            </Text>
          )}
          <Text size="sm" c="dimmed">
            {person.kind === 'operator' ? 'Operator of this service' : ROLES[person.role]}, {org.name}
          </Text>
        </div>
        <Menu.Divider />
        <Menu.Item leftSection={<SignOutIcon size={16} />} onClick={() => signOut.mutate('/v1/session')}>
          Sign out
        </Menu.Item>
        <Menu.Item leftSection={<SignOutIcon size={16} />} onClick={() => signOut.mutate('/v1/session/all')}>
          Sign out everywhere
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
