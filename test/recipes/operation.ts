import type { Recipe } from './recipe.ts';

const FOLDER = 'src/users/remarks';

/** Adds two invented operations, which write and read the remark about a user, with a tag and a code of their own. */
export const operation: Recipe = {
  heading: 'an operation',
  edits: [
    {
      file: `${FOLDER}/schemas.ts`,
      text: `import { Type } from 'typebox';
import { Text, Uuid } from '../../wire/schema.ts';
import { shape } from '../../wire/shape.ts';

export const RemarkInput = shape('RemarkInput', { remark_text: Text(200) });
export const Remark = shape('Remark', { user_id: Uuid, remark_text: Type.String() });
`,
    },
    {
      file: `${FOLDER}/put-remark.ts`,
      text: `import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError } from '../../errors.ts';
import { findUser } from '../find.ts';
import type { Remark } from './schemas.ts';

export function putRemark(ctx: TeamCtx, userId: string, text: string): Promise<Static<typeof Remark>> {
  return inTransaction(ctx, async (ctx) => {
    const user = await findUser(ctx, userId);
    if (text.includes('+1')) throw new AppError('remark_has_number', 'A remark must not have a telephone number.');
    const content = ctx.cipher.sealText('remarks.content', user, text);
    await ctx.db
      .insertInto('remarks')
      .values({ user_id: user.id, team_id: ctx.team.id, content })
      .onConflict((oc) => oc.column('user_id').doUpdateSet({ content }))
      .execute();
    return { user_id: user.id, remark_text: text };
  });
}
`,
    },
    {
      file: `${FOLDER}/find.ts`,
      text: `import type { TeamCtx } from '../../context.ts';

export async function findRemarkTextOrNull(ctx: TeamCtx, userId: string): Promise<string | null> {
  const row = await ctx.db
    .selectFrom('remarks')
    .select(['user_id as id', 'team_id', 'content'])
    .where('user_id', '=', userId)
    .where('team_id', '=', ctx.team.id)
    .executeTakeFirst();
  return row ? ctx.cipher.openText('remarks.content', row, row.content) : null;
}
`,
    },
    {
      file: `${FOLDER}/operations.ts`,
      text: `import { Type } from 'typebox';
import { notFound } from '../../errors.ts';
import { operation } from '../../operation/operation.ts';
import { Uuid } from '../../wire/schema.ts';
import { findUser } from '../find.ts';
import { findRemarkTextOrNull } from './find.ts';
import { putRemark } from './put-remark.ts';
import { Remark, RemarkInput } from './schemas.ts';

const tag = 'remarks';
const path = '/v2/user/{user_id}/remark';
const params = Type.Object({ user_id: Uuid });

export const remarkOperations = [
  operation({
    id: 'put_remark',
    method: 'PUT',
    path,
    tag,
    params,
    body: RemarkInput,
    response: Remark,
    summary: 'Write the remark about a user',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'remark_has_number'],
    handle: (ctx, { params: { user_id }, body }) => putRemark(ctx, user_id, body.remark_text),
  }),
  operation({
    id: 'get_remark',
    method: 'GET',
    path,
    tag,
    params,
    response: Remark,
    summary: 'Read the remark about a user',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: async (ctx, { params: { user_id } }) => {
      const user = await findUser(ctx, user_id);
      const remark_text = await findRemarkTextOrNull(ctx, user.id);
      if (remark_text === null) throw notFound('A remark about this user');
      return { user_id, remark_text };
    },
  }),
];
`,
    },
    {
      file: 'src/users/operations.ts',
      after: "import { patchUser } from './patch.ts';\n",
      text: "import { remarkOperations } from './remarks/operations.ts';\n",
    },
    {
      file: 'src/users/operations.ts',
      after: 'export const userOperations = [\n',
      text: '  ...remarkOperations,\n',
    },
    { file: 'src/errors.ts', after: "  | 'not_found'\n", text: "  | 'remark_has_number'\n" },
    { file: 'src/http/error-response.ts', before: '  not_found: 404,\n', text: '  remark_has_number: 400,\n' },
    {
      file: 'src/openapi-texts/remedies.ts',
      before: '  order_not_replaceable: ',
      text: "  remark_has_number: 'Leave the telephone number out of the remark.',\n",
    },
    {
      file: 'src/openapi-texts/tags.ts',
      before: "  connections: 'Sources",
      text: "  remarks: 'Remarks about users.',\n",
    },
    { file: 'src/operation/areas.ts', after: "  users: 'users',\n", text: "  remarks: 'users',\n" },
    {
      file: 'src/openapi-texts/people.ts',
      before: '  last_name:\n',
      text: "  remark_text: 'The remark about the user.',\n",
    },
    {
      file: 'src/openapi-texts/examples/remarks.ts',
      text: `export const REMARK_BODIES: Readonly<Record<string, unknown>> = {
  put_remark: { remark_text: 'Walks at night' },
};
`,
    },
    {
      file: 'src/openapi-texts/examples.ts',
      before: 'import { REPAIR_BODIES } from',
      text: "import { REMARK_BODIES } from './examples/remarks.ts';\n",
    },
    { file: 'src/openapi-texts/examples.ts', before: '  ...REPAIR_BODIES,\n', text: '  ...REMARK_BODIES,\n' },
    {
      file: 'test/isolation.test.ts',
      before: '  put_user_info: () => ',
      text: "  put_remark: () => [{ body: { remark_text: 'Mine' }, status: 404 }],\n",
    },
    {
      file: 'test/stored-fields.test.ts',
      before: '  put_user_info: () => ({\n',
      text: "  put_remark: () => ({ body: { remark_text: 'Swims' }, reads: [`/v2/user/${ids.user}/remark`] }),\n",
    },
    {
      file: `${FOLDER}/remarks.test.ts`,
      text: `import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser } from '../../../test/factories.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test('a remark about a user is shown as it was written, and may not have a number', async () => {
  const { user_id } = await makeUser(app.team);
  const path = \`/v2/user/\${user_id}/remark\`;
  expect((await app.api('GET', path)).status).toBe(404);
  const remark = { user_id, remark_text: 'Walks at night' };
  expect(await app.api<unknown>('PUT', path, { remark_text: 'Walks at night' })).toMatchObject({ body: remark });
  const refused = await app.api<unknown>('PUT', path, { remark_text: 'Call +16025550123' });
  expect(refused).toMatchObject({ status: 400, body: { code: 'remark_has_number' } });
  expect(await app.api<unknown>('GET', path)).toMatchObject({ status: 200, body: remark });
});
`,
    },
    {
      file: 'CHANGELOG.md',
      after: '# Changelog\n',
      text: '\n- The invented operation `put_remark` writes a remark.\n',
    },
  ],
  own: [`${FOLDER}/put-remark.ts`, `${FOLDER}/find.ts`, `${FOLDER}/remarks.test.ts`],
  updates: [
    'test/answers.test.ts',
    'test/openapi.test.ts',
    'test/openapi-shape.test.ts',
    'test/generated.test.ts',
    'packages/client/src/generated.test.ts',
  ],
  untouched: {
    'docs/answers.json': 'test/answers.test.ts writes it',
    'src/wire/shape.ts': 'has the functions that give schemas a name',
    'test/request-bounds.test.ts': 'finds what has no limit, and has no list of operations',
    'labs/operations.ts': 'the remarks belong to the domain of users',
    'wearables/operations.ts': 'the remarks belong to the domain of users',
    'tenancy/operations.ts': 'the remarks belong to the domain of users',
    'src/operations.ts': 'users are a domain already',
    'tenancy/team-paths.ts': 'no operation of the management API is added',
    'operation/media.ts': 'the operations take and answer JSON',
    'test/media.test.ts': 'the operations take and answer JSON',
    'http/auth/keys.test.ts': 'the operations need a key',
    'test/scopes.test.ts': 'no POST reads',
    'openapi.json': 'test/openapi.test.ts writes it',
  },
};
