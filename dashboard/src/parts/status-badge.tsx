import classes from './status-badge.module.css';

export { inWords } from './in-words.ts';

export type Tone = 'good' | 'bad' | 'warning' | 'active' | 'quiet';

/** A state in a word or two. The tone only repeats what the word says, so that nobody needs to tell colours apart. */
export function StatusBadge({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={classes['badge']} data-tone={tone}>
      {children}
    </span>
  );
}
