import { BETAS } from '../operation/betas.ts';
import { PLANS } from '../plans.ts';
import { command, JSON_FLAG, type Command } from './command.ts';

const organisation = { value: 'ID', meaning: 'Id of the organisation.', required: true, isId: true } as const;

const ofBeta = {
  org: organisation,
  team: { value: 'ID', meaning: 'Id of the team.', required: true, isId: true },
  beta: {
    value: 'NAME',
    meaning: 'Its name.',
    choices: BETAS,
    required: true,
  },
} as const;

const ofSetting = {
  org: organisation,
  team: ofBeta.team,
  setting: { ...ofBeta.beta, choices: ['full_patient_details_in_webhooks', 'partial_webhooks_enabled'] },
  to: { value: 'STATE', meaning: 'The new value.', choices: ['on', 'off'], required: true },
} as const;

/** Commands about organisations, their teams and their management keys. */
export const ORG_COMMANDS: Command[] = [
  command({
    words: 'bootstrap',
    summary: 'Make an organisation and its first Org Management Key. Prints the key once.',
    examples: ["phial bootstrap --org 'Desert Health'", "phial bootstrap --org 'Desert Health' --plan grow"],
    flags: {
      org: { value: 'NAME', meaning: 'Name of the organisation.', required: true },
      plan: { value: 'PLAN', meaning: 'The management API needs scale.', choices: PLANS, default: 'scale' },
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./org.ts')).bootstrapCommand(values),
  }),
  command({
    words: 'sign-in-link',
    insteadOf: ['login', 'sign-in'],
    summary: 'Print a link with which you sign in to the dashboard once, with all rights in an organisation.',
    examples: ['phial sign-in-link', 'phial sign-in-link --org ID'],
    flags: {
      org: { value: 'ID', meaning: 'Id of the organisation. Default: the oldest one.', isId: true },
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./sign-in-link.ts')).signInLinkCommand(values),
  }),
  command({
    words: 'org list',
    summary: 'List the organisations with their ids and plans, a line of JSON each.',
    examples: ['phial org list', 'phial org list > orgs.ndjson'],
    flags: { json: JSON_FLAG },
    run: async (values) => (await import('./org.ts')).listOrgsCommand(values),
  }),
  command({
    words: 'org set-plan',
    summary: "Change an organisation's plan.",
    examples: ['phial org set-plan --org ID --plan scale', 'phial org set-plan --org ID --plan launch'],
    flags: {
      org: organisation,
      plan: { value: 'PLAN', meaning: 'The management API needs scale.', choices: PLANS, required: true },
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./org.ts')).setPlanCommand(values),
  }),
  command({
    words: 'org keys list',
    summary: "Show an organisation's management keys by their first characters.",
    examples: ['phial org keys list --org ID', 'phial org keys list --org ID > keys.json'],
    flags: { org: organisation, json: JSON_FLAG },
    run: async (values) => (await import('./keys.ts')).listKeysCommand(values),
  }),
  command({
    words: 'org keys create',
    summary: 'Make an Org Management Key, or with --team a Team Management Key. Prints the key once.',
    examples: [
      "phial org keys create --org ID --label 'Night jobs'",
      'phial org keys create --org ID --label Clinic --team ID',
    ],
    flags: {
      org: organisation,
      label: { value: 'TEXT', meaning: 'Purpose of the key.', required: true },
      team: {
        value: 'ID',
        meaning: 'The one team that it may manage. The API can make a key for several teams.',
        isId: true,
      },
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./keys.ts')).createKeyCommand(values),
  }),
  command({
    words: 'org keys revoke',
    summary: 'Revoke a management key, even the last one of an organisation.',
    examples: ['phial org keys list --org ID', 'phial org keys revoke --org ID --key ID'],
    flags: {
      org: organisation,
      key: { value: 'ID', meaning: 'Id of the key, as `org keys list` shows it.', required: true, isId: true },
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./keys.ts')).revokeKeyCommand(values),
  }),
  command({
    words: 'org invites',
    summary: 'List the open invites of an organisation with their links, for a deployment without mail.',
    examples: ['phial org invites --org ID', 'phial org invites --org ID > invites.ndjson'],
    flags: { org: organisation, json: JSON_FLAG },
    run: async (values) => (await import('./org.ts')).invitesCommand(values),
  }),
  command({
    words: 'team list',
    summary: 'List the teams with their ids, also deleted ones, a line of JSON each.',
    examples: ['phial team list', 'phial team list --org ID'],
    flags: { org: { value: 'ID', meaning: 'Only teams of this organisation.', isId: true }, json: JSON_FLAG },
    run: async (values) => (await import('./team.ts')).listTeamsCommand(values),
  }),
  command({
    words: 'team open-beta',
    summary: 'Open a closed beta to a team of a production deployment. In a sandbox every beta is open.',
    examples: [
      'phial team open-beta --org ID --team ID --beta lab_report_parser',
      'phial team open-beta --org ID --team ID --beta etl_pipelines',
    ],
    flags: { ...ofBeta, json: JSON_FLAG },
    run: async (values) => (await import('./team.ts')).openBetaCommand(values),
  }),
  command({
    words: 'team close-beta',
    summary: 'Close a beta to a team. The objects that the team made with it stay.',
    examples: [
      'phial team close-beta --org ID --team ID --beta lab_report_parser',
      'phial team close-beta --org ID --team ID --beta etl_pipelines',
    ],
    flags: { ...ofBeta, json: JSON_FLAG },
    run: async (values) => (await import('./team.ts')).closeBetaCommand(values),
  }),
  command({
    words: 'team end-links',
    summary: 'End all signed links of a team: to requisitions, results, lab reports and pages for patients.',
    examples: ['phial team list --org ID', 'phial team end-links --org ID --team ID'],
    flags: { org: organisation, team: ofBeta.team, json: JSON_FLAG },
    run: async (values) => (await import('./team.ts')).endLinksCommand(values),
  }),
  command({
    words: 'team switch',
    summary: 'Switch a setting of webhooks for a team: full patient details, or partial results.',
    examples: [
      'phial team switch --org ID --team ID --setting partial_webhooks_enabled --to on',
      'phial team switch --org ID --team ID --setting full_patient_details_in_webhooks --to off',
    ],
    flags: { ...ofSetting, json: JSON_FLAG },
    run: async (values) => (await import('./team.ts')).switchCommand(values),
  }),
];
