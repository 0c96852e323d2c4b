export const PEOPLE_BODIES: Readonly<Record<string, unknown>> = {
  accept_invite: { name: 'Ada Lovelace' },
  patch_member: { role: 'no_role', team_role_bindings: null },
  create_invite: { email: 'grace@example.com', role: 'org_admin' },
};
