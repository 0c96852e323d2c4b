import { recordAudit } from '../audit/record.ts';
import type { Mapper } from '../wearables/providers/importer.ts';
import { IMPORTERS } from '../wearables/providers/registry.ts';
import { replay } from '../wearables/pulls/replay/replay.ts';
import type { Counts } from '../wearables/pulls/replay/replay-some.ts';
import { UsageError } from './command.ts';
import { OPERATOR } from './with-change.ts';
import { withCtx } from './with-ctx.ts';

/** Between two lines about how far it is, in summaries. */
const REPORT_EVERY = 10_000;

type Asked = { provider: string; resource: string | undefined; team: string | undefined; since: string | undefined };

export async function replayCommand({ provider, resource, team, since }: Asked): Promise<number> {
  const mappers = mappersOf(provider, resource);
  return withCtx('replay', async (ctx) => {
    let told = 0;
    const counts = await replay(
      ctx,
      { provider, mappers, team_id: team ?? null, since: since ?? null },
      {
        // At the beginning of each team, since it has no one transaction: also of a replay that is broken off.
        begin: (scoped) =>
          recordAudit(scoped, {
            org_id: scoped.team.org_id,
            team_id: scoped.team.id,
            actor: OPERATOR,
            action: 'replay',
            records: [scoped.team.id],
          }),
        report: (sofar) => {
          if (totalOf(sofar) < told + REPORT_EVERY) return;
          told = totalOf(sofar);
          console.log(`${told} summaries so far, ${sofar.updated} of them updated`);
        },
      },
    );
    console.log(summaryOf(provider, counts));
    if (mappers.some(({ withoutPoints }) => withoutPoints))
      console.log('Points of workouts are as they were: what they were made of is not kept.');
    return 0;
  });
}

/** Those of a provider, or the one of a kind; throws UsageError before anything is opened. */
function mappersOf(provider: string, resource: string | undefined): Mapper[] {
  const all = Object.entries(IMPORTERS).filter(([, { mappers }]) => Object.keys(mappers).length > 0);
  const slugs = all.map(([slug]) => slug);
  const mappers = new Map(all).get(provider)?.mappers ?? refuse('--provider', slugs, provider);
  if (resource === undefined) return Object.values(mappers);
  return [mappers[resource] ?? refuse(`--resource of ${provider}`, Object.keys(mappers), resource)];
}

function refuse(flag: string, choices: string[], value: string): never {
  throw new UsageError(`phial replay takes ${choices.join(', ')} as ${flag}, not ${JSON.stringify(value)}.`);
}

const totalOf = ({ updated, unchanged, skipped, not_pulled }: Readonly<Counts>): number =>
  updated + unchanged + skipped + not_pulled;

const summaryOf = (provider: string, counts: Readonly<Counts>): string =>
  [
    `Summaries of ${provider}: ${counts.updated} updated, ${counts.unchanged} as they were.`,
    ...(counts.skipped > 0 ? [`${counts.skipped} skipped, and as they were: the mapper leaves them out.`] : []),
    ...(counts.not_pulled > 0 ? [`${counts.not_pulled} left alone: they were pushed or imported.`] : []),
  ].join('\n');
