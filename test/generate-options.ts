// Writes the list of options for people: `docs/operate/options.md` and `.env.example`.
import { OPTIONS, type Option } from '../src/config/option-table.ts';

/** In the order of the page. An option is in the first group that matches it. */
const GROUPS: readonly (readonly [title: string, has: RegExp])[] = [
  ['Deployment', /^PORT$|^PHIAL_(ENVIRONMENT|REGION|BASE_URL|HOST|DATA_DIR|DRAIN_SECONDS)$/],
  ['Database', /DATABASE_(?!LIMIT)/],
  ['Keys of personal data', /_(LOOKUP|ENCRYPTION)_/],
  ['Requests', /_(HEADER|BODY|RATE|REQUEST|MAX|TRUSTED)_/],
  ['Commands', /^PHIAL_API_KEY$/],
  ['Webhooks', /_WEBHOOK_(?!SECRETS)|_API_KEY$/],
  ['Signing in', /_OPENID_/],
  ['Mail and domains', /_(SMTP|MAIL|DOMAIN)_/],
  ['Log, metrics and traces', /_(LOG|METRICS|OTLP|TRACE)_/],
  ['Retention', /_RETENTION_/],
  ['Files and storage', /_(UPLOAD|IMPORT|STORAGE|LAB_REPORT|DATABASE_LIMIT)_/],
  ['Limits', /_PER_(ORG|TEAM)$/],
  ['Laboratories and carriers', /_(HL7|SANDBOX|CARRIER)_/],
  ['Providers of wearable data', /_(CLIENT_ID|CLIENT_SECRET|BASE_URL|HISTORY_DAYS|SUBSCRIPTION_ID)$/],
];

const INTRODUCTION = `# Options

<!-- Made from src/config/option-table.ts by \`npm run options\`. Do not change it by hand. -->

Set options in the environment, or in a file \`.env\` in the folder where you start Phial. The environment wins over the
file. An empty value means the default. A wrong or misspelled option stops the start, and the message names it.

An option that is marked as a secret can also be in a file. Set the option with \`_FILE\` at the end of its name to the
path, for example \`DATABASE_URL_FILE=/run/secrets/database-url\`. Give a secret in one of the two places.

\`.env.example\` has the same list: copy it to \`.env\` and change what you need. [Install](install.md#3-write-the-options)
shows the options that production needs.
`;

export const envExample = (): string =>
  [
    '# Every option of Phial with its default. Copy to .env and change what you need; an empty value is the default.\n#\n# A secret can also be in a file that `<option>_FILE` names.\n',
    ...Object.entries(OPTIONS).map(([name, option]) => `# ${option.meaning}\n${name}=${option.default}\n`),
  ].join('\n');

/** Throws where an option belongs to no group. */
export function optionsPage(): string {
  const groups = new Map(GROUPS.map(([title]) => [title, [] as string[]]));
  for (const [name, option] of Object.entries<Option>(OPTIONS)) {
    const [title] = GROUPS.find(([, has]) => has.test(name)) ?? [];
    if (title === undefined) throw new Error(`${name} belongs to no group: add it to test/generate-options.ts.`);
    groups
      .get(title)
      ?.push(
        `| \`${name}\` | ${option.default && `\`${option.default}\``} | ${cell(option.meaning)}${option.secret ? ' Secret.' : ''} |`,
      );
  }
  const chapters = [...groups].map(
    ([title, rows]) => `## ${title}\n\n| option | default | meaning |\n|---|---|---|\n${rows.join('\n')}\n`,
  );
  return [INTRODUCTION, ...chapters].join('\n');
}

/** A bar would end the cell, and text between angle brackets would be read as HTML. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/x-<word>-/g, '`x-<word>-`');
