import type { Selectable, Updateable } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import type { Orders, Shipments } from '../../db/tables.ts';
import type { AoeAnswer, ConsentInput, Order, PhysicianInput, Shipment } from './schemas.ts';
import type { CollectionMethod, LowLevelStatus } from './status/table.ts';

type Wire = Static<typeof Order>;
type Sealed =
  'consents' | 'icd_codes' | 'aoe_answers' | 'notes' | 'clinical_notes' | 'passthrough' | keyof typeof DETAILS;

/** An order's row as the database keeps it; what is personal is sealed. */
export type StoredOrder = Selectable<Orders>;

/** The same, opened. */
export type OrderRow = Omit<StoredOrder, Sealed | 'method' | 'last_low_level_status'> & {
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

type JsonColumn = keyof typeof DETAILS | 'consents' | 'icd_codes' | 'aoe_answers';

const DETAILS = { patient_details: 1, patient_address: 1, shipping_details: 1, physician: 1 };

/** Opens what is sealed of an order. */
export function openOrder({ cipher }: TeamCtx, stored: StoredOrder): OrderRow {
  const json = <T>(column: JsonColumn): T | null => {
    const sealed = stored[column];
    return sealed && cipher.openJson<T>(`orders.${column}`, stored, sealed);
  };
  const text = (column: 'notes' | 'clinical_notes' | 'passthrough'): string | null => {
    const sealed = stored[column];
    return sealed && cipher.openText(`orders.${column}`, stored, sealed);
  };
  return {
    ...stored,
    method: stored.method as CollectionMethod,
    last_low_level_status: stored.last_low_level_status as LowLevelStatus,
    patient_details: json('patient_details'),
    patient_address: json('patient_address'),
    shipping_details: json('shipping_details'),
    physician: json('physician'),
    consents: json('consents'),
    icd_codes: json('icd_codes'),
    aoe_answers: json('aoe_answers'),
    notes: text('notes'),
    clinical_notes: text('clinical_notes'),
    passthrough: text('passthrough'),
  };
}

/** Seals those columns of an order that are given; null stays null. */
export function sealOrder(
  { cipher }: TeamCtx,
  row: { team_id: string; id: string },
  opened: Partial<
    Pick<
      OrderRow,
      | 'patient_details'
      | 'patient_address'
      | 'shipping_details'
      | 'physician'
      | 'consents'
      | 'icd_codes'
      | 'aoe_answers'
      | 'clinical_notes'
      | 'passthrough'
    >
  >,
): Updateable<Orders> {
  return Object.fromEntries(
    Object.entries(opened).map(([column, value]) => {
      if (value === null) return [column, null];
      if (column === 'passthrough' || column === 'clinical_notes') {
        return [column, cipher.sealText(`orders.${column}`, row, value as string)];
      }
      return [column, cipher.sealJson(`orders.${column as JsonColumn}`, row, value)];
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
  const opened = Object.fromEntries(
    PARCEL.map((column) => {
      const sealed = stored[column];
      return [column, sealed && cipher.openText(`shipments.${column}`, stored, Buffer.from(sealed.slice(2), 'hex'))];
    }),
  );
  return { ...stored, ...opened } as Static<typeof Shipment>;
}

/** Seals what is personal of the keys given. */
export function sealShipment(
  { cipher }: TeamCtx,
  row: { team_id: string; id: string },
  news: Partial<Record<string, string>>,
): Record<string, Buffer | string> {
  return Object.fromEntries(
    Object.entries(news).map(([column, value]) => {
      const personal = PARCEL.find((name) => name === column);
      return [column, personal ? cipher.sealText(`shipments.${personal}`, row, value as string) : (value as string)];
    }),
  );
}
