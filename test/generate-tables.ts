import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

/** Writes the Kysely types of the migrated database at `url`, for `src/db/tables.ts`. */
export function generateTables(url: string, outFile: string): void {
  execFileSync(
    process.execPath,
    [
      'node_modules/kysely-codegen/dist/cli/bin.js',
      '--dialect',
      'postgres',
      '--url',
      url,
      '--out-file',
      outFile,
      '--date-parser',
      'string',
      '--numeric-parser',
      'number',
      '--default-schema',
      'public',
      '--type-mapping',
      '{"timestamptz":"string","jsonb":"Jsonb"}',
      '--exclude-pattern',
      'graphile_worker.*',
    ],
    { stdio: 'pipe' },
  );
  const generated = readFileSync(outFile, 'utf8');
  writeFileSync(
    outFile,
    generated.replace(
      'import type { ColumnType } from "kysely";',
      'import type { ColumnType } from "kysely";\nimport type { Jsonb } from "./jsonb.ts";',
    ),
  );
}
