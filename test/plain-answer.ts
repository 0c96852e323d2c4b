// Makes an example of an answer that a test got: short lists, ids that count, the day of every other example.

/** The ids of the examples of requests. */
const BY_FIELD: Readonly<Record<string, number>> = { user_id: 1, org_id: 2, team_id: 3 };
const FIRST_OTHER = 0x10;
const EXAMPLE_DAY = Date.parse('2026-01-05T00:00:00Z');
const DAY_MS = 86_400_000;
/** A day that is farther from today was chosen by the test. */
const NEAR_MS = 120 * DAY_MS;
const LIST = 2;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?)?/g;
const LOCAL_SERVER = /https?:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?/g;
/** The address of a caller. The other one is for documents (RFC 5737). */
const LOCAL_ADDRESS = /\b127\.0\.0\.1\b/g;

/** A key or a token. A secret of a test opens nothing, but it should also look like an example. */
const SECRET = /(?<prefix>(?:[a-z]{2,8}_)*)(?<random>[A-Za-z\d_-]{32,})/g;
const FILL = 'EXAMPLE0example1';

export function plainAnswer(body: unknown, now: Date): unknown {
  const ids = new Map<string, string>();
  const shift = EXAMPLE_DAY - Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const idOf = (id: string, field: string): string => {
    const known = ids.get(id);
    if (known) return known;
    const fixed = BY_FIELD[field];
    const made = exampleId(fixed ?? FIRST_OTHER + ids.size);
    const free = [...ids.values()].includes(made) ? exampleId(FIRST_OTHER + ids.size) : made;
    ids.set(id, free);
    return free;
  };
  const timeOf = (time: string): string => {
    const at = Date.parse(time);
    if (!(Math.abs(at - now.getTime()) < NEAR_MS)) return time;
    const day = new Date(Date.parse(time.slice(0, 10)) + shift).toISOString().slice(0, 10);
    return day + time.slice(10);
  };
  const plain = (value: unknown, field: string): unknown => {
    if (typeof value === 'string')
      return value
        .replaceAll(UUID, (id) => idOf(id, field))
        .replaceAll(TIME, timeOf)
        .replaceAll(LOCAL_SERVER, 'https://phial.example.com')
        .replaceAll(LOCAL_ADDRESS, '203.0.113.7')
        .replaceAll(SECRET, (whole, prefix: string, random: string) =>
          isRandom(random) ? prefix + FILL.repeat(4).slice(0, random.length) : whole,
        );
    if (Array.isArray(value)) return value.slice(0, LIST).map((each) => plain(each, field));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [plain(name, ''), plain(member, name)] as [string, unknown]),
    );
  };
  return plain(body, '');
}

const isRandom = (text: string): boolean =>
  [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(text)) && !/[a-z]{9}/.test(text);

const exampleId = (number: number): string => `01940000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
