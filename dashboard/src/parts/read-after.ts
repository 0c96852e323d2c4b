import { useEffect } from 'react';
import { readAgain } from '../api/queries.ts';

const AGAIN_MS = 2_000;
/** A worker writes its counts of attempts every ten seconds. A busy one sends events again after more than that. */
const LONGEST_MS = 60_000;

/** Reads something again for a minute, each time that something else has happened: it follows a little later. */
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
