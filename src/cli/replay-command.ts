import { recordAudit } from '../audit/record-audit.ts';
import type { Mapper } from '../wearables/providers/importer.ts';
import { IMPORTERS } from '../wearables/providers/registry.ts';
import { replay } from '../wearables/pulls/replay/replay-payloads.ts';
import type { Counts } from '../wearables/pulls/replay/replay-some.ts';
import { UsageError } from './command.ts';
import { printDone } from './print.ts';
import { openProgress } from './progress.ts';
import { OPERATOR } from './with-change.ts';
import { withCtx } from './with-ctx.ts';

type ReplayOptions = {
  provider: string;
  resource: string | undefined;
  team: string | undefined;
  since: string | undefined;
  json: boolean;
};

export async function replayCommand({ provider, resource, team, since, json }: ReplayOptions): Promise<number> {
  const mappers = mappersOf(provider, resource);
  return withCtx('replay', async (ctx) => {
    const progress = openProgress();
    const counts = await replay(
      ctx,
      { provider, mappers, team_id: team ?? null, since: since ?? null },
      {
        // A replay has no single transaction. We write the audit line when the replay of a team starts, so the audit
        // log also has a replay that was interrupted.
        begin: (scoped) =>
          recordAudit(scoped, {
            org_id: scoped.team.org_id,
            team_id: scoped.team.id,
            actor: OPERATOR,
            action: 'replay',
            records: [scoped.team.id],
          }),
        report: (sofar) => progress.show(`${totalOf(sofar)} summaries so far, ${sofar.updated} of them updated`),
      },
    ).finally(progress.end);
    const words = [
      summaryOf(provider, counts),
      ...(mappers.some(({ withoutPoints }) => withoutPoints)
        ? ['Points of workouts are unchanged, because their source data is not stored.']
        : []),
    ];
    printDone(json, words.join('\n'), { provider, ...counts });
    return 0;
  });
}

/** Returns the mappers of a provider, or the mapper of one kind of data. Throws UsageError before it opens anything. */
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
    `Summaries of ${provider}: ${counts.updated} updated, ${counts.unchanged} unchanged.`,
    ...(counts.skipped > 0 ? [`${counts.skipped} skipped and unchanged, because the mapper leaves them out.`] : []),
    ...(counts.not_pulled > 0 ? [`${counts.not_pulled} left alone, because they were pushed or imported.`] : []),
  ].join('\n');
