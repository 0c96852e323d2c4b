import { command, JSON_FLAG, type Command } from './command.ts';

/** Commands with which an operator looks after a deployment. */
export const UPKEEP_COMMANDS: Command[] = [
  command({
    words: 'doctor',
    insteadOf: ['check', 'health', 'diagnose'],
    summary:
      'Check options, database, keys, clock, disks, mail and service, and say how to mend each. Changes nothing.',
    examples: ['phial doctor', 'phial doctor --json'],
    flags: { json: JSON_FLAG },
    run: async (values) => (await import('./doctor/doctor-command.ts')).doctorCommand(values),
  }),
  command({
    words: 'migrate',
    summary: 'Migrate the database to this release.',
    examples: ['phial migrate', 'DATABASE_URL=postgres://owner@db/phial phial migrate'],
    flags: { json: JSON_FLAG },
    run: async (values) => (await import('./database.ts')).migrateCommand(values),
  }),
  command({
    words: 'backup',
    summary: 'Write a consistent copy of the database. The service may run meanwhile.',
    examples: ['phial backup --to /backups/monday', 'phial backup --to backup'],
    flags: { to: { value: 'DIRECTORY', meaning: 'A new directory.', required: true }, json: JSON_FLAG },
    run: async (values) => (await import('./database.ts')).backupCommand(values),
  }),
  command({
    words: 'restore',
    summary: 'Read a backup into an empty database.',
    examples: [
      'phial restore --from /backups/monday',
      'DATABASE_URL=postgres://owner@db/fresh phial restore --from backup',
    ],
    flags: { from: { value: 'DIRECTORY', meaning: 'The directory of a backup.', required: true }, json: JSON_FLAG },
    run: async (values) => (await import('./database.ts')).restoreCommand(values),
  }),
  command({
    words: 'rotate-keys',
    summary: 'Seal all personal data with the first of PHIAL_ENCRYPTION_KEYS. The service may run meanwhile.',
    examples: ['phial rotate-keys', 'PHIAL_ENCRYPTION_KEYS=2:NEW,1:OLD phial rotate-keys'],
    flags: { json: JSON_FLAG },
    run: async (values) => (await import('./rotate-keys.ts')).rotateKeysCommand(values),
  }),
  command({
    words: 'replay',
    summary: 'Map stored provider data again, after a fix of a mapper. The service may run meanwhile.',
    examples: ['phial replay --provider whoop_v2', 'phial replay --provider oura --resource sleep --since 2026-01-31'],
    flags: {
      provider: { value: 'SLUG', meaning: 'Slug of the provider, such as `whoop_v2`.', required: true },
      resource: { value: 'NAME', meaning: 'Only summaries of this kind, such as `sleep`.' },
      team: { value: 'ID', meaning: 'Only this team.', isId: true },
      since: { value: 'DAY', meaning: 'Only data of this day and later days, and data without a day.', isDay: true },
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./replay-command.ts')).replayCommand(values),
  }),
  command({
    words: 'audit export',
    summary: 'Print the audit log as NDJSON.',
    examples: [
      'phial audit export --from 2026-01-01 --to 2026-01-31 > january.ndjson',
      'phial audit export --from 2026-01-31 --to 2026-01-31 --team ID',
    ],
    flags: {
      from: { value: 'DAY', meaning: 'First day in UTC, such as 2026-01-31.', required: true, isDay: true },
      to: { value: 'DAY', meaning: 'Last day in UTC.', required: true, isDay: true },
      org: { value: 'ID', meaning: 'Only this organisation.', isId: true },
      team: { value: 'ID', meaning: 'Only this team.', isId: true },
    },
    run: async (values) => (await import('./audit.ts')).exportAuditCommand(values),
  }),
];
