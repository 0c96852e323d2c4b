import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '../api/session.tsx';

/**
 * Returns what a list is searched for, and a function that changes it. Personal data stay out of the address bar, where
 * histories and logs would keep them. They are kept in memory, so that somebody who comes back finds the list again.
 *
 * @param fromAddress what a link searches for, which is no personal data
 */
export function usePrivateSearch<Wanted>(
  list: string,
  nothing: Wanted,
  fromAddress?: Wanted,
): [Wanted, (wanted: Wanted) => void] {
  const { team } = useSession();
  const queries = useQueryClient();
  const key = [list, 'wanted', team?.id];
  const [wanted, setWanted] = useState(() => fromAddress ?? queries.getQueryData<Wanted>(key) ?? nothing);
  const want = (next: Wanted): void => {
    queries.setQueryData(key, next);
    setWanted(() => next);
  };
  return [wanted, want];
}
