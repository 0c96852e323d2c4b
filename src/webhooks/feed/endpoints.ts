import { endpoint } from '../../http/endpoint.ts';
import { readFeed } from './read-feed.ts';
import { FeedPage, FeedQuery } from './schemas.ts';

export const feedEndpoints = [
  endpoint({
    id: 'list_events',
    method: 'GET',
    path: '/v2/events',
    tag: 'events',
    query: FeedQuery,
    response: FeedPage,
    waits: true,
    lasts: true,
    summary: 'Read what happened, page by page',
    description:
      'Every event of the team that is kept, whether or not a webhook was told of it, in the order in which it was committed; ' +
      'none is skipped, and each may come again. Keep `next_cursor` once you have handled a page, and go on there: at once ' +
      'where `has_more` is true, else with `wait`. What tells of a user who is scheduled for deletion is not shown; it comes ' +
      'later where that is taken back. A cursor older than what is kept is 410 cursor_expired.',
    refusals: ['invalid_cursor', 'cursor_expired', 'too_many_polls'],
    handle: async (ctx, { query: { after = null, limit, event_type = null, wait } }) =>
      readFeed(ctx, { after, limit, event_types: event_type, wait }),
  }),
];
