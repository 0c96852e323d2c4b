import type { Recipe } from './recipe.ts';

const FOLDER = 'src/users/remarks';

/** Adds an invented event, which says that the remark about a user has changed. */
export const event: Recipe = {
  heading: 'an event',
  edits: [
    {
      file: 'src/events/names.ts',
      before: "  'provider.connection.created',\n",
      text: "  'user.remark.changed',\n",
    },
    {
      file: `${FOLDER}/schemas.ts`,
      after: "import { shape } from '../../wire/shape.ts';\n",
      text: `
export const RemarkChange = shape('RemarkChange', {
  remark_text: Type.String(),
  is_first_remark: Type.Boolean(),
});
`,
    },
    {
      file: `${FOLDER}/events.ts`,
      text: `import { defineEvent } from '../../events/define.ts';
import { RemarkChange } from './schemas.ts';

export const remarkChanged = defineEvent({
  name: 'user.remark.changed',
  data: RemarkChange,
  summary: 'The remark about a user has changed.',
});
`,
    },
    {
      file: 'src/event-types.ts',
      before: "import { resultTableChanged } from './",
      text: "import { remarkChanged } from './users/remarks/events.ts';\n",
    },
    { file: 'src/event-types.ts', before: '  resultTableChanged,\n', text: '  remarkChanged,\n' },
    {
      file: `${FOLDER}/put-remark.ts`,
      after: "import { findUser } from '../find.ts';\n",
      text: `import { publishEvent } from '../../events/publish.ts';
import { remarkChanged } from './events.ts';
import { findRemarkTextOrNull } from './find.ts';
`,
    },
    {
      file: `${FOLDER}/put-remark.ts`,
      before: '    const content = ',
      text: '    const earlier = await findRemarkTextOrNull(ctx, user.id);\n',
    },
    {
      file: `${FOLDER}/put-remark.ts`,
      before: '    return { user_id: user.id, remark_text: text };\n',
      text: `    if (text !== earlier) {
      const data = { remark_text: text, is_first_remark: earlier === null };
      await publishEvent(ctx, remarkChanged, { user, data });
    }
`,
    },
    {
      file: 'src/openapi-texts/people.ts',
      before: '  first_name:\n',
      text: "  is_first_remark: 'Whether the user had no remark before.',\n",
    },
    {
      file: 'src/openapi-texts/events.ts',
      before: "  'data.appointment_id': null,\n",
      text: '  is_first_remark: true,\n',
    },
    {
      file: 'src/cli/trigger/lab-scenarios.ts',
      after: 'export const LAB_SCENARIOS: Readonly<Record<string, Scenario>> = {\n',
      text: `  'user.remark.changed': {
    does: 'Writes a remark about a user.',
    play: ({ phial, user_id }) =>
      unwrap(
        phial.PUT('/v2/user/{user_id}/remark', {
          params: { path: { user_id } },
          body: { remark_text: 'Walks at night' },
        }),
      ),
  },
`,
    },
    {
      file: `${FOLDER}/publish-remark.test.ts`,
      text: `import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser, subscribe } from '../../../test/factories.ts';
import { startEndpoint, type Endpoint } from '../../../test/endpoint.ts';

let app: TestApp;
let endpoint: Endpoint;
beforeAll(async () => {
  [app, endpoint] = await Promise.all([startTestApp(), startEndpoint()]);
  await subscribe(app.team, endpoint);
});
afterAll(async () => {
  await app.close();
  await endpoint.close();
});

test('a changed remark is published once, and an equal one is not', async () => {
  const { user_id } = await makeUser(app.team);
  for (const remark_text of ['Walks at night', 'Walks at night', 'Walks at noon'])
    await app.api('PUT', \`/v2/user/\${user_id}/remark\`, { remark_text });
  await app.deliver();
  expect(endpoint.received.map(({ body }) => [body.event_type, body.user_id, body.data])).toEqual([
    ['user.remark.changed', user_id, { remark_text: 'Walks at night', is_first_remark: true }],
    ['user.remark.changed', user_id, { remark_text: 'Walks at noon', is_first_remark: false }],
  ]);
});
`,
    },
    {
      file: 'CHANGELOG.md',
      after: '# Changelog\n',
      text: '\n- The invented event `user.remark.changed` is published.\n',
    },
  ],
  own: [`${FOLDER}/put-remark.ts`, `${FOLDER}/publish-remark.test.ts`],
  updates: [
    'test/openapi.test.ts',
    'test/openapi-shape.test.ts',
    'test/generated.test.ts',
    'packages/client/src/generated.test.ts',
  ],
  untouched: {
    'openapi-texts/examples.ts': 'its FIELDS are for fields that operations have too',
    'src/event-types.test.ts': 'checks steps 1 to 3, and has no list of events',
    'cli/trigger/scenarios.test.ts': 'checks step 6, and has no list of events',
  },
};
