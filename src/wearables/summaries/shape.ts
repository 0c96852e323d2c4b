// What every summary is told with, beside its own fields.
import { Type, type TUnsafe } from 'typebox';
import { nullable, oneOf, Timestamp, Uuid } from '../../wire/schema.ts';
import { DataSource, SOURCE_TYPES } from '../source.ts';
import { toldAs, type Fields } from './fields.ts';

const heading: Fields = {
  id: Type.String({ format: 'uuid', description: 'Id of the summary, the same for all its versions.' }),
  user_id: Uuid,
};
const times: Fields = {
  created_at: Timestamp,
  updated_at: Type.String({ format: 'date-time', description: 'When it changed last. The newest version counts.' }),
};

/** Fields that say once more, flat, what `source` says. */
export const flatSource = {
  source_provider: Type.String({ description: 'Slug of the provider.' }),
  source_type: oneOf(SOURCE_TYPES, { description: 'Kind of the device that measured.' }),
  source_app_id: nullable(Type.String({ description: 'The app that wrote the data.' })),
  source_device_id: nullable(Type.String({ format: 'uuid', description: 'Id of the device that measured.' })),
} satisfies Fields;

/** Of what belongs to a day; `beside` are fields that do not come in. */
export const dailyShape = (fields: Fields, beside: Fields = {}): TUnsafe<Record<string, unknown>> =>
  shapeOf(fields, {
    calendar_date: Type.String({ format: 'date', description: 'The local day that it belongs to.' }),
    ...beside,
  });

export const dated: Fields = {
  date: Type.String({ format: 'date-time', deprecated: true, description: 'The calendar_date at 00:00 UTC.' }),
};

export const shapeOf = (fields: Fields, beside: Fields = {}): TUnsafe<Record<string, unknown>> =>
  toldAs({ ...heading, ...fields }, { ...beside, source: DataSource, ...times });
