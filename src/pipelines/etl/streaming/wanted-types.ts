import { EVENT_NAMES, OPERATIONAL_NAMES } from '../../../events/names.ts';

/** Returns the event types that a pipeline streams. Operational types are among them only if a prefix matches them. */
export function wantedTypes(of: { push_historical_data: boolean; event_type_prefixes: string[] | null }): string[] {
  const { push_historical_data, event_type_prefixes: prefixes } = of;
  return EVENT_NAMES.filter(
    (name) =>
      (prefixes ? prefixes.some((prefix) => name.startsWith(prefix)) : !OPERATIONAL_NAMES.includes(name)) &&
      (push_historical_data || !name.startsWith('historical.data.')),
  );
}
