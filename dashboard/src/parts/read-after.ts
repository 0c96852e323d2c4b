import { useEffect } from 'react';
import { readAgain } from '../api/queries.ts';

const AGAIN_MS = 2_000;
/** A worker writes its counts of attempts every ten seconds, and events are sent again in the background. */
const LONGEST_MS = 20_000;

/** Reads something again for some seconds, each time that something else has happened: it follows a little later. */
export function useReadAfter(happened: string | undefined, name: string): void {
  useEffect(() => {
    if (happened === undefined) return undefined;
    const reading = setInterval(() => void readAgain(name), AGAIN_MS);
    const end = setTimeout(() => clearInterval(reading), LONGEST_MS);
    return () => {
      clearInterval(reading);
      clearTimeout(end);
    };
  }, [happened, name]);
}
