import type { Ctx } from './context.ts';
import { acrossTeams } from './db/session/bind.ts';
import { endpoints } from './endpoints.ts';
import { openApp, type App } from './http/app.ts';
import { freeStorage } from './files/free-storage.ts';
import { registerDocs } from './http/openapi/docs.ts';
import { registerMetrics, type Metrics } from './http/metrics.ts';
import { openApiDocument } from './openapi.ts';
import { measureQueue } from './delivery/lanes/queue-depth.ts';
import { measurePipelines } from './pipelines/etl/streaming/measure.ts';
import { measureErasures } from './jobs/measure-erasures.ts';
import { measureLaboratories } from './labs/laboratories/hl7/queue/measure.ts';
import { measureMails } from './mail/measure.ts';

/** The API as a process serves it: every operation, the reference and, in a sandbox without a port for them, the metrics. */
export function serveApi(ctx: Ctx, metrics: Metrics): App {
  const app = openApp(ctx, endpoints, metrics);
  registerDocs(app.server, () => JSON.stringify(openApiDocument(ctx.config.baseUrl)));
  if (ctx.config.environment === 'sandbox' && ctx.config.metricsPort === null) {
    registerMetrics(app.server, metrics, () => measure(ctx, metrics));
  }
  return app;
}

/** Brings up to date what is measured only when somebody looks at /metrics. */
export async function measure(ctx: Ctx, metrics: Metrics): Promise<void> {
  const { db } = acrossTeams(ctx);
  await measureQueue(db, metrics);
  await measureLaboratories(db, metrics.laboratories);
  await measurePipelines(db, metrics);
  await measureMails(db, metrics);
  await measureErasures(db, metrics);
  for (const { of, bytes } of await freeStorage(ctx)) metrics.storageFreeBytes.set({ of }, bytes);
}
