import type { Claim } from '../pulls/poll-lease.ts';
import { lastDays } from '../pulls/poll.ts';
import type { Importer, TimeWindow } from '../providers/importer.ts';
import { grantedResources } from '../pulls/importers.ts';
import { leadOf, groupByRequest } from '../pulls/companions.ts';
import type { InboxRow } from './inbox.ts';

const DAY_MS = 86_400_000;

/**
 * A window of time to pull because of notifications. `isSpan` is true if the notifications state the time. `deleted`
 * has the parts of the window in which, according to the notifications, something was deleted.
 */
export type RequestedWindow = { resources: string[]; window: TimeWindow; isSpan: boolean; deleted: TimeWindow[] };

/**
 * Returns the windows to pull for each resource that notifications name. Spans that overlap are joined, and then cut
 * into windows of a length that the provider accepts. A notification without a time adds one window of the last days.
 */
export function windowsOf(claim: Claim, importer: Importer, rows: InboxRow[]): RequestedWindow[] {
  const last = lastDays(importer, claim);
  const asked = grantedResources(importer, claim.connection).flatMap((resource): RequestedWindow[] => {
    const lead = leadOf(importer, resource);
    const matching = rows.filter(({ resources }) => resources.includes(resource) || resources.includes(lead));
    const spans = matching.flatMap(spanOf);
    const deleted = merged(matching.filter((row) => row.deleted).flatMap(spanOf));
    const longest = (importer.resources[resource]?.windowDays ?? 1) * DAY_MS;
    const windows = merged(spans).flatMap((span) => cut(span, longest));
    return [
      ...windows.map((window) => ({
        resources: [resource],
        window,
        isSpan: true,
        deleted: deleted.flatMap(within(window)),
      })),
      ...(spans.length < matching.length && last
        ? [{ resources: [resource], window: last, isSpan: false, deleted: [] }]
        : []),
    ];
  });
  return atOnce(importer, asked);
}

/** Joins equal windows of resources that one request brings together. */
function atOnce(importer: Importer, asked: RequestedWindow[]): RequestedWindow[] {
  const byWindow = new Map<string, RequestedWindow>();
  for (const each of asked) {
    const { window, isSpan, deleted } = each;
    const name = JSON.stringify([window, isSpan, deleted]);
    const same = byWindow.get(name);
    if (same) same.resources.push(...each.resources);
    else byWindow.set(name, { ...each });
  }
  return [...byWindow.values()].flatMap(({ resources, ...rest }) =>
    groupByRequest(importer, resources).map((group) => ({ resources: group, ...rest })),
  );
}

const spanOf = ({ span_from: from, span_to: to }: InboxRow): TimeWindow[] => (from && to ? [{ from, to }] : []);

/** Returns a list with the part of a span that is within a window; an empty list if there is no such part. */
const within =
  (window: TimeWindow) =>
  ({ from, to }: TimeWindow): TimeWindow[] => {
    const part = { from: from > window.from ? from : window.from, to: to < window.to ? to : window.to };
    return part.from < part.to ? [part] : [];
  };

function merged(spans: TimeWindow[]): TimeWindow[] {
  const all: TimeWindow[] = [];
  for (const span of spans.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = all.at(-1);
    if (!last || span.from > last.to) all.push({ ...span });
    else if (span.to > last.to) last.to = span.to;
  }
  return all;
}

/** Cuts a span into windows, the newest first. */
function cut({ from, to }: TimeWindow, longest: number): TimeWindow[] {
  const windows: TimeWindow[] = [];
  for (let end = Date.parse(to); end > Date.parse(from); end -= longest) {
    const start = Math.max(end - longest, Date.parse(from));
    windows.push({ from: new Date(start).toISOString(), to: new Date(end).toISOString() });
  }
  return windows;
}
