import { Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { Refusal } from '../../parts/refusal.tsx';
import { Section } from '../../parts/section.tsx';
import type { Order } from './order-query.ts';

const DOCUMENTS = [
  ['Requisition', '/v3/order/{order_id}/requisition/pdf'],
  ['Result', '/v3/order/{order_id}/result/pdf'],
  ['Labels', '/v3/order/{order_id}/labels/pdf'],
  ['Collection instructions', '/v3/order/{order_id}/collection_instruction_pdf'],
] as const;
/** An order has a result once its laboratory has reported some of it. */
const hasResult = ({ interpretation, last_event }: Order): boolean =>
  interpretation !== null || /\.(completed|corrected|partial_results)$/.test(last_event.status);

/** Pages shorten an order's id to its end, which differs between orders of one day. */
const fileNameOf = (label: string, { id }: Order): string => `${label.replaceAll(' ', '-')}-${id.slice(-8)}.pdf`;

type Path = (typeof DOCUMENTS)[number][1];

/** The documents of an order, which open above the page. */
export function Documents({ order }: { order: Order }) {
  const [shown, setShown] = useState<{ label: string; url: string } | null>(null);
  const open = useMutation({
    mutationFn: async ({ label, path }: { label: string; path: Path }) => {
      const document = await unwrap(
        phial.GET(path, { params: { path: { order_id: order.id } }, parseAs: 'blob' } as never),
      );
      return { label, url: URL.createObjectURL(document as Blob) };
    },
    onSuccess: setShown,
  });
  useEffect(() => {
    if (shown) return () => URL.revokeObjectURL(shown.url);
    return undefined;
  }, [shown]);
  return (
    <Section title="Documents">
      <Stack gap="sm">
        <Group gap="xs">
          {DOCUMENTS.filter(([label]) => label !== 'Result' || hasResult(order)).map(([label, path]) => (
            <Button
              key={path}
              variant="default"
              size="xs"
              loading={open.isPending && open.variables.path === path}
              onClick={() => open.mutate({ label, path })}
            >
              {label}
            </Button>
          ))}
        </Group>
        <Refusal error={open.error} />
      </Stack>
      <Modal opened={shown !== null} onClose={() => setShown(null)} title={shown?.label} size="xl">
        {shown && (
          <>
            <iframe src={shown.url} title={shown.label} style={{ width: '100%', height: '70vh', border: 0 }} />
            <Button component="a" href={shown.url} download={fileNameOf(shown.label, order)} variant="default" mt="sm">
              Download
            </Button>
          </>
        )}
      </Modal>
    </Section>
  );
}
