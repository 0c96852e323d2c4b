// Checks the parameters of a call against a provider's documentation.
export type Values = Readonly<Record<string, string>>;

/** A request as the stand-in reads it. `fields` has the fields of a form or of JSON. */
export type ProviderRequest = { method: string; path: string; query: Values; fields: Values; json: unknown };

/** What is wrong with the parameters of a call; null: nothing. */
export type Check = (asked: ProviderRequest) => string | null;

const DAY_MS = 86_400_000;
export const DAY = /^\d{4}-\d{2}-\d{2}$/;
export const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
export const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/;
export const WHOLE = /^\d+$/;

/** Accepts exactly these parameters, each with its pattern; those in `maybe` may be missing. */
export const takes =
  (needed: Record<string, RegExp>, maybe: Record<string, RegExp> = {}, where: 'query' | 'fields' = 'query'): Check =>
  (asked) => {
    const given = asked[where];
    const all = { ...needed, ...maybe };
    for (const name of Object.keys(needed)) if (given[name] === undefined) return `${name} is missing`;
    for (const [name, value] of Object.entries(given)) {
      const pattern = Object.hasOwn(all, name) ? all[name] : undefined;
      if (!pattern?.test(value)) return `${name}=${value} is not accepted`;
    }
    return null;
  };

/** Accepts at most so many days between two parameters. */
export const atMost =
  (days: number, [from, to]: readonly [string, string], where: 'query' | 'fields' = 'query'): Check =>
  (asked) => {
    const [begin, end] = [from, to].map((name) => {
      const text = asked[where][name] ?? '';
      if (WHOLE.test(text)) return Number(text) * 1_000;
      return Date.parse(LOCAL_TIME.test(text) ? `${text}Z` : text);
    }) as [number, number];
    return end - begin <= days * DAY_MS && end >= begin ? null : `${from} to ${to} is not within ${days} days`;
  };

export const all =
  (...checks: Check[]): Check =>
  (asked) =>
    checks.reduce<string | null>((found, check) => found ?? check(asked), null);

export const nothing = takes({});
