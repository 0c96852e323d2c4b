import type { Cipher } from '../../privacy/cipher.ts';
import { maskUri } from './broker-uri.ts';
import type { EtlPipeline } from './schemas.ts';

type Sink = EtlPipeline['preferences']['preferred'];

/** The encrypted part of a pipeline: its sinks, which are the targets of its events. */
export type Sinks = {
  rabbitmq: { uri: string; exchange: string } | null;
  svix: boolean;
  /** True if no request has set preferences. Then they follow the configured sinks. Missing if this is not known. */
  unchosen?: boolean;
};

export const ETL_COLUMNS = [
  'team_id',
  'preferred',
  'enabled',
  'push_historical_data',
  'event_type_prefixes',
  'sinks',
] as const;

export type EtlPipelineRow = {
  team_id: string;
  preferred: string;
  enabled: string[];
  push_historical_data: boolean;
  event_type_prefixes: string[] | null;
  sinks: Buffer;
};

export const openSinks = (cipher: Cipher, { team_id, sinks }: Pick<EtlPipelineRow, 'team_id' | 'sinks'>): Sinks =>
  cipher.openJson<Sinks>('etl_pipelines.sinks', { team_id, id: team_id }, sinks);

/** Renders a pipeline for a response. The password of the broker is masked. */
export function renderEtlPipeline(cipher: Cipher, row: EtlPipelineRow): EtlPipeline {
  const { rabbitmq, svix } = openSinks(cipher, row);
  return {
    team_id: row.team_id,
    push_historical_data: row.push_historical_data,
    provider_raw_data: false,
    preferences: { preferred: row.preferred as Sink, enabled: row.enabled as Sink[] },
    cloud_pubsub: null,
    rabbitmq: rabbitmq && { uri: maskUri(rabbitmq.uri), exchange: rabbitmq.exchange },
    svix: svix ? { regional: true } : null,
    azure_amqp: null,
    event_type_prefixes: row.event_type_prefixes,
  };
}
