import type { Recipe } from './recipe.ts';

const FOLDER = 'src/users/remarks';

/** Adds a field to the invented operations, which says who wrote the remark. A request may leave it out. */
export const field: Recipe = {
  heading: 'a field of an operation',
  edits: [
    {
      file: `${FOLDER}/schemas.ts`,
      instead: 'import { Text, Uuid } from',
      text: 'import { nullable, optional, Text, Uuid } from',
    },
    {
      file: `${FOLDER}/schemas.ts`,
      instead: '{ remark_text: Text(200) }',
      text: '{ remark_text: Text(200), remark_author: optional(Text(80)) }',
    },
    {
      file: `${FOLDER}/schemas.ts`,
      instead: '{ user_id: Uuid, remark_text: Type.String() }',
      text: '{ user_id: Uuid, remark_text: Type.String(), remark_author: nullable(Type.String()) }',
    },
    { file: 'migrations/9001_remark_author.sql', text: 'alter table remarks add column author bytea;\n' },
    {
      file: 'src/privacy/sealed-columns.ts',
      after: 'export const SEALED_COLUMNS = {\n',
      text: "  'remarks.author': { as: 'text', row: ['user_id'], team: 'team_id' },\n",
    },
    {
      file: `${FOLDER}/put-remark.ts`,
      instead: '(ctx: TeamCtx, userId: string, text: string)',
      text: '(ctx: TeamCtx, userId: string, text: string, by: string | null)',
    },
    {
      file: `${FOLDER}/put-remark.ts`,
      before: '    await ctx.db\n      .insertInto',
      text: "    const author = by === null ? null : ctx.cipher.sealText('remarks.author', user, by);\n",
    },
    {
      file: `${FOLDER}/put-remark.ts`,
      instead: 'team_id: ctx.team.id, content }',
      text: 'team_id: ctx.team.id, content, author }',
    },
    { file: `${FOLDER}/put-remark.ts`, instead: 'doUpdateSet({ content })', text: 'doUpdateSet({ content, author })' },
    {
      file: `${FOLDER}/put-remark.ts`,
      instead: 'return { user_id: user.id, remark_text: text }',
      text: 'return { user_id: user.id, remark_text: text, remark_author: by }',
    },
    {
      file: `${FOLDER}/find.ts`,
      after: "import type { TeamCtx } from '../../context.ts';\n",
      text: `
export async function findRemarkAuthorOrNull(ctx: TeamCtx, userId: string): Promise<string | null> {
  const row = await ctx.db
    .selectFrom('remarks')
    .select(['user_id as id', 'team_id', 'author'])
    .where('user_id', '=', userId)
    .where('team_id', '=', ctx.team.id)
    .executeTakeFirst();
  return row?.author ? ctx.cipher.openText('remarks.author', row, row.author) : null;
}
`,
    },
    {
      file: `${FOLDER}/operations.ts`,
      instead: 'import { findRemarkTextOrNull }',
      text: 'import { findRemarkAuthorOrNull, findRemarkTextOrNull }',
    },
    {
      file: `${FOLDER}/operations.ts`,
      instead: 'putRemark(ctx, user_id, body.remark_text)',
      text: 'putRemark(ctx, user_id, body.remark_text, body.remark_author ?? null)',
    },
    {
      file: `${FOLDER}/operations.ts`,
      instead: 'return { user_id, remark_text }',
      text: 'return { user_id, remark_text, remark_author: await findRemarkAuthorOrNull(ctx, user.id) }',
    },
    {
      file: 'src/openapi-texts/people.ts',
      before: '  remark_text: ',
      text: "  remark_author: 'Who wrote the remark.',\n",
    },
    {
      file: 'src/openapi-texts/examples/remarks.ts',
      instead: "  put_remark: { remark_text: 'Walks at night' },\n",
      text: "  put_remark: { remark_text: 'Walks at night', remark_author: 'A nurse' },\n",
    },
    {
      file: 'test/stored-fields.test.ts',
      instead: "body: { remark_text: 'Swims' },",
      text: "body: { remark_text: 'Swims', remark_author: 'A coach' },",
    },
    {
      file: `${FOLDER}/remarks.test.ts`,
      after: 'toMatchObject({ status: 200, body: remark });\n',
      text: `  for (const remark_author of ['A nurse', undefined]) {
    await app.api('PUT', path, { remark_text: 'Walks at night', remark_author });
    const { body } = await app.api<unknown>('GET', path);
    expect(body).toEqual({ ...remark, remark_author: remark_author ?? null });
  }
`,
    },
    {
      file: 'CHANGELOG.md',
      after: '# Changelog\n',
      text: '\n- The invented operation `put_remark` takes `remark_author`.\n',
    },
  ],
  own: [`${FOLDER}/put-remark.ts`, `${FOLDER}/find.ts`, `${FOLDER}/operations.ts`, `${FOLDER}/remarks.test.ts`],
  updates: [
    'test/answers.test.ts',
    'test/generated.test.ts',
    'test/migration-checksums.test.ts',
    'test/openapi.test.ts',
    'test/openapi-shape.test.ts',
    'packages/client/src/generated.test.ts',
  ],
  untouched: {
    'docs/answers.json': 'test/answers.test.ts writes it',
    'src/jobs/erased-texts.test.ts': 'writes the example of the body',
    'labs/orders/sealed.ts': 'the field belongs to no order',
    'labs/orders/load-order.ts': 'the field belongs to no order',
    'render.ts': 'the invented module returns its values as they are',
  },
};
