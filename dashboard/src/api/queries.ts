import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { PhialError } from './client.ts';

/** The key of the query for the session. Every other key begins with the name of what it reads, such as `orders`. */
export const SESSION_KEY = ['session'] as const;

export const isSignedOut = (error: unknown): boolean => error instanceof PhialError && error.status === 401;

/** Worth another try: the connection was lost, or the service was busy or broken for a moment. */
const isPassing = (error: unknown): boolean =>
  !(error instanceof PhialError) || error.status === 429 || error.status >= 500;

/** A session that has ended shows in the next response. Reading it again leads to the page for signing in. */
function notice(error: unknown): void {
  const isStale = isSignedOut(error) || (error instanceof PhialError && error.code === 'csrf_token_invalid');
  if (isStale) void queryClient.invalidateQueries({ queryKey: SESSION_KEY });
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      if (queryKey[0] !== SESSION_KEY[0]) notice(error);
    },
  }),
  mutationCache: new MutationCache({ onError: notice }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failed, error) => failed < 2 && isPassing(error),
    },
  },
});

/** Reads again what a change may have changed, by the first words of the keys. */
export async function readAgain(...names: string[]): Promise<void> {
  await Promise.all(names.map((name) => queryClient.invalidateQueries({ queryKey: [name] })));
}

/** Removes everything that was read, except the session: it is of another team or another person. */
export const forgetWhatWasRead = (): void =>
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
