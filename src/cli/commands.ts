import type { Command, Group } from './command.ts';
import { APPOINTMENT_COMMANDS } from './labs/appointment-commands.ts';
import { HL7_COMMANDS } from './labs/hl7-commands.ts';
import { LAB_COMMANDS } from './labs/lab-commands.ts';
import { ORG_COMMANDS } from './org-commands.ts';
import { REMOTE_COMMANDS } from './remote/remote-commands.ts';
import { PROGRAM_COMMANDS, SERVE_COMMANDS } from './serve-commands.ts';
import { UPKEEP_COMMANDS } from './upkeep-commands.ts';

export const GROUPS: Group[] = [
  { name: 'service', does: 'Start the service, whole or in parts.', commands: SERVE_COMMANDS },
  { name: 'data', does: 'Ask a running service, as its customers do.', commands: REMOTE_COMMANDS },
  { name: 'upkeep', does: 'Look after a deployment: check, migrate, back up, rotate keys.', commands: UPKEEP_COMMANDS },
  { name: 'tenancy', does: 'Organisations, teams and their keys.', commands: ORG_COMMANDS },
  { name: 'laboratories', does: 'Laboratories, kits, physicians and reports.', commands: LAB_COMMANDS },
  { name: 'messages', does: 'HL7 messages of laboratories.', commands: HL7_COMMANDS },
  { name: 'appointments', does: 'Schedulers, and appointments by telephone.', commands: APPOINTMENT_COMMANDS },
  { name: 'program', does: 'About the program itself.', commands: PROGRAM_COMMANDS },
];

/** Every command of the program, in the order of the help text. The first is the default command. */
export const COMMANDS: Command[] = GROUPS.flatMap(({ commands }) => commands);
