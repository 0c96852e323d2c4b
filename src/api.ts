import type { Ctx } from './context.ts';
import { acrossTeams } from './db/session/bind.ts';
import { endpoints } from './endpoints.ts';
import { openApp, type App } from './http/app.ts';
import { registerDocs } from './http/openapi/docs.ts';
import { registerMetrics, type Metrics } from './http/metrics.ts';
import { openApiText } from './openapi.ts';
import { measureQueue } from './delivery/lanes/queue-depth.ts';

/** The API as a process serves it: every operation, the reference and, in a sandbox without a port for them, the metrics. */
export function serveApi(ctx: Ctx, metrics: Metrics): App {
  const app = openApp(ctx, endpoints, metrics);
  registerDocs(app.server, () => openApiText(ctx.config.baseUrl));
  if (ctx.config.environment === 'sandbox' && ctx.config.metricsPort === null) {
    registerMetrics(app.server, metrics, () => measureQueue(acrossTeams(ctx).db, metrics));
  }
  return app;
}
