import { Type } from 'typebox';
import { nullable, oneOf, optional, Text, Uuid } from '../../../wire/schema.ts';
import { SOURCE_TYPES } from '../../source.ts';
import { toldAs } from '../fields.ts';
import { measurable, origin } from '../item.ts';
import { PLAIN_BATCH, type SummaryResource } from '../resource.ts';

const fields = {
  device_manufacturer: optional(Text(200, { description: 'Who made it.' })),
  device_model: optional(Text(200, { description: 'Which model it is.' })),
  device_version: optional(Text(200, { description: 'Version of its hardware or firmware.' })),
  device_id: optional(Text(200, { description: "The maker's own id of it, as a serial number." })),
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
      'A device has a `device_id` or a `device_model`, by which it is known.',
    ),
  },
);

const shape = toldAs(fields, {
  id: Type.String({ format: 'uuid', description: 'Id of the device, by which summaries and samples name it.' }),
  user_id: Uuid,
  provider: Type.String({ description: 'Slug of the provider.' }),
  source_type: oneOf(SOURCE_TYPES, { description: 'Kind of the device.' }),
  app_id: nullable(Type.String({ description: 'The app that told of it.' })),
});

/** What measures: one a source and id of the maker, else a model. */
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
  placeOf: ({ device_id, device_manufacturer, device_model }) => ({
    key: device_id ? `id ${device_id}` : `model ${device_manufacturer ?? ''} ${String(device_model)}`,
    calendar_date: null,
    start_at: null,
    end_at: null,
  }),
};
