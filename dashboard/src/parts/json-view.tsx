import { CopyButton, Button } from '@mantine/core';
import { CheckIcon, CopyIcon } from './icons.tsx';
import classes from './json-view.module.css';

/** A long list opens closed: thousands of open lines would make the page slow. */
const OPEN_MEMBERS = 50;

/** A value as a tree that opens and closes by mouse and keyboard, and that is copied as a whole. */
export function JsonView({ value, label = 'JSON' }: { value: unknown; label?: string }) {
  return (
    <div className={classes['frame']}>
      <CopyButton value={JSON.stringify(value, null, 2)} timeout={1_500}>
        {({ copied, copy }) => (
          <Button
            className={classes['copy']}
            variant="default"
            size="compact-sm"
            leftSection={copied ? <CheckIcon size={14} /> : <CopyIcon size={14} />}
            onClick={copy}
          >
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
      <div className={classes['tree']} role="region" aria-label={label} tabIndex={0}>
        <Node value={value} depth={0} />
      </div>
    </div>
  );
}

function Node({ name, value, depth }: { name?: string; value: unknown; depth: number }) {
  const label = name === undefined ? null : <span className={classes['name']}>{name}: </span>;
  if (typeof value !== 'object' || value === null)
    return (
      <div className={classes['line']}>
        {label}
        <span className={classes[value === null ? 'null' : typeof value]}>{JSON.stringify(value) ?? 'undefined'}</span>
      </div>
    );
  const members = Object.entries(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (members.length === 0)
    return (
      <div className={classes['line']}>
        {label}
        {open}
        {close}
      </div>
    );
  const count = Array.isArray(value) ? `${members.length} ${members.length === 1 ? 'entry' : 'entries'}` : '…';
  return (
    <details open={depth < 3 && members.length <= OPEN_MEMBERS}>
      <summary className={classes['line']}>
        {label}
        {open}
        <span className={classes['count']}>
          {count} {close}
        </span>
      </summary>
      <div className={classes['members']}>
        {members.map(([key, member]) => (
          <Node key={key} name={key} value={member} depth={depth + 1} />
        ))}
      </div>
      <div className={classes['line']}>{close}</div>
    </details>
  );
}
