import type { Ctx } from './context.ts';
import { acrossTeams } from './db/session/bind.ts';
import { operations } from './operations.ts';
import { openApp, type App } from './http/app.ts';
import { freeStorage } from './files/free-storage.ts';
import { registerDashboard } from './http/dashboard/serve-dashboard.ts';
import { registerDocs } from './reference/register-docs.ts';
import { registerMetrics, type Metrics } from './metrics.ts';
import { openApiDocument } from './openapi.ts';
import { DASHBOARD } from './package-root.ts';
import { measureQueue } from './delivery/queues/queue-depth.ts';
import { measurePipelines } from './pipelines/etl/streaming/measure-pipelines.ts';
import { measureErasures } from './jobs/measure-erasures.ts';
import { measureLaboratories } from './labs/laboratories/hl7/repair/measure-laboratories.ts';
import { measureMails } from './mail/measure-mails.ts';

/**
 * Opens the API of a process: all operations, the reference page and the dashboard. In a sandbox without a metrics
 * port, it also serves the metrics.
 */
export function serveApi(ctx: Ctx, metrics: Metrics): App {
  const app = openApp(ctx, operations, metrics);
  registerDocs(app.server, () => JSON.stringify(openApiDocument(ctx.config.baseUrl)));
  registerDashboard(app.server, DASHBOARD);
  if (ctx.config.environment === 'sandbox' && ctx.config.metricsPort === null) {
    registerMetrics(app.server, metrics, () => measure(ctx, metrics));
  }
  return app;
}

/** Measures the metrics that need a query or the disk. We do this only when a metrics server reads /metrics. */
export async function measure(ctx: Ctx, metrics: Metrics): Promise<void> {
  const { db } = acrossTeams(ctx);
  await measureQueue(db, metrics);
  await measureLaboratories(db, metrics.laboratories);
  await measurePipelines(db, metrics);
  await measureMails(db, metrics);
  await measureErasures(db, metrics);
  for (const { of, bytes } of await freeStorage(ctx)) metrics.storageFreeBytes.set({ of }, bytes);
}
