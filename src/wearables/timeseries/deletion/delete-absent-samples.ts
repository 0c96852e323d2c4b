import { sql } from 'kysely';
import type { TeamCtx } from '../../../context.ts';
import { asWriter } from '../../user-writer.ts';
import { SERIES } from '../../series.ts';
import { deleteSamples } from './delete-samples.ts';
import type { Stream } from '../streams.ts';

/** The most samples that one transaction deletes. */
const SAMPLES = 20_000;

type Absent = {
  resource: string;
  provider: string;
  source_types: readonly string[];
  span: { from: string; to: string };
  retained: string[];
};

/**
 * Deletes samples that a provider has deleted: those stored samples of a span that a pull of the span did not return.
 * Call it after the pull. `resource` is the series by its name in events, and `retained` are the moments that the
 * provider returned. Throws the errors of findUser.
 */
export async function deleteAbsentSamples(
  ctx: TeamCtx,
  { id }: { id: string },
  { resource, provider, source_types, span, retained }: Absent,
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
      return (await deleteSamples(tx, user, doomed, { most: SAMPLES, retained })) === SAMPLES;
    });
  while (await deleteSome());
}
