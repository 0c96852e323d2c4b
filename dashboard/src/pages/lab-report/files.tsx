import { Button, Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { readAgain } from '../../api/queries.ts';
import { Section } from '../../parts/section.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import type { Report } from './report-query.ts';

type ReportFile = Report['files'][number];

/** The files of the report, one at a time: they may be large. */
export function Files({ report: { job_id, files } }: { report: Report }) {
  const [shown, setShown] = useState('0');
  return (
    <Section title="The report">
      <Tabs value={shown} onChange={(value) => setShown(value ?? '0')} keepMounted={false}>
        {files.length > 1 && (
          <Tabs.List mb="sm" aria-label="Files of the report">
            {files.map((_, n) => (
              <Tabs.Tab key={n} value={String(n)}>
                File {n + 1}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        )}
        {files.map((file, n) => (
          <Tabs.Panel key={n} value={String(n)}>
            <File name={`File ${n + 1} of the report`} file={file} id={[job_id, n]} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Section>
  );
}

type FileProps = { name: string; file: ReportFile; id: [jobId: string, n: number] };

/** The link only lets a browser save the file. So the page loads it, and shows it as what the service found in it. */
function File({ name, file: { url, content_type }, id }: FileProps) {
  const query = useQuery({
    queryKey: ['lab_report_file', ...id],
    queryFn: async () => {
      const response = await fetch(new URL(url).pathname);
      if (!response.ok) throw new Error(`The file answered ${response.status}`);
      return new Blob([await response.arrayBuffer()], { type: content_type });
    },
    staleTime: Infinity,
  });
  const address = useAddressOf(query.data);
  /** A link ends after 15 minutes. Reading the report again brings a new one. */
  const retry = async (): Promise<void> => {
    await readAgain('lab_report_review');
    await query.refetch();
  };
  if (query.error) return <Failed error={query.error} retry={() => void retry()} />;
  if (address === null) return <Loading lines={8} />;
  return (
    <Stack gap="sm" align="flex-start">
      {content_type === 'application/pdf' ? (
        <iframe src={address} title={name} style={{ width: '100%', height: '65vh', border: 0 }} />
      ) : (
        <img src={address} alt={name} style={{ maxWidth: '100%' }} />
      )}
      <Button component="a" href={address} download={`lab-report-${id.join('-')}`} variant="default" size="xs">
        Save the file
      </Button>
    </Stack>
  );
}

/** The address of bytes in memory, while they are shown. */
function useAddressOf(blob: Blob | undefined): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (!blob) return undefined;
    const made = URL.createObjectURL(blob);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return address;
}
