// The addresses of the receiver that a sandbox has for the endpoints of a demo.
import type { Config } from '../../config/options.ts';
import type { Ctx, TeamCtx } from '../../context.ts';
import { equalInConstantTime } from '../../privacy/equal-in-constant-time.ts';

/** What the receiver does with an event: it takes it, or it fails. */
export const BEHAVIOURS = ['healthy', 'failing'] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

const PREFIX = '/demo/endpoint/';
export const DEMO_ENDPOINT_PATH = `${PREFIX}{team_id}/{behaviour}/{token}`;

/** Returns the URL at which the receiver takes events of this team. The token keeps everybody else out. */
export const demoEndpointUrl = (ctx: TeamCtx, behaviour: Behaviour): string =>
  `${ctx.config.baseUrl}${PREFIX}${ctx.team.id}/${behaviour}/${tokenOf(ctx, ctx.team.id, behaviour)}`;

export const isToken = (ctx: Ctx, address: { team_id: string; behaviour: Behaviour; token: string }): boolean =>
  equalInConstantTime(address.token, tokenOf(ctx, address.team_id, address.behaviour));

/** Returns whether a URL of this service is one of the receiver, which publishes nothing and so makes no circle. */
export const isDemoEndpoint = ({ environment }: Config, url: URL): boolean =>
  environment === 'sandbox' && url.pathname.startsWith(PREFIX);

const tokenOf = ({ cipher }: Ctx, teamId: string, behaviour: Behaviour): string =>
  cipher.lookupHash('demo_endpoint', teamId, behaviour).toString('hex');
