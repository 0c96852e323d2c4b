import { operation } from '../../operation/operation.ts';
import { readFeed } from './read-feed.ts';
import { FeedPage, FeedQuery } from './schemas.ts';

export const feedOperations = [
  operation({
    id: 'list_events',
    method: 'GET',
    path: '/v2/events',
    tag: 'events',
    query: FeedQuery,
    response: FeedPage,
    waits: true,
    lasts: true,
    summary: 'Read events page by page',
    description:
      'Every stored event of the team, whether or not a webhook sends it, in the order of commits. None is ' +
      'skipped, and each may come again. Store `next_cursor` once you have handled a page and continue there: ' +
      'at once when `has_more` is true, otherwise with `wait`. To begin near the end, send a time as `after`. Events ' +
      'of a user who is scheduled for deletion are not shown. They come later if the deletion is taken back. A ' +
      'cursor or a time that is older than the stored events is 410 cursor_expired.',
    refusals: ['invalid_cursor', 'cursor_expired', 'too_many_polls'],
    handle: async (ctx, { query: { after = null, limit, event_type = null, user_id, wait } }) =>
      readFeed(ctx, { after, limit, event_types: event_type, user_id, wait }),
  }),
];
