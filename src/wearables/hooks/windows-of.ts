import type { Claim } from '../pulls/poll-lease.ts';
import { lastDays } from '../pulls/poll.ts';
import type { Importer, Window } from '../providers/importer.ts';
import { grantedResources } from '../pulls/importers.ts';
import { leadOf, together } from '../pulls/together.ts';
import type { InboxRow } from './inbox.ts';

const DAY_MS = 86_400_000;

/**
 * What is pulled at once because of notifications: `isSpan` where they say when, and the parts of the window in which they say that
 * something was deleted.
 */
export type Asked = { resources: string[]; window: Window; isSpan: boolean; deleted: Window[] };

/**
 * What is to be pulled of each resource that notifications tell of: spans that meet as one, in windows that the provider
 * answers; and the last days, once, where they do not say when.
 */
export function windowsOf(claim: Claim, importer: Importer, rows: InboxRow[]): Asked[] {
  const last = lastDays(importer, claim);
  const asked = grantedResources(importer, claim.connection).flatMap((resource): Asked[] => {
    const lead = leadOf(importer, resource);
    const told = rows.filter(({ resources }) => resources.includes(resource) || resources.includes(lead));
    const spans = told.flatMap(spanOf);
    const deleted = merged(told.filter((row) => row.deleted).flatMap(spanOf));
    const longest = (importer.resources[resource]?.windowDays ?? 1) * DAY_MS;
    const windows = merged(spans).flatMap((span) => cut(span, longest));
    return [
      ...windows.map((window) => ({
        resources: [resource],
        window,
        isSpan: true,
        deleted: deleted.flatMap(within(window)),
      })),
      ...(spans.length < told.length && last
        ? [{ resources: [resource], window: last, isSpan: false, deleted: [] }]
        : []),
    ];
  });
  return atOnce(importer, asked);
}

/** The same window of resources that the same questions bring as one. */
function atOnce(importer: Importer, asked: Asked[]): Asked[] {
  const byWindow = new Map<string, Asked>();
  for (const each of asked) {
    const { window, isSpan, deleted } = each;
    const name = JSON.stringify([window, isSpan, deleted]);
    const same = byWindow.get(name);
    if (same) same.resources.push(...each.resources);
    else byWindow.set(name, { ...each });
  }
  return [...byWindow.values()].flatMap(({ resources, ...rest }) =>
    together(importer, resources).map((group) => ({ resources: group, ...rest })),
  );
}

const spanOf = ({ span_from: from, span_to: to }: InboxRow): Window[] => (from && to ? [{ from, to }] : []);

/** What of a span lies in a window. */
const within =
  (window: Window) =>
  ({ from, to }: Window): Window[] => {
    const part = { from: from > window.from ? from : window.from, to: to < window.to ? to : window.to };
    return part.from < part.to ? [part] : [];
  };

function merged(spans: Window[]): Window[] {
  const all: Window[] = [];
  for (const span of spans.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = all.at(-1);
    if (!last || span.from > last.to) all.push({ ...span });
    else if (span.to > last.to) last.to = span.to;
  }
  return all;
}

/** The newest first. */
function cut({ from, to }: Window, longest: number): Window[] {
  const windows: Window[] = [];
  for (let end = Date.parse(to); end > Date.parse(from); end -= longest) {
    const start = Math.max(end - longest, Date.parse(from));
    windows.push({ from: new Date(start).toISOString(), to: new Date(end).toISOString() });
  }
  return windows;
}
