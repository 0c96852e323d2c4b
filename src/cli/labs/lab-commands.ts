import { COURIER_SLUGS } from '../../labs/orders/testkit/couriers.ts';
import { command, JSON_FLAG, type Command } from '../command.ts';

const ACCOUNT_STATUSES = ['active', 'pending', 'suspended', 'ready_to_launch'] as const;
const DELEGATED_FLOWS = ['not_delegated', 'order_delegated', 'result_delegated', 'fully_delegated'] as const;

const organisation = { value: 'ID', meaning: 'Id of the organisation.', required: true, isId: true } as const;
const parsingJob = { value: 'ID', meaning: 'Its job_id.', required: true, isId: true } as const;

/** Commands about laboratories, their catalogues, kits, physicians and reports. */
export const LAB_COMMANDS: Command[] = [
  command({
    words: 'lab-account add',
    summary: 'Open an account at a laboratory for teams of an organisation. Prints its id.',
    examples: [
      'phial lab-account add --org ID --lab sonora_quest --number 10077',
      'phial lab-account add --org ID --lab sonora_quest --number 10077 --billing client_bill=AZ,CA',
    ],
    flags: {
      org: organisation,
      lab: { value: 'SLUG', meaning: 'Slug of the laboratory, as GET /v3/lab_tests/labs lists it.', required: true },
      number: { value: 'TEXT', meaning: 'Number of the account at the laboratory.', required: true },
      name: { value: 'TEXT', meaning: 'Name of the account.' },
      team: {
        value: 'ID',
        meaning: 'A team that may use the account. Default: every team of the organisation.',
        repeated: true,
        isId: true,
      },
      billing: {
        value: 'TYPE[=STATES]',
        meaning: 'A billing type, such as client_bill=AZ,CA. Default: client_bill.',
        repeated: true,
      },
      notes: { value: 'TEXT', meaning: 'Clinical notes for orders without their own.' },
      unit: { value: 'TEXT', meaning: 'A business unit of the laboratory.', repeated: true },
      flow: {
        value: 'FLOW',
        meaning: 'Which physicians sign orders and release results.',
        choices: DELEGATED_FLOWS,
        default: 'not_delegated',
      },
      status: {
        value: 'STATUS',
        meaning: 'Only an active account takes orders.',
        choices: ACCOUNT_STATUSES,
        default: 'active',
      },
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./lab-account.ts')).addLabAccountCommand(values),
  }),
  command({
    words: 'lab-account set-status',
    summary: 'Start or stop taking orders under an account.',
    examples: [
      'phial lab-account set-status --org ID --account ID --status suspended',
      'phial lab-account set-status --org ID --account ID --status active',
    ],
    flags: {
      org: organisation,
      account: { value: 'ID', meaning: 'Id of the account.', required: true, isId: true },
      status: {
        value: 'STATUS',
        meaning: 'Only an active account takes orders.',
        choices: ACCOUNT_STATUSES,
        required: true,
      },
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./lab-account.ts')).setLabAccountStatusCommand(values),
  }),
  command({
    words: 'lab-test approve',
    summary: 'Approve a lab test that a team made. A sandbox approves them itself.',
    examples: ['phial team list', 'phial lab-test approve --team ID --test ID'],
    flags: {
      team: { value: 'ID', meaning: 'Team of the lab test.', required: true, isId: true },
      test: { value: 'ID', meaning: 'Id of the lab test.', required: true, isId: true },
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./lab-test.ts')).approveLabTestCommand(values),
  }),
  command({
    words: 'lab connect',
    summary: 'Connect a laboratory by HL7 with its offer, or change its connection.',
    examples: ['phial lab connect --file laboratory.json', 'phial lab connect --file /etc/phial/laboratory.json'],
    flags: {
      file: { value: 'FILE', meaning: 'The file that docs/guides/connect-a-laboratory.md describes.', required: true },
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./hl7.ts')).connectLabCommand(values),
  }),
  command({
    words: 'compendium import',
    summary: 'Import markers and codes of a laboratory from a CSV file. Prints the differences.',
    examples: [
      'phial compendium import --lab acme --file markers.csv --dry-run yes',
      'phial compendium import --lab acme --file markers.csv',
    ],
    flags: {
      lab: { value: 'SLUG', meaning: 'Slug of the laboratory.', required: true },
      file: { value: 'FILE', meaning: 'The file that docs/guides/connect-a-laboratory.md describes.', required: true },
      'dry-run': { value: 'yes|no', meaning: 'Only print the differences.', choices: ['yes', 'no'], default: 'no' },
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./compendium.ts')).importCompendiumCommand(values),
  }),
  command({
    words: 'lab issue-kits',
    summary: 'Issue kit ids to a team, which registers kits by them. Prints the ids.',
    examples: ['phial lab issue-kits --team ID --count 100', 'phial lab issue-kits --team ID --count 5000 > kits.txt'],
    flags: {
      team: { value: 'ID', meaning: 'Id of the team.', required: true, isId: true },
      count: { value: 'NUMBER', meaning: 'Number of ids, 1 to 10000.', required: true },
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./issue-kits.ts')).issueKitsCommand(values),
  }),
  command({
    words: 'lab ship-kit',
    summary: 'Add the tracking numbers of a kit. Updates of carriers then advance its order.',
    examples: [
      'phial lab ship-kit --team ID --order ID --outbound 1Z999AA10123456784',
      'phial lab ship-kit --team ID --order ID --inbound 1Z999AA10123456784 --courier ups',
    ],
    flags: {
      team: { value: 'ID', meaning: 'Team of the order.', required: true, isId: true },
      order: { value: 'ID', meaning: 'Id of the order.', required: true, isId: true },
      outbound: { value: 'NUMBER', meaning: 'Tracking number of the parcel to the user.' },
      inbound: { value: 'NUMBER', meaning: 'Tracking number of the parcel to the laboratory.' },
      courier: { value: 'NAME', meaning: 'Courier of the parcels. Default: any carrier.', choices: COURIER_SLUGS },
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./ship-kit.ts')).shipKitCommand(values),
  }),
  command({
    words: 'report-parser list',
    summary: 'List lab reports that need a review, by ids, oldest first.',
    examples: ['phial report-parser list', 'phial report-parser list --team ID'],
    flags: { team: { value: 'ID', meaning: 'Only this team.', isId: true }, json: JSON_FLAG },
    run: async (values) => (await import('./report-parser.ts')).listReportsCommand(values),
  }),
  command({
    words: 'report-parser show',
    summary: 'Print the parsed data of a lab report, with links to its files for 15 minutes. Personal data.',
    examples: ['phial report-parser list', 'phial report-parser show --job ID'],
    flags: { job: parsingJob, json: JSON_FLAG },
    run: async (values) => (await import('./report-parser.ts')).showReportCommand(values),
  }),
  command({
    words: 'report-parser review',
    summary: 'Record that a person reviewed a lab report. Its team is notified.',
    examples: ['phial report-parser show --job ID', 'phial report-parser review --job ID'],
    flags: {
      job: parsingJob,
      'confirm-patient': { value: '', meaning: 'The report is of its user, although it names another patient.' },
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./report-parser.ts')).reviewReportCommand(values),
  }),
  command({
    words: 'physician add',
    summary: 'Add a physician to a team, or change the name of one.',
    examples: ['phial team list', 'phial physician add --team ID --npi 1234567893 --first Ada --last Moreno'],
    flags: {
      team: { value: 'ID', meaning: 'Team of the physician.', required: true, isId: true },
      npi: { value: 'NPI', meaning: 'The NPI, 10 digits.', required: true },
      first: { value: 'NAME', meaning: 'First name.', required: true },
      last: { value: 'NAME', meaning: 'Last name.', required: true },
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./physician.ts')).addPhysicianCommand(values),
  }),
];
