import { phial, unwrap } from '../../api/client.ts';

export const readTrend = (user_id: string, marker: string | undefined) =>
  unwrap(
    phial.GET('/v3/user/{user_id}/result_trend', {
      params: { path: { user_id }, query: marker === undefined ? {} : { marker } },
    }),
  );
export type Trend = Awaited<ReturnType<typeof readTrend>>['lines'][number];
export type Point = Trend['newest'];

/** When the sample was taken, or else when its result was reported. */
export const momentOf = ({ collected_at, reported_at }: Point): string => collected_at ?? reported_at ?? '';
