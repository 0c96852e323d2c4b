// The tests that run in the scratch copy. Without a step of a recipe one of them fails.

/** The title is a regular expression. It leaves out the tests that cost time and cannot notice a step. */
export type Check = { file: string; title: string };

export const CHECKS: readonly Check[] = [
  // With RECORD_ANSWERS=1 the first two keep the answers that they get. With UPDATE=1 the next ones write files.
  {
    file: 'src/wearables/timeseries/all-series.test.ts',
    title: '^the \\d+ series |^moonlight|^the form without groups d',
  },
  { file: 'src/users/remarks/remarks.test.ts', title: '^a remark about a user is shown' },
  { file: 'test/answers.test.ts', title: '^docs/answers.json has an answer of every operation' },
  {
    file: 'test/openapi.test.ts',
    title: '^(the document (?!is valid|holds only)|an operation |a field |a named schema )',
  },
  { file: 'test/openapi-shape.test.ts', title: '^the interface without its texts' },
  { file: 'packages/client/src/generated.test.ts', title: ' matches openapi' },
  { file: 'test/generated.test.ts', title: ' matches the ' },
  { file: 'test/migration-checksums.test.ts', title: '^a migration never changes' },
  { file: 'src/wearables/providers/calls.test.ts', title: '^the guide has (a row|.* to moonwatch)' },
  // series
  { file: 'src/wearables/timeseries/plausible.test.ts', title: '^every series of numbers has a range' },
  { file: 'src/wearables/pulls/demo.test.ts', title: ' to apple_health_kit brings ' },
  // provider
  { file: 'src/wearables/providers/registry.test.ts', title: 'moonwatch.? has scopes' },
  { file: 'src/wearables/providers/providers.test.ts', title: '^moonwatch gets requests only' },
  { file: 'src/wearables/providers/out-of-bounds.test.ts', title: ' answer of .?moonwatch.? is stored' },
  { file: 'src/wearables/pulls/history-days.test.ts', title: '^every provider has the documented number' },
  { file: 'src/wearables/providers/moonwatch/import.test.ts', title: '^a user connects the invented watch' },
  // event
  { file: 'src/event-types.test.ts', title: 'every event that a module|a filter may name' },
  { file: 'src/cli/trigger/scenarios.test.ts', title: '^every event of the catalogue has a scenario' },
  { file: 'src/users/remarks/publish-remark.test.ts', title: '^a changed remark is published once' },
  // operation
  { file: 'test/stored-fields.test.ts', title: '^each key of the body of put_remark' },
  { file: 'test/examples.test.ts', title: 'example of (put|get)_remark' },
  { file: 'test/request-bounds.test.ts', title: '^the requests of put_remark' },
  { file: 'test/isolation.test.ts', title: '^the owner has something|^a sibling .* by (put|get)_remark' },
  // table
  { file: 'test/table-owners.test.ts', title: '^every table has one owner' },
  { file: 'src/db/row-level-security.test.ts', title: '^every table has a row-level|sees every row where it works' },
  { file: 'src/privacy/sealed-columns.test.ts', title: '^every sealed column' },
  { file: 'src/team-export/exported-tables.test.ts', title: '^every table with data of teams' },
  { file: 'src/jobs/erased-texts.test.ts', title: '^every text of a user is erased' },
];
