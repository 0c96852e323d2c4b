import { defineEvent } from '../../../events/define.ts';
import { MatchReview } from './schemas.ts';

export const matchReviewCreated = defineEvent({
  name: 'labtest.match_review.created',
  data: MatchReview,
  isWithoutUser: true,
  summary:
    'A laboratory sent results whose numbers belong to no order. A person must decide to which order they belong.',
});

export const matchReviewUpdated = defineEvent({
  name: 'labtest.match_review.updated',
  data: MatchReview,
  isWithoutUser: true,
  summary: 'A person has decided about results whose numbers belonged to no order.',
});
