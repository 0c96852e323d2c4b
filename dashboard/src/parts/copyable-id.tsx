import { ActionIcon, CopyButton } from '@mantine/core';
import { CheckIcon, CopyIcon } from './icons.tsx';
import classes from './copyable-id.module.css';

type CopyableIdProps = {
  /** The whole text, which is copied. */
  value: string;
  /** Show all of it, for example a secret. Default: the end of a UUID, where UUIDs of one day differ. */
  isWhole?: boolean;
  /** What it is, for screen readers. */
  label?: string;
};

export function CopyableId({ value, isWhole = false, label = 'id' }: CopyableIdProps) {
  const shown = isWhole || value.length <= 12 ? value : `…${value.slice(-8)}`;
  return (
    <span className={classes['id']}>
      <code title={isWhole ? undefined : value}>{shown}</code>
      <CopyButton value={value} timeout={1_500}>
        {({ copied, copy }) => (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            onClick={copy}
            aria-label={copied ? 'Copied' : `Copy ${label} ${shown}`}
          >
            {copied ? <CheckIcon size={14} /> : <CopyIcon size={14} />}
          </ActionIcon>
        )}
      </CopyButton>
    </span>
  );
}
