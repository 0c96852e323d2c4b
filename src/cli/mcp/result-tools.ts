import { unwrap, type components, type Phial } from '@phial/client';
import { Type } from 'typebox';
import { DEFAULT_ITEMS, limit, userId } from './inputs.ts';
import { tool, type Tool } from './tool.ts';

type Line = components['schemas']['ResultTrend']['lines'][number];
type Point = Line['newest'];

/** Also a marker that does not exist has no result. */
const NO_RESULT = 'The user has no result of this marker. list_results has the markers of the user.';

export const RESULT_TOOLS: Tool[] = [
  tool({
    name: 'list_results',
    title: 'Results of a user',
    description:
      'Lists the newest laboratory result of each marker of a user, across orders, with unit, reference range and ' +
      'interpretation. `source` is the laboratory.',
    input: Type.Object({ user_id: userId }, { additionalProperties: false }),
    read: async (phial, { user_id }) => {
      const { lines } = await unwrap(phial.GET('/v3/user/{user_id}/result_trend', { params: { path: { user_id } } }));
      const sources = await findLaboratories(
        phial,
        lines.map(({ newest }) => newest),
      );
      const items = lines.map(({ newest, point_count, ...line }) => ({
        ...markerOf(line),
        ...toPoint(newest, sources),
        result_count: point_count,
      }));
      return { user_id, list: { name: 'results', items } };
    },
  }),
  tool({
    name: 'get_trend',
    title: 'Trend of a marker',
    description:
      'Lists all results of one marker of a user, the newest first, across orders. Values in different units are ' +
      'different lines. `source` is the laboratory.',
    input: Type.Object(
      {
        user_id: userId,
        marker: Type.String({
          minLength: 1,
          maxLength: 200,
          description: 'A LOINC code or a slug, as list_results returns them.',
        }),
      },
      { additionalProperties: false },
    ),
    read: async (phial, { user_id, marker }) => {
      const params = { path: { user_id }, query: { marker } };
      const { lines } = await unwrap(phial.GET('/v3/user/{user_id}/result_trend', { params }));
      const sources = await findLaboratories(
        phial,
        lines.flatMap(({ points }) => points ?? []),
      );
      const items = lines.flatMap((line) =>
        (line.points ?? []).toReversed().map((point) => ({ ...markerOf(line), ...toPoint(point, sources) })),
      );
      return { user_id, marker, ...(items.length === 0 && { note: NO_RESULT }), list: { name: 'results', items } };
    },
  }),
  tool({
    name: 'list_critical_results',
    title: 'Critical results',
    description:
      'Lists critical results of the team, the newest first, with their markers and units, and whether somebody ' +
      'acknowledged and signed them off. Open ones need a person now. `source` is the laboratory.',
    input: Type.Object(
      {
        status: Type.Optional(
          Type.Array(Type.String({ enum: ['open', 'acknowledged', 'signed_off'] }), {
            maxItems: 3,
            description: 'Only those in one of these states.',
          }),
        ),
        user_id: Type.Optional(userId),
        next_cursor: Type.Optional(Type.String({ maxLength: 500, description: 'next_cursor of the page before.' })),
        limit: Type.Optional(limit),
      },
      { additionalProperties: false },
    ),
    read: async (phial, query) => {
      const page = await unwrap(
        phial.GET('/v3/critical_result', {
          params: { query: { ...query, limit: query.limit ?? DEFAULT_ITEMS } },
        }),
      );
      const sources = await findLaboratories(phial, page.data);
      const items = page.data.map(({ order, acknowledgement, sign_off, ...entry }) => ({
        ...entry,
        source: sources.get(entry.order_id) ?? null,
        lab_test: order.lab_test_name,
        sample_id: order.sample_id,
        order_status: order.last_status,
        acknowledged_at: acknowledgement?.acknowledged_at ?? null,
        signed_off_at: sign_off?.signed_off_at ?? null,
      }));
      return { next_cursor: page.next_cursor, list: { name: 'critical_results', items } };
    },
  }),
];

const markerOf = ({ name, slug, loinc, unit }: Pick<Line, 'name' | 'slug' | 'loinc' | 'unit'>): object => ({
  name,
  slug,
  loinc,
  unit,
});

/** Orders in one request. A user has at most 200 orders in a trend. */
const ORDERS_IN_PAGE = 100;

/** Returns the laboratories of the orders of results, by order. */
async function findLaboratories(
  phial: Phial,
  points: readonly { order_id: string }[],
): Promise<Map<string, string | null>> {
  const ids = [...new Set(points.map(({ order_id }) => order_id))];
  const laboratories = new Map<string, string | null>();
  for (let at = 0; at < ids.length; at += ORDERS_IN_PAGE) {
    const query = { order_ids: ids.slice(at, at + ORDERS_IN_PAGE), size: ORDERS_IN_PAGE };
    const { orders } = await unwrap(phial.GET('/v3/orders', { params: { query } }));
    for (const { id, lab_test } of orders) laboratories.set(id, lab_test.lab?.name ?? null);
  }
  return laboratories;
}

const toPoint = (
  { order_id, result, reference_range, interpretation, ...point }: Point,
  sources: ReadonlyMap<string, string | null>,
): object => ({
  source: sources.get(order_id) ?? null,
  order_id,
  result,
  reference_range,
  interpretation,
  is_final: point.is_final,
  is_corrected: point.is_corrected,
  collected_at: point.collected_at,
  reported_at: point.reported_at,
});
