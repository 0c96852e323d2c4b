import { useEffect } from 'react';
import { readAgain } from '../../api/queries.ts';

const AGAIN_MS = 2_000;
/** A worker writes its counts of attempts every ten seconds, so the figures come after the attempts. */
const COUNTED_MS = 15_000;

/** Reads the figures of endpoints again for some seconds, each time that something else has happened. */
export function useFiguresAfter(happened: string | undefined): void {
  useEffect(() => {
    if (happened === undefined) return undefined;
    const reading = setInterval(() => void readAgain('endpoint_figures'), AGAIN_MS);
    const end = setTimeout(() => clearInterval(reading), COUNTED_MS);
    return () => {
      clearInterval(reading);
      clearTimeout(end);
    };
  }, [happened]);
}
