import { Type } from 'typebox';
import { BirthDate, Email, PhoneNumber } from '../../wire/person.ts';
import { CalendarDate, Cursor, nullable, Text, Uuid, withDefault } from '../../wire/schema.ts';
import { shape } from '../../wire/shape.ts';
import type { Requirement } from '../../wire/rules.ts';
import { User } from '../schemas.ts';

const FILTERS = ['email', 'phone_number', 'birth_date', 'name', 'user_ids'];

const oneFilter: Requirement = {
  check: (value) =>
    FILTERS.some((name) => value[name] !== undefined)
      ? []
      : [{ at: [], type: 'missing', msg: `At least one of ${FILTERS.join(', ')} is needed` }],
  words: `At least one of ${FILTERS.map((name) => `\`${name}\``).join(', ')} is needed.`,
};

export const UserSearch = shape(
  'UserSearch',
  {
    email: Type.Optional({ ...Email, description: 'The whole address. Case does not matter.' }),
    phone_number: Type.Optional({ ...PhoneNumber, description: 'The whole number, in any way of writing it.' }),
    birth_date: Type.Optional({ ...BirthDate, description: 'Of the demographics, or fallback_birth_date.' }),
    name: Type.Optional(
      Text(200, { description: 'Whole words of the name, in any order. Case and accents do not matter.' }),
    ),
    user_ids: Type.Optional(
      Type.Array(Uuid, { minItems: 1, maxItems: 100, description: 'Only these users, to learn who they are.' }),
    ),
    limit: withDefault(Type.Integer({ minimum: 1, maximum: 100, description: 'Users in a page.' }), 50),
    next_cursor: Type.Optional(Cursor()),
  },
  { fulfils: oneFilter },
);

const FoundUser = shape('FoundUser', {
  ...User.properties,
  person: nullable(
    Type.Object(
      { first_name: Type.String(), last_name: Type.String(), dob: CalendarDate },
      { description: 'By which people tell users of the same name apart. null without demographics.' },
    ),
  ),
});

export const FoundUserPage = shape('FoundUserPage', {
  data: Type.Array(FoundUser),
  next_cursor: nullable(Type.String()),
});
