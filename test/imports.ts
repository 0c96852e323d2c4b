// Shared by tests of imports: a service, and users who each upload one file that the test reads back.
import { afterAll, beforeAll } from 'vitest';
import { startTestApp, type TestApp } from './test-app.ts';
import { importFile, type FileImport } from './exports.ts';
import { makeUser } from './factories.ts';

export type Imported = Record<string, unknown> & { id: string };

export type Imports = {
  readonly app: TestApp;
  /** The user of the last file. */
  readonly userId: string;
  /** Imports a file for a new user. */
  importOf: (file: string | Buffer) => Promise<FileImport>;
  /** The data of January 2026. */
  summaries: (resource: string) => Promise<Imported[]>;
  samples: (series: string) => Promise<Record<string, unknown>[]>;
};

/** Starts the service for the tests of a file. */
export function testImports(): Imports {
  let app: TestApp;
  let userId: string;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.close());
  return {
    get app() {
      return app;
    },
    get userId() {
      return userId;
    },
    importOf: async (file) => {
      userId = (await makeUser(app.team)).user_id;
      return importFile(app, userId, file);
    },
    summaries: async (resource) => {
      const { body } = await app.api<Record<string, Imported[]>>(
        'GET',
        `/v2/summary/${resource}/${userId}?start_date=2026-01-01&end_date=2026-01-31`,
      );
      return body[resource] as Imported[];
    },
    samples: async (series) => {
      const { body } = await app.api<{ groups: Record<string, { data: Record<string, unknown>[] }[]> }>(
        'GET',
        `/v2/timeseries/${userId}/${series}/grouped?start_date=2026-01-01&end_date=2026-12-31&limit=20000`,
      );
      return Object.values(body.groups)
        .flat()
        .flatMap(({ data }) => data);
    },
  };
}
