import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamsCtx } from '../../context.ts';
import { deploymentPolicy } from '../../outbound/deployment-policy.ts';
import { MASK } from '../mask.ts';
import { refuseHost, refusePipelineUrl } from '../refuse-address.ts';
import { sealedRow } from './render.ts';
import { authenticationOf, type EhrAuthentication, type EhrPipelineInput } from './schemas.ts';

/**
 * Replaces the pipelines of these teams for one kind of EHR, with all their properties. Throws pipeline_url_refused and
 * pipeline_address_refused.
 */
export async function setEhrPipeline(
  ctx: TeamsCtx,
  teams: string[],
  { ehr_type, base_url, authentication: given, allowed_mappers }: Static<typeof EhrPipelineInput>,
): Promise<void> {
  const authentication = authenticationOf(given);
  const urls = [{ path: ['base_url'], url: base_url }];
  if (authentication.type === 'client_credentials')
    urls.push({ path: ['authentication', 'token_url'], url: authentication.token_url });
  for (const { path, url } of urls) refuseUrl(ctx, path, url);
  refuseMask(authentication);
  for (const { url } of urls) await refuseHost(ctx, new URL(url).hostname);
  const sealed = teams.map((team_id) =>
    ctx.cipher.sealJson('ehr_pipelines.authentication', sealedRow({ team_id, ehr_type }), authentication),
  );
  await sql`
    insert into ehr_pipelines (team_id, ehr_type, org_id, base_url, authentication, allowed_mappers)
    select team_id, ${ehr_type}, ${ctx.org.id}, ${base_url}, authentication, ${allowed_mappers ?? null}::text[]
      from unnest(${teams}::uuid[], ${sealed}::bytea[]) as given (team_id, authentication)
     order by team_id
    on conflict (team_id, ehr_type) do update
      set base_url = excluded.base_url, authentication = excluded.authentication,
          allowed_mappers = excluded.allowed_mappers, updated_at = now()`.execute(ctx.db);
}

function refuseUrl(ctx: TeamsCtx, path: string[], url: string): void {
  const problem = deploymentPolicy(ctx.config).checkUrl(url);
  if (problem !== null) refusePipelineUrl(path, problem);
}

/**
 * Refuses the mask that responses show for a secret. Otherwise a client that sends a response back would replace the
 * secret by the mask.
 */
function refuseMask(of: EhrAuthentication): void {
  const secret = of.type === 'client_credentials' ? of.client_secret : of.type === 'api_key' ? of.api_key : null;
  if (secret === MASK) refusePipelineUrl(['authentication'], `${MASK} stands for a secret. Send the secret itself.`);
}
