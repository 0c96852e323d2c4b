import { Anchor, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';

type Props = { userId: string; marker: string; name: string };

/** Leads to all results of a patient for a marker. */
export function TrendLink({ userId, marker, name }: Props) {
  return (
    <Anchor
      component={Link}
      to={`/users/${userId}/trends`}
      search={{ marker } as never}
      size="sm"
      className="trend-link"
    >
      Trend<VisuallyHidden component="span"> of {name}</VisuallyHidden>
    </Anchor>
  );
}
