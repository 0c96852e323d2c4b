import { address, person } from './invented.ts';

export const USER_BODIES: Readonly<Record<string, unknown>> = {
  create_user: { client_user_id: 'patient-4711', fallback_time_zone: 'America/Phoenix' },
  patch_user: { fallback_time_zone: 'America/Denver' },
  put_user_info: { ...person, address },
  create_portal_url: { context: 'launch' },
  find_users: { name: 'Ada Lovelace', birth_date: '1980-12-10' },
};
