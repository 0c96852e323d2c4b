import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { useOpenerFocus } from '../../parts/opener-focus.ts';
import { fullName } from '../../parts/people.tsx';
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
  const name = order.patient_details && fullName(order.patient_details);
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
      {shown && (
        <Shown
          title={name ? `${shown.label} for ${name}` : shown.label}
          url={shown.url}
          file={fileNameOf(shown.label, order)}
          close={() => setShown(null)}
        />
      )}
    </Section>
  );
}

type ShownProps = { title: string; url: string; file: string; close: () => void };

/** A document, or the ways to it in a browser that shows none within a page, such as that of a phone. */
function Shown({ title, url, file, close }: ShownProps) {
  useOpenerFocus(true);
  const isViewer = navigator.pdfViewerEnabled;
  return (
    <Modal opened onClose={close} title={title} size={isViewer ? 'xl' : 'md'}>
      {isViewer ? (
        <iframe src={url} title={title} style={{ width: '100%', height: '70vh', border: 0 }} />
      ) : (
        <Text>This browser shows no PDF here. Open the document in another tab, or download it.</Text>
      )}
      <Group gap="sm" mt="sm">
        {!isViewer && (
          <Button component="a" href={url} target="_blank" rel="noreferrer">
            Open
          </Button>
        )}
        <Button component="a" href={url} download={file} variant="default">
          Download
        </Button>
      </Group>
    </Modal>
  );
}
