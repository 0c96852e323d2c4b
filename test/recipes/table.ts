import type { Recipe } from './recipe.ts';

const ERASE = 'src/users/remarks/erase.ts';

/** Adds an invented table of remarks about users, of which each user has at most one. */
export const table: Recipe = {
  heading: 'a table, or another migration',
  edits: [
    {
      file: 'migrations/9000_remarks.sql',
      text: `create table remarks (
  user_id uuid primary key references users,
  team_id uuid not null,
  content bytea not null
);
select create_team_policies('remarks');
`,
    },
    { file: 'test/table-owners.test.ts', after: "  mail: ['mails'],\n", text: "  'users/remarks': ['remarks'],\n" },
    {
      file: 'src/privacy/sealed-columns.ts',
      after: 'export const SEALED_COLUMNS = {\n',
      text: "  'remarks.content': { as: 'text', row: ['user_id'], team: 'team_id' },\n",
    },
    {
      file: 'src/jobs/erased-texts.test.ts',
      before: '  const insured = {',
      text: "  await team.api('PUT', `/v2/user/${user_id}/remark`, bodyOf('put_remark'));\n",
    },
    {
      file: ERASE,
      text: `import type { TeamCtx, TxCtx } from '../../context.ts';
import type { Exports } from '../../privacy/export-rows.ts';

export const EXPORTS: Exports = { ofUser: [{ type: 'remark', table: 'remarks', key: ['user_id'] }] };

export async function eraseUser({ db }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  await db.deleteFrom('remarks').where('user_id', '=', user.id).execute();
}

export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('remarks').where('team_id', '=', team.id).execute();
}
`,
    },
    ...['src/jobs/erase-users.ts', 'src/jobs/erase-teams.ts', 'src/team-export/export-team.ts'].flatMap((file) => [
      {
        file,
        after: "import * as users from '../users/erase.ts';\n",
        text: "import * as remarks from '../users/remarks/erase.ts';\n",
      },
      { file, before: '  users,\n', text: '  remarks,\n' },
    ]),
    {
      file: 'test/fill-tables.ts',
      before: '  await useLink(team, user_id);\n',
      text: `  const remark = app.ctx.cipher.sealText('remarks.content', { id: user_id, team_id: team.id }, 'Swims');
  await app.db.insertInto('remarks').values({ user_id, team_id: team.id, content: remark }).execute();
`,
    },
    {
      file: 'test/isolation.test.ts',
      before: '  // Rows of an export whose process was killed.\n',
      text: "  await sql`insert into remarks values (${user.user_id}, ${team.id}, '')`.execute(app.db);\n",
    },
  ],
  updates: ['test/generated.test.ts', 'test/migration-checksums.test.ts'],
  untouched: {
    'migrations/0007_order_status_rules.sql': 'the status table of orders stays as it is',
    'src/db/tables.ts': 'npm run tables writes it',
    'src/db/row-level-security.test.ts': 'lists tables that belong to nobody, and remarks belong to a team',
    'jobs/retention.ts': 'a remark is kept as long as its user',
    'src/team-export/exported-tables.test.ts': 'lists tables that are not exported, and remarks are',
  },
};
