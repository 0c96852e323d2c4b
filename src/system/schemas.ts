import { Type } from 'typebox';
import { oneOf } from '../wire/schema.ts';

export const ServiceInformation = Type.Object({
  name: Type.String(),
  version: Type.String({ description: 'Of this program.' }),
  interface_version: Type.String({ description: 'Of the interface it speaks.' }),
  environment: oneOf(['production', 'sandbox']),
  region: oneOf(['us', 'eu']),
  docs: Type.String({ description: 'Address of the reference.' }),
  openapi: Type.String({ description: 'Address of the OpenAPI document.' }),
});

export const Health = Type.Object({ status: Type.String({ const: 'ok' }) });
export const Readiness = Type.Object({
  status: Type.String({ const: 'ready' }),
  request_wait_seconds: Type.Number({
    description: 'How long the request has waited that waits longest for its turn in this process; 0 where none waits.',
  }),
});
