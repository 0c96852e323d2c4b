import { endpoint } from '../http/endpoint.ts';
import { INTERFACE_VERSION, VERSION } from '../package-root.ts';
import { requireReady } from './readiness.ts';
import { Health, Readiness, ServiceInformation } from './schemas.ts';

const tag = 'system';
const auth = 'none';

export const systemEndpoints = [
  endpoint({
    id: 'get_service',
    method: 'GET',
    path: '/',
    tag,
    auth,
    response: ServiceInformation,
    summary: 'Read what this service is',
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
  endpoint({
    id: 'get_health',
    method: 'GET',
    path: '/healthz',
    tag,
    auth,
    response: Health,
    summary: 'Tell whether the process runs',
    description: 'Asks nothing of the database: a process that does not answer should be restarted.',
    handle: async () => ({ status: 'ok' }),
  }),
  endpoint({
    id: 'get_readiness',
    method: 'GET',
    path: '/readyz',
    tag,
    auth,
    response: Readiness,
    summary: 'Tell whether the service takes requests',
    description:
      '503 while it stops, the database does not answer, or its disk is full: requests should go to another process meanwhile. ' +
      'Requests that wait for their turn are no reason for that: every process would be taken away in turn. `request_wait_seconds` ' +
      'tells of them.',
    refusals: ['not_ready'],
    handle: async (ctx) => {
      await requireReady(ctx);
      return { status: 'ready', request_wait_seconds: Math.round(ctx.requestWaitMs?.() ?? 0) / 1000 };
    },
  }),
];
