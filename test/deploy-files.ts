// Reads the files of deploy/.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';

export const readText = (path: string): string => readFileSync(`deploy/${path}`, 'utf8');

type Service = {
  command?: string[];
  environment: Record<string, string>;
  secrets: string[];
  read_only?: boolean;
  user?: string;
};
export type Compose = { services: Record<string, Service>; secrets: Record<string, { file: string }> };
export const readCompose = (): Compose => parse(readText('compose/compose.yaml'), { merge: true }) as Compose;

type Rule = {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: Record<string, string>;
};
export const readAlerts = (): Rule[] =>
  (parse(readText('prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules);

type Box = { x: number; y: number; w: number; h: number };
export type Panel = { id: number; type: string; title: string; gridPos: Box; targets?: { expr: string }[] };
export const readBoard = (): { panels: Panel[] } => JSON.parse(readText('grafana/phial.json')) as { panels: Panel[] };

type Probe = { httpGet: { path: string; port: string } };
type Container = {
  args: string[];
  env: { name: string; value: string }[];
  ports?: { name: string; containerPort: number }[];
  securityContext: Record<string, unknown>;
  volumeMounts: { name: string; mountPath: string }[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
};
export type Pod = {
  enableServiceLinks: boolean;
  automountServiceAccountToken: boolean;
  securityContext: Record<string, unknown>;
  containers: [Container];
  volumes: { name: string; secret?: { secretName: string } }[];
};
export type KubernetesObject = {
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  data?: Record<string, string>;
  spec: { template: { spec: Pod }; metrics?: { external: { metric: { name: string } } }[] };
};
export const readChart = (): KubernetesObject[] =>
  parseAllDocuments(readText('rendered-chart.yaml')).map((document) => document.toJS() as KubernetesObject);

/** The checksum that `deploy/check --render` writes above the rendered chart. */
export function sumOfChart(): string {
  const files = ['Chart.yaml', 'full-values.yaml', 'values.yaml'];
  const templates = readdirSync('deploy/helm/templates').toSorted();
  const sum = createHash('sha256');
  for (const file of [...files, ...templates.map((name) => `templates/${name}`)]) sum.update(readText(`helm/${file}`));
  return sum.digest('hex');
}

export type Unit = {
  command: string;
  environmentFile: string;
  environment: Record<string, string>;
  credentials: Record<string, string>;
};
export function readUnit(name: string): Unit {
  const lines = readText(`systemd/${name}.service`).split('\n');
  const valuesOf = (key: string): string[] =>
    lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1));
  const pairs = (values: string[], mark: string): Record<string, string> =>
    Object.fromEntries(values.map((value) => [value.split(mark, 1)[0], value.slice(value.indexOf(mark) + 1)]));
  return {
    command: valuesOf('ExecStart')[0] as string,
    environmentFile: valuesOf('EnvironmentFile')[0] as string,
    environment: pairs(valuesOf('Environment'), '='),
    credentials: pairs(valuesOf('LoadCredential'), ':'),
  };
}

/** A stage of the Dockerfile: its instructions, with continued lines joined. */
export function readLastStage(): { instruction: string; text: string }[] {
  const lines = readText('Dockerfile')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const from = lines.findLastIndex((line) => line.startsWith('FROM '));
  return lines.slice(from).map((line) => {
    const trimmed = line.trim();
    const [instruction = ''] = trimmed.split(' ', 1);
    return { instruction, text: trimmed.slice(instruction.length + 1) };
  });
}
