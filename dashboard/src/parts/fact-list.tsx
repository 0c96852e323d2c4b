import type { ReactNode } from 'react';
import classes from './fact-list.module.css';

export type Fact = [label: string, value: ReactNode];

/** Labels with their values. A fact without a value is left out. */
export function FactList({ facts }: { facts: Fact[] }) {
  return (
    <dl className={classes['facts']}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
