import { sql } from 'kysely';
import type { TeamCtx } from '../../../context.ts';
import { asWriter } from '../../one-writer.ts';
import { SERIES } from '../../resources.ts';
import { deleteSamples } from './delete-samples.ts';
import type { Stream } from '../streams.ts';

/** Samples that one transaction takes away. */
const SAMPLES = 20_000;

type Absent = {
  resource: string;
  provider: string;
  source_types: readonly string[];
  span: { from: string; to: string };
  kept: string[];
};

/**
 * Deletes what a provider has deleted: of a series, as events name it, and of some kinds of device, what lies within a span that was read
 * just now and was not in it. `kept` are the moments of what was. Throws what findUser throws.
 */
export async function deleteAbsentSamples(
  ctx: TeamCtx,
  { id }: { id: string },
  { resource, provider, source_types, span, kept }: Absent,
): Promise<void> {
  const series = SERIES.filter(({ event }) => event === resource).map(({ name }) => name);
  if (series.length === 0) return;
  const deleteSome = (): Promise<boolean> =>
    asWriter(ctx, { user_id: id, origin: 'live' }, async (tx, user) => {
      const { rows: streams } = await sql<Stream>`
        select id, resource, provider, source_type, kind, app_id, device_id from streams
         where user_id = ${id} and team_id = ${tx.team.id} and provider = ${provider}
           and source_type = any (${source_types}::text[]) and resource = any (${series}::text[])`.execute(tx.db);
      const doomed = streams.map((stream) => ({ stream, ...span }));
      return (await deleteSamples(tx, user, doomed, { most: SAMPLES, kept })) === SAMPLES;
    });
  while (await deleteSome());
}
