import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Empty } from '../parts/states.tsx';
import { Page } from '../parts/page.tsx';

export function NoPage() {
  return (
    <main style={{ padding: '2rem' }}>
      <Page title="No such page">
        <Empty
          title="There is nothing at this address"
          action={
            <Anchor component={Link} to="/">
              Go to the overview
            </Anchor>
          }
        >
          The address may be misspelled, or the page may have moved.
        </Empty>
      </Page>
    </main>
  );
}
