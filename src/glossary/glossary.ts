// One word, one meaning: a field is described here by its name, unless its own schema says more.
import { appointments } from './appointments.ts';
import { catalogue } from './catalogue.ts';
import { connections } from './connections.ts';
import { lists } from './lists.ts';
import { orders } from './orders.ts';
import { people } from './people.ts';
import { places } from './places.ts';
import { results } from './results.ts';
import { tenancy } from './tenancy.ts';
import { wearables } from './wearables.ts';

export const PARTS: readonly Readonly<Record<string, string>>[] = [
  lists,
  people,
  orders,
  catalogue,
  places,
  appointments,
  results,
  tenancy,
  wearables,
  connections,
];

export const GLOSSARY: Readonly<Record<string, string>> = Object.assign({}, ...PARTS) as Record<string, string>;
