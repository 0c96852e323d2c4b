import { operation } from '../operation/operation.ts';
import { INTERFACE_VERSION, VERSION } from '../package-root.ts';
import { requireReady } from './readiness.ts';
import { Health, Readiness, ServiceInformation } from './schemas.ts';

const tag = 'system';
const auth = 'none';

export const systemOperations = [
  operation({
    id: 'get_service',
    method: 'GET',
    path: '/',
    tag,
    auth,
    response: ServiceInformation,
    summary: 'Read the name and version of this service',
    handle: async ({ config: { baseUrl, environment, region } }) => ({
      name: 'Phial',
      version: VERSION,
      interface_version: INTERFACE_VERSION,
      environment,
      region,
      docs: `${baseUrl}/docs`,
      openapi: `${baseUrl}/openapi.json`,
    }),
  }),
  operation({
    id: 'get_health',
    method: 'GET',
    path: '/healthz',
    tag,
    auth,
    response: Health,
    summary: 'Check that the process runs',
    description: 'Does not query the database. Restart a process that does not answer.',
    handle: async () => ({ status: 'ok' }),
  }),
  operation({
    id: 'get_readiness',
    method: 'GET',
    path: '/readyz',
    tag,
    auth,
    response: Readiness,
    summary: 'Check that the service accepts requests',
    description:
      'Returns 503 while the process stops, the database does not answer, or its disk is full. Send requests ' +
      'to another process meanwhile. Waiting requests do not cause a 503, because then a load balancer would ' +
      'remove one process after the other. `request_wait_seconds` reports them.',
    refusals: ['not_ready'],
    handle: async (ctx) => {
      await requireReady(ctx);
      return { status: 'ready', request_wait_seconds: Math.round(ctx.requestWaitMs?.() ?? 0) / 1000 };
    },
  }),
];
