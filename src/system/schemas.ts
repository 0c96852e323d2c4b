import { Type } from 'typebox';
import { oneOf } from '../wire/schema.ts';
import { shape } from '../wire/shape.ts';

export const ServiceInformation = shape('ServiceInformation', {
  name: Type.String(),
  version: Type.String({ description: 'The version of this program.' }),
  interface_version: Type.String({ description: 'The version of the interface.' }),
  environment: oneOf(['production', 'sandbox']),
  region: oneOf(['us', 'eu']),
  docs: Type.String({ description: 'The address of the reference page.' }),
  openapi: Type.String({ description: 'The address of the OpenAPI document.' }),
});

export const Health = shape('Health', { status: Type.String({ const: 'ok' }) });
export const Readiness = shape('Readiness', {
  status: Type.String({ const: 'ready' }),
  request_wait_seconds: Type.Number({
    description: 'How long the request that waits longest for a permit in this process has waited. 0 when none waits.',
  }),
});
