import { Stack } from '@mantine/core';
import { useSession } from '../../../api/session.tsx';
import { Accounts } from './accounts.tsx';
import { OrgAccounts } from './org-accounts.tsx';
import { Physicians } from './physicians.tsx';

/** What orders at laboratories name: physicians and accounts. */
export function Laboratories() {
  const { person } = useSession();
  return (
    <Stack gap="lg">
      <Physicians />
      <Accounts />
      {person.role === 'org_admin' && <OrgAccounts />}
    </Stack>
  );
}
