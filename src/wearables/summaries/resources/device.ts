import { Type } from 'typebox';
import { nullable, oneOf, optional, Text, Uuid } from '../../../wire/schema.ts';
import { SOURCE_TYPES } from '../../source.ts';
import { responseShape } from '../fields.ts';
import { measurable, origin } from '../item.ts';
import { PLAIN_BATCH, type SummaryResource } from '../resource.ts';

const fields = {
  device_manufacturer: optional(Text(200, { description: 'The maker.' })),
  device_model: optional(Text(200, { description: 'The model.' })),
  device_version: optional(Text(200, { description: 'Version of its hardware or firmware.' })),
  device_id: optional(Text(200, { description: "The maker's own id of the device, such as a serial number." })),
};

const { provider, source_type, app_id, version } = origin;

const input = Type.Object(
  { provider, source_type, app_id, version, ...fields },
  {
    fulfils: measurable(
      {},
      ({ device_id, device_model }) =>
        device_id || device_model
          ? []
          : [{ at: ['device_id'], type: 'missing', msg: 'Field required unless there is a device_model' }],
      'A device has a `device_id` or a `device_model`, which identifies it.',
    ),
  },
);

const shape = responseShape(fields, {
  id: Type.String({ format: 'uuid', description: 'Id of the device, which summaries and samples refer to.' }),
  user_id: Uuid,
  provider: Type.String({ description: 'Slug of the provider.' }),
  source_type: oneOf(SOURCE_TYPES, { description: 'Kind of the device.' }),
  app_id: nullable(Type.String({ description: 'The app that sent it.' })),
});

/**
 * A device that measures. There is one summary for each source and maker's id. Without such an id, there is one for
 * each model.
 */
export const device: SummaryResource = {
  name: 'device',
  title: 'Device',
  path: 'devices',
  one: 'device',
  many: 'devices',
  input,
  most: PLAIN_BATCH,
  shape,
  sealed: ['device_id'],
  isDevice: true,
  keyAndTimesOf: ({ device_id, device_manufacturer, device_model }) => ({
    key: device_id ? `id ${device_id}` : `model ${device_manufacturer ?? ''} ${String(device_model)}`,
    calendar_date: null,
    start_at: null,
    end_at: null,
  }),
};
