import { sql } from 'kysely';
import type { TeamsCtx, TxCtx } from '../../context.ts';
import { lockNames } from '../../db/session/named-lock.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError } from '../../errors.ts';
import { writeCursor } from '../../webhooks/feed/cursor.ts';
import { snapshotOf } from '../../webhooks/feed/take-snapshot.ts';
import { refuseHost, refusePipelineUrl } from '../refuse-address.ts';
import { problemOfUri, readBrokerUri } from './broker-uri.ts';
import { ETL_COLUMNS, openSinks, type EtlPipelineRow, type Sinks } from './render.ts';
import type { EtlPipelineInput } from './schemas.ts';

/** A pipeline as it will be after the request. */
type NewPipeline = Omit<EtlPipelineRow, 'sinks'> & { sinks: Sinks };

/**
 * Sets the pipelines of teams. A member of the request that is missing or null changes nothing. Until a request sets
 * preferences, they follow the configured sinks. A broker gets the events from the time when it is enabled. Throws
 * sink_not_available, sink_not_configured, pipeline_url_refused and pipeline_address_refused.
 */
export async function setEtlPipelines(ctx: TeamsCtx, teams: string[], input: EtlPipelineInput): Promise<void> {
  if (input.rabbitmq) refuseBrokerUri(ctx, input.rabbitmq.uri);
  refuseUnavailable(input);
  if (input.rabbitmq) await refuseHost(ctx, readBrokerUri(input.rabbitmq.uri).host);
  await inTransaction(ctx, async (tx) => {
    // Two first requests at the same time could overwrite each other. There is no row yet to lock, so we lock the names
    // of the teams.
    await lockNames(
      tx.db,
      'event pipeline',
      teams.map((id) => [id]),
    );
    const existing = await tx.db
      .selectFrom('etl_pipelines')
      .select(ETL_COLUMNS)
      .where('org_id', '=', tx.org.id)
      .where('team_id', 'in', teams)
      .orderBy('team_id')
      .forUpdate()
      .execute();
    const byTeam = new Map(existing.map((row) => [row.team_id, { ...row, sinks: openSinks(tx.cipher, row) }]));
    const cursor = await beginNow(tx);
    for (const team_id of teams.toSorted()) await store(tx, choose(team_id, byTeam.get(team_id), input), cursor);
  });
}

function choose(team_id: string, was: NewPipeline | undefined, input: EtlPipelineInput): NewPipeline {
  const sinks: Sinks = {
    rabbitmq: input.rabbitmq ?? was?.sinks.rabbitmq ?? null,
    svix: input.svix ? true : (was?.sinks.svix ?? false),
    unchosen: !input.preferences && (was === undefined || was.sinks.unchosen === true),
  };
  const usual = sinks.rabbitmq ? 'rabbitmq' : 'svix';
  const before = sinks.unchosen ? undefined : was;
  const prefixes = input.event_type_prefixes ?? was?.event_type_prefixes ?? [];
  return {
    team_id,
    preferred: input.preferences?.preferred ?? before?.preferred ?? usual,
    enabled: [...new Set<string>(input.preferences?.enabled ?? before?.enabled ?? [usual])],
    push_historical_data: input.push_historical_data ?? was?.push_historical_data ?? false,
    event_type_prefixes: prefixes.length === 0 ? null : [...new Set(prefixes)],
    sinks,
  };
}

async function store({ db, org, cipher }: TxCtx<TeamsCtx>, chosen: NewPipeline, cursor: string): Promise<void> {
  const { team_id, preferred, enabled, sinks } = chosen;
  const streams = preferred === 'rabbitmq' || enabled.includes('rabbitmq');
  if (streams && !sinks.rabbitmq) {
    throw new AppError('sink_not_configured', 'rabbitmq is enabled, but `rabbitmq` names no broker.');
  }
  const sealed = cipher.sealJson('etl_pipelines.sinks', { team_id, id: team_id }, sinks);
  await sql`
    insert into etl_pipelines as was (team_id, org_id, preferred, enabled, push_historical_data, event_type_prefixes,
        sinks, streams, cursor)
    values (${team_id}, ${org.id}, ${preferred}, ${enabled}, ${chosen.push_historical_data},
            ${chosen.event_type_prefixes}::text[], ${sealed}, ${streams}, ${cursor})
    on conflict (team_id) do update
      set preferred = excluded.preferred, enabled = excluded.enabled,
          push_historical_data = excluded.push_historical_data,
          event_type_prefixes = excluded.event_type_prefixes, sinks = excluded.sinks, streams = excluded.streams,
          cursor = case when was.streams then was.cursor else excluded.cursor end,
          lease_id = case when was.streams then was.lease_id end,
          lease_worker = case when was.streams then was.lease_worker end,
          lease_until = case when was.streams then was.lease_until end,
          revision = was.revision + 1, updated_at = now(), due_at = now(), failures = 0, failing_since = null,
          last_error = null`.execute(db);
}

/**
 * Returns a cursor for a pipeline that starts now. The pipeline gets the events of transactions that have not ended. A
 * crash cannot undo the ended ones: the commit of this transaction writes their commits to the disk too.
 */
async function beginNow({ db }: TxCtx<TeamsCtx>): Promise<string> {
  const { rows } = await sql<{ text: string; epoch: number; at: number }>`
    select pg_current_snapshot()::text as text, event_epoch() as epoch,
           extract(epoch from now())::float8 as at`.execute(db);
  const { text, epoch, at } = rows[0] as { text: string; epoch: number; at: number };
  return writeCursor({ seen: snapshotOf(text, epoch), reading: null, from: at });
}

function refuseUnavailable({ cloud_pubsub, azure_amqp, provider_raw_data, preferences }: EtlPipelineInput): void {
  const named = new Set([preferences?.preferred, ...(preferences?.enabled ?? [])]);
  const wanted = [
    ...(cloud_pubsub || named.has('cloud_pubsub') ? ['cloud_pubsub'] : []),
    ...(azure_amqp || named.has('azure_amqp') ? ['azure_amqp'] : []),
    ...(provider_raw_data ? ['provider_raw_data'] : []),
  ];
  if (wanted.length === 0) return;
  throw new AppError(
    'sink_not_available',
    `This service has no ${wanted.join(' and no ')}. Use rabbitmq, or webhooks.`,
  );
}

function refuseBrokerUri(ctx: TeamsCtx, uri: string): void {
  const problem = problemOfUri(uri, ctx.config.environment === 'sandbox');
  if (problem !== null) refusePipelineUrl(['rabbitmq', 'uri'], problem);
}
