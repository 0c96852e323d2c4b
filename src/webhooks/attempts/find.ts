import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { byIndex } from '../../db/session/by-index.ts';
import { AppError, notFound } from '../../errors.ts';
import { signatureHeaders } from '../../delivery/sending/sign.ts';
import { userIsScheduled } from '../../events/deferred-events.ts';
import { ORIGIN_HEADER } from '../../events/origin.ts';
import { urlOfAttempt } from '../endpoints/earlier-urls.ts';
import { findHeaderSetOrNull } from '../endpoints/endpoint-headers.ts';
import { COLUMNS, type AttemptRow } from './read-attempts.ts';
import { renderAttempts } from './render.ts';
import type { Attempt } from './schemas.ts';

type WholeRow = AttemptRow & {
  origin: string | null;
  sent_at: string | null;
  signature: string | null;
  user_agent: string | null;
  headers_id: string | null;
  url: string | null;
  response_body: Buffer | null;
  user_is_scheduled: boolean;
};

/**
 * Returns one attempt with the headers of the request and with the response, even if the endpoint is deleted. Throws
 * not_found. Throws user_scheduled_for_deletion if the user of the event is scheduled for deletion.
 */
export async function findAttempt(ctx: TeamCtx, webhookId: string, attemptId: string): Promise<Static<typeof Attempt>> {
  const query = sql<WholeRow>`
    select ${COLUMNS}, event_type, origin, sent_at, signature, user_agent, headers_id, response_body,
           ${urlOfAttempt} as url, ${userIsScheduled} as user_is_scheduled
      from (
        select * from attempts where webhook_id = ${webhookId} and id between ${attemptId} and ${attemptId}
            order by id limit 1
      ) as attempts
     cross join lateral (
       select event_type, user_id, origin from events
        where events.team_id = ${ctx.team.id} and events.id between attempts.event_id and attempts.event_id
        order by events.id limit 1
     ) as events
      left join lateral (
       select deleted_at from users where users.id between events.user_id and events.user_id order by users.id limit 1
     ) as users on true
     where attempts.team_id = ${ctx.team.id}`;
  const {
    rows: [row],
  } = await byIndex(query).execute(ctx.db);
  if (!row) throw notFound('Attempt');
  const { origin, sent_at, signature, user_agent, headers_id, url, response_body, user_is_scheduled, ...attempt } = row;
  if (user_is_scheduled)
    throw new AppError('user_scheduled_for_deletion', 'The user of its event is scheduled for deletion.');
  const [summary] = await renderAttempts(ctx, [attempt]);
  const own = headers_id === null ? { headers: {}, sensitive: [] } : await findHeaderSetOrNull(ctx, headers_id);
  const key = { team_id: ctx.team.id, id: attempt.id };
  return {
    ...(summary as NonNullable<typeof summary>),
    sent_at,
    url,
    request_headers:
      sent_at === null || signature === null
        ? {}
        : {
            'content-type': 'application/json',
            'accept-encoding': 'identity',
            ...(user_agent === null ? {} : { 'user-agent': user_agent }),
            ...signatureHeaders(attempt.event_id, String(Math.floor(Date.parse(sent_at) / 1000)), signature),
            ...(origin === null ? {} : { [ORIGIN_HEADER]: origin }),
            ...own?.headers,
          },
    sensitive: own?.sensitive ?? null,
    response_body: response_body && ctx.cipher.openText('attempts.response_body', key, response_body),
  };
}
