// The fields that every summary in a response has beside those of its kind.
import { Type, type TUnsafe } from 'typebox';
import { nullable, oneOf, Timestamp, Uuid } from '../../wire/schema.ts';
import { DataSource, SOURCE_TYPES } from '../source.ts';
import { responseShape, type Fields } from './fields.ts';

const heading: Fields = {
  id: Type.String({ format: 'uuid', description: 'Id of the summary, the same for all its versions.' }),
  user_id: Uuid,
};
const times: Fields = {
  created_at: Timestamp,
  updated_at: Type.String({ format: 'date-time', description: 'When it last changed. The newest version counts.' }),
};

/** The fields of `source`, once more and without nesting. */
export const flatSource = {
  source_provider: Type.String({ description: 'Slug of the provider.' }),
  source_type: oneOf(SOURCE_TYPES, { description: 'Kind of the device that measured.' }),
  source_app_id: nullable(Type.String({ description: 'The app that wrote the data.' })),
  source_device_id: nullable(Type.String({ format: 'uuid', description: 'Id of the device that measured.' })),
} satisfies Fields;

/** Returns the shape of a summary with a day. `beside` are fields that only responses have. */
export const dailyShape = (fields: Fields, beside: Fields = {}): TUnsafe<Record<string, unknown>> =>
  shapeOf(fields, {
    calendar_date: Type.String({ format: 'date', description: 'The local day that it belongs to.' }),
    ...beside,
  });

export const dated: Fields = {
  date: Type.String({ format: 'date-time', deprecated: true, description: 'The calendar_date at 00:00 UTC.' }),
};

export const shapeOf = (fields: Fields, beside: Fields = {}): TUnsafe<Record<string, unknown>> =>
  responseShape({ ...heading, ...fields }, { ...beside, source: DataSource, ...times });
