import type { Selectable } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import type { Orders, Shipments } from '../../db/tables.ts';
import type { AoeAnswer, ConsentInput, Order, PhysicianInput, Shipment } from './schemas.ts';
import type { CollectionMethod, LowLevelStatus } from './status/statuses.ts';

type Wire = Static<typeof Order>;

/**
 * The personal fields that responses show. Whenever we read an order we decrypt all of them, so we seal them as one
 * value in the column `personal`. Orders of early releases have a separate column for each of these fields, as JSON or
 * as text. The next change of such an order moves the fields to `personal`.
 */
const SHOWN = {
  patient_details: 'json',
  patient_address: 'json',
  shipping_details: 'json',
  physician: 'json',
  icd_codes: 'json',
  notes: 'text',
  clinical_notes: 'text',
  passthrough: 'text',
} as const;

/** The personal fields that no response shows. We seal each of them as JSON in a separate column. */
const UNSHOWN = ['consents', 'aoe_answers'] as const;

type ShownColumn = keyof typeof SHOWN;
type UnshownColumn = (typeof UNSHOWN)[number];
export type PersonalField = ShownColumn | UnshownColumn;

const SHOWN_COLUMNS = Object.keys(SHOWN) as ShownColumn[];
const PERSONAL_FIELDS: readonly PersonalField[] = [...SHOWN_COLUMNS, ...UNSHOWN];
type TextColumn = { [K in ShownColumn]: (typeof SHOWN)[K] extends 'text' ? K : never }[ShownColumn];
const isText = (column: ShownColumn): column is TextColumn => SHOWN[column] === 'text';

/** The columns with the sealed values of an order. `sealOrder` writes their values. */
export const SEALED_OF_ORDER = ['personal', ...UNSHOWN] as const;

/** A row of `orders` as stored, with sealed personal fields. */
export type StoredOrder = Selectable<Orders>;

/** A row of `orders` with decrypted personal fields. */
export type OrderRow = Omit<StoredOrder, PersonalField | 'personal' | 'method' | 'last_low_level_status'> & {
  method: CollectionMethod;
  last_low_level_status: LowLevelStatus;
  patient_details: Wire['patient_details'];
  patient_address: Wire['patient_address'];
  shipping_details: Wire['shipping_details'];
  physician: Static<typeof PhysicianInput> | null;
  consents: Static<typeof ConsentInput>[] | null;
  icd_codes: string[] | null;
  aoe_answers: Static<typeof AoeAnswer>[] | null;
  notes: string | null;
  clinical_notes: string | null;
  passthrough: string | null;
};

/** The personal fields of an order, decrypted, without its other fields. */
export type Personal = Pick<OrderRow, PersonalField>;

export const personalOf = (row: Personal): Personal =>
  Object.fromEntries(PERSONAL_FIELDS.map((field) => [field, row[field]])) as Personal;

export const NOTHING_PERSONAL = Object.fromEntries(PERSONAL_FIELDS.map((field) => [field, null])) as Personal;

type Sealed = Pick<StoredOrder, PersonalField | 'personal'>;

/**
 * Decrypts the sealed values of an order and writes them into the same row object. A second object for each order would
 * double the time for a page of orders.
 */
export function openOrder<R extends Pick<StoredOrder, 'id' | 'team_id'> & Partial<Sealed>>(
  { cipher }: TeamCtx,
  stored: R,
): OpenedRow<R> {
  const row = stored as Record<string, unknown>;
  const { personal } = stored;
  if (personal) {
    const shown = cipher.openJson<Partial<Personal>>('orders.personal', stored, personal);
    for (const column of SHOWN_COLUMNS) if (column in row) row[column] = shown[column] ?? null;
  } else {
    for (const column of SHOWN_COLUMNS) {
      const sealed = stored[column];
      if (!sealed) continue;
      row[column] = isText(column)
        ? cipher.openText(`orders.${column}`, stored, sealed)
        : cipher.openJson(`orders.${column}`, stored, sealed);
    }
  }
  for (const column of UNSHOWN) {
    const sealed = stored[column];
    if (sealed) row[column] = cipher.openJson(`orders.${column}`, stored, sealed);
  }
  return row as OpenedRow<R>;
}

/** A row with the decrypted values in place of the sealed ones. */
type OpenedRow<R> = { [K in keyof R]: K extends keyof OrderRow ? OrderRow[K] : R[K] };

type Row = Personal & { team_id: string; id: string };

/** Seals the personal fields of an order. */
export const sealOrder = (ctx: TeamCtx, row: Row): Pick<Sealed, (typeof SEALED_OF_ORDER)[number]> => ({
  personal: sealShown(ctx, row),
  consents: sealUnshown(ctx, row, 'consents'),
  aoe_answers: sealUnshown(ctx, row, 'aoe_answers'),
});

/**
 * Returns the columns that we must write when personal fields of an order change. Returns an empty object if none
 * changed.
 */
export function sealChanged(ctx: TeamCtx, row: Row, changed: Partial<Personal>): Partial<Sealed> {
  const isChanged = (field: PersonalField): boolean => changed[field] !== undefined;
  return {
    ...(SHOWN_COLUMNS.some(isChanged) ? { ...NOTHING_APART, personal: sealShown(ctx, row) } : {}),
    ...Object.fromEntries(UNSHOWN.filter(isChanged).map((column) => [column, sealUnshown(ctx, row, column)])),
  };
}

const NOTHING_APART = Object.fromEntries(SHOWN_COLUMNS.map((column) => [column, null])) as Record<ShownColumn, null>;

function sealShown({ cipher }: TeamCtx, row: Row): Buffer | null {
  const shown = SHOWN_COLUMNS.flatMap((column) => (row[column] === null ? [] : [[column, row[column]]]));
  return shown.length === 0 ? null : cipher.sealJson('orders.personal', row, Object.fromEntries(shown));
}

const sealUnshown = ({ cipher }: TeamCtx, row: Row, column: UnshownColumn): Buffer | null =>
  row[column] && cipher.sealJson(`orders.${column}`, row, row[column]);

const PARCEL = [
  'outbound_tracking_number',
  'outbound_tracking_url',
  'inbound_tracking_number',
  'inbound_tracking_url',
  'notes',
] as const;

/** A shipment in the form in which row_to_json writes it. Bytes have the form `\\x…`. */
export type StoredShipment = { [K in keyof Selectable<Shipments>]: string | null } & { id: string; team_id: string };

export function openShipment({ cipher }: TeamCtx, stored: StoredShipment): Static<typeof Shipment> {
  const opened = { ...stored } as Record<string, string | null>;
  for (const column of PARCEL) {
    const sealed = stored[column];
    if (sealed) opened[column] = cipher.openText(`shipments.${column}`, stored, Buffer.from(sealed.slice(2), 'hex'));
  }
  return opened as Static<typeof Shipment>;
}

/** Seals the personal values of a shipment, such as tracking numbers. All other values stay as they are. */
export function sealShipment(
  { cipher }: TeamCtx,
  row: { team_id: string; id: string },
  values: Partial<Record<string, string | null>>,
): Record<string, Buffer | string | null> {
  return Object.fromEntries(
    Object.entries(values).map(([column, value]) => {
      const personal = PARCEL.find((name) => name === column);
      return [column, personal && value ? cipher.sealText(`shipments.${personal}`, row, value) : (value ?? null)];
    }),
  );
}
