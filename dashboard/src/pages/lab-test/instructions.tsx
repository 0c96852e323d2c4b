import { Button, Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { Refusal } from '../../parts/refusal.tsx';

/** The instructions for taking the sample, which open above the page. */
export function Instructions({ id, name }: { id: string; name: string }) {
  const [url, setUrl] = useState<string | null>(null);
  const open = useMutation({
    mutationFn: async () => {
      const path = '/v3/lab_test/{lab_test_id}/collection_instruction_pdf';
      const document = await unwrap(
        phial.GET(path, { params: { path: { lab_test_id: id } }, parseAs: 'blob' } as never),
      );
      return URL.createObjectURL(document as Blob);
    },
    onSuccess: setUrl,
  });
  useEffect(() => {
    if (url !== null) return () => URL.revokeObjectURL(url);
    return undefined;
  }, [url]);
  return (
    <>
      <Refusal error={open.error} />
      <Button variant="default" loading={open.isPending} onClick={() => open.mutate()}>
        Collection instructions
      </Button>
      <Modal opened={url !== null} onClose={() => setUrl(null)} title="Collection instructions" size="xl">
        {url !== null && (
          <>
            <iframe src={url} title={`Instructions of ${name}`} style={{ width: '100%', height: '70vh', border: 0 }} />
            <Button component="a" href={url} download={`${name}.pdf`} variant="default" mt="sm">
              Download
            </Button>
          </>
        )}
      </Modal>
    </>
  );
}
