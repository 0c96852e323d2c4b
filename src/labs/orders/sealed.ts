import type { Selectable } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import type { Orders, Shipments } from '../../db/tables.ts';
import type { AoeAnswer, ConsentInput, Order, PhysicianInput, Shipment } from './schemas.ts';
import type { CollectionMethod, LowLevelStatus } from './status/table.ts';

type Wire = Static<typeof Order>;

/** What is sealed of an order, and whether as JSON or as the text that it is. */
const SEALED = {
  patient_details: 'json',
  patient_address: 'json',
  shipping_details: 'json',
  physician: 'json',
  consents: 'json',
  icd_codes: 'json',
  aoe_answers: 'json',
  notes: 'text',
  clinical_notes: 'text',
  passthrough: 'text',
} as const;

export type SealedColumn = keyof typeof SEALED;
type TextColumn = { [K in SealedColumn]: (typeof SEALED)[K] extends 'text' ? K : never }[SealedColumn];

export const SEALED_OF_ORDER = Object.keys(SEALED) as SealedColumn[];
const isText = (column: SealedColumn): column is TextColumn => SEALED[column] === 'text';

/** An order's row as the database keeps it; what is personal is sealed. */
export type StoredOrder = Selectable<Orders>;

/** The same, opened. */
export type OrderRow = Omit<StoredOrder, SealedColumn | 'method' | 'last_low_level_status'> & {
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

/** Those columns of an order alone, opened. */
export type Personal = Pick<OrderRow, SealedColumn>;

export const personalOf = (row: Personal): Personal =>
  Object.fromEntries(SEALED_OF_ORDER.map((column) => [column, row[column]])) as Personal;

/** Opens what is sealed of an order, in the row itself: of a page of orders a second row for each would cost as much again. */
export function openOrder<R extends Pick<StoredOrder, 'id' | 'team_id'> & Partial<Pick<StoredOrder, SealedColumn>>>(
  { cipher }: TeamCtx,
  stored: R,
): Opened<R> {
  const row = stored as Record<string, unknown>;
  for (const column of SEALED_OF_ORDER) {
    const sealed = stored[column];
    if (!sealed) continue;
    row[column] = isText(column)
      ? cipher.openText(`orders.${column}`, stored, sealed)
      : cipher.openJson(`orders.${column}`, stored, sealed);
  }
  return row as Opened<R>;
}

/** The same row, opened. */
type Opened<R> = { [K in keyof R]: K extends keyof OrderRow ? OrderRow[K] : R[K] };

/** Seals those columns of an order that are given; null stays null. */
export function sealOrder(
  { cipher }: TeamCtx,
  row: { team_id: string; id: string },
  opened: Partial<Personal>,
): Partial<Record<SealedColumn, Buffer | null>> {
  return Object.fromEntries(
    Object.entries(opened).map(([name, value]) => {
      const column = name as SealedColumn;
      if (value === null) return [column, null];
      if (isText(column)) return [column, cipher.sealText(`orders.${column}`, row, value as string)];
      return [column, cipher.sealJson(`orders.${column}`, row, value)];
    }),
  );
}

const PARCEL = [
  'outbound_tracking_number',
  'outbound_tracking_url',
  'inbound_tracking_number',
  'inbound_tracking_url',
  'notes',
] as const;

/** A shipment as row_to_json writes it: bytes as `\x…`. */
export type StoredShipment = { [K in keyof Selectable<Shipments>]: string | null } & { id: string; team_id: string };

export function openShipment({ cipher }: TeamCtx, stored: StoredShipment): Static<typeof Shipment> {
  const opened = { ...stored } as Record<string, string | null>;
  for (const column of PARCEL) {
    const sealed = stored[column];
    if (sealed) opened[column] = cipher.openText(`shipments.${column}`, stored, Buffer.from(sealed.slice(2), 'hex'));
  }
  return opened as Static<typeof Shipment>;
}

/** Seals what is personal of the keys given. */
export function sealShipment(
  { cipher }: TeamCtx,
  row: { team_id: string; id: string },
  news: Partial<Record<string, string | null>>,
): Record<string, Buffer | string | null> {
  return Object.fromEntries(
    Object.entries(news).map(([column, value]) => {
      const personal = PARCEL.find((name) => name === column);
      return [column, personal && value ? cipher.sealText(`shipments.${personal}`, row, value) : (value ?? null)];
    }),
  );
}
