// Each field name has one meaning. If the schema of a field has no description, the field gets the description from
// here.
import { appointments } from './appointments.ts';
import { catalogue } from './catalogue.ts';
import { connections } from './connections.ts';
import { lists } from './lists.ts';
import { orders } from './orders.ts';
import { people } from './people.ts';
import { locations } from './locations.ts';
import { results } from './results.ts';
import { tenancy } from './tenancy.ts';
import { wearables } from './wearables.ts';

export const PARTS: readonly Readonly<Record<string, string>>[] = [
  lists,
  people,
  orders,
  catalogue,
  locations,
  appointments,
  results,
  tenancy,
  wearables,
  connections,
];

export const FIELD_DESCRIPTIONS: Readonly<Record<string, string>> = Object.assign({}, ...PARTS) as Record<
  string,
  string
>;
