// The summaries of days that several parts of the page show, each read once.
import { queryOptions } from '@tanstack/react-query';
import { phial, unwrap } from '../../api/client.ts';

export const userQuery = (user_id: string) =>
  queryOptions({
    queryKey: ['user', user_id],
    queryFn: () => unwrap(phial.GET('/v2/user/{user_id}', { params: { path: { user_id } } })),
  });

type Dates = { first: string; last: string };

const asked = (user_id: string, { first, last }: Dates) => ({
  params: { path: { user_id }, query: { start_date: first, end_date: last } },
});

export const activityQuery = (user_id: string, dates: Dates) =>
  queryOptions({
    queryKey: ['activity', user_id, dates],
    queryFn: () => unwrap(phial.GET('/v2/summary/activity/{user_id}', asked(user_id, dates))),
  });

export const sleepQuery = (user_id: string, dates: Dates) =>
  queryOptions({
    queryKey: ['sleep', user_id, dates],
    queryFn: () => unwrap(phial.GET('/v2/summary/sleep/{user_id}', asked(user_id, dates))),
  });

export const cycleQuery = (user_id: string, dates: Dates) =>
  queryOptions({
    queryKey: ['sleep_cycle', user_id, dates],
    queryFn: () => unwrap(phial.GET('/v2/summary/sleep_cycle/{user_id}', asked(user_id, dates))),
  });

export const mealQuery = (user_id: string, dates: Dates) =>
  queryOptions({
    queryKey: ['meals', user_id, dates],
    queryFn: () => unwrap(phial.GET('/v2/summary/meal/{user_id}', asked(user_id, dates))),
  });
