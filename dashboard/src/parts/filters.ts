// Filters live in the address bar, so that a page can be sent to somebody and comes back by the browser's own keys.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';

/** Returns the value of a filter, or undefined if the address has none or one that cannot be. */
type Rule<Value> = (written: unknown) => Value | undefined;
type Rules = Record<string, Rule<string>>;
export type FiltersOf<Of extends Rules> = { [Name in keyof Of]?: NonNullable<ReturnType<Of[Name]>> };

export const oneOf =
  <const Value extends string>(...values: readonly Value[]): Rule<Value> =>
  (written) =>
    values.find((value) => value === written);

export const text =
  (longest: number): Rule<string> =>
  (written) =>
    typeof written === 'string' && written !== '' ? written.slice(0, longest) : undefined;

export const id: Rule<string> = (written) =>
  typeof written === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(written) ? written : undefined;

export const date: Rule<string> = (written) =>
  typeof written === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(written) && !Number.isNaN(Date.parse(written))
    ? written
    : undefined;

/**
 * Returns the filters of the address, and a function that changes some of them. Null takes a filter away. A change
 * leads to the first page of the list. Declare `rules` outside of the component.
 */
export function useFilters<Of extends Rules>(
  rules: Of,
): [FiltersOf<Of>, (changes: { [Name in keyof Of]?: string | null }) => void] {
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const navigate = useNavigate();
  const filters = useMemo(() => {
    const read = Object.entries(rules).map(([name, rule]) => [name, rule(search[name])] as const);
    return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as FiltersOf<Of>;
  }, [rules, search]);
  const change = useCallback(
    (changes: { [Name in keyof Of]?: string | null }) => {
      const merge = ({ cursor: _cursor, page: _page, ...before }: Record<string, unknown>): Record<string, unknown> => {
        const after = Object.entries({ ...before, ...changes }).filter(([, value]) => value != null && value !== '');
        return Object.fromEntries(after);
      };
      void navigate({ to: '.', search: merge as never, replace: true });
    },
    [navigate],
  );
  return [filters, change];
}
