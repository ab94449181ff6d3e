import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { Secret, Service } from 'kubernetes-types/core/v1.js';
import { afterAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { STOP_MS } from './stop-time.ts';
import { house, read } from './tree.ts';

const FOLDER = 'config/kubernetes';
const manifests = readdirSync(join(house, FOLDER)).flatMap((file) =>
  // As kubectl reads them: YAML 1.1.
  parseAllDocuments(read(`${FOLDER}/${file}`), { version: '1.1' }).map((each) => each.toJS() as Manifest),
);
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const folder = mkdtempSync(join(tmpdir(), 'slotbridge-kubernetes-'));
symlinkSync(join(house, 'node_modules'), join(folder, 'node_modules'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Kubernetes' OpenAPI as types: the compiler refuses a field that is unknown, missing or of another type. */
function complaints(all: readonly Manifest[]): string[] {
  const text = all.map((each, at) => {
    const group = each.apiVersion.includes('/') ? each.apiVersion : `core/${each.apiVersion}`;
    return `import type { ${each.kind} as Kind${at} } from 'kubernetes-types/${group}';\nexport const manifest${at}: Kind${at} = ${JSON.stringify(each)};`;
  });
  const file = join(folder, 'manifests.ts');
  writeFileSync(file, text.join('\n'));
  const flags = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
  ];
  try {
    execFileSync(join(house, 'node_modules/.bin/tsc'), [...flags, file], { encoding: 'utf8', cwd: folder });
    return [];
  } catch (error) {
    return (error as { stdout: string }).stdout.split('\n').filter((line) => line.includes('error'));
  }
}

function ofKind<T>(kind: string): T {
  const found = manifests.filter((each) => each.kind === kind);
  expect(found).toHaveLength(1);
  return found[0] as T;
}

const deployment = ofKind<Deployment>('Deployment');
const pod = deployment.spec?.template.spec;
const worker = pod?.containers[0];
const service = ofKind<Service>('Service');
const secret = ofKind<Secret>('Secret');

describe('the manifests', () => {
  test('are what Kubernetes takes', () => {
    expect(manifests.map(({ kind }) => kind).sort()).toEqual([
      ...['Deployment', 'PodDisruptionBudget', 'Secret', 'Service'],
    ]);
    expect(complaints(manifests)).toEqual([]);
  });

  test.each([
    ['a misspelled field', '"readOnlyRootFilesystem"', '"readOnlyRootFileSystem"'],
    ['a text where a number belongs', '"replicas":2', '"replicas":"2"'],
    ['another version of the kind', '"policy/v1"', '"policy/v1beta1"'],
    ['a missing field', '"selector":', '"select":'],
  ])('would be refused for %s', (_, from, to) => {
    const text = JSON.stringify(manifests);
    expect(text).toContain(from);
    expect(complaints(JSON.parse(text.replaceAll(from, to)) as Manifest[])).not.toEqual([]);
  });

  test('hold no secret', () => {
    expect(Object.values(secret.stringData ?? {}).filter((value) => value !== '')).toEqual([]);
  });
});

describe('the workers', () => {
  test('are several, and a drained node takes one at a time', () => {
    expect(deployment.spec?.replicas).toBeGreaterThan(1);
    const budget = ofKind<{ spec: { maxUnavailable: number; selector: unknown } }>('PodDisruptionBudget');
    expect(budget.spec.maxUnavailable).toBeLessThan(deployment.spec?.replicas ?? 0);
    const labels = deployment.spec?.template.metadata?.labels;
    for (const matched of [budget.spec.selector, deployment.spec?.selector])
      expect(matched).toEqual({ matchLabels: labels });
    expect(service.spec?.selector).toEqual(labels);
  });

  test('are asked at the port that the image listens on', () => {
    const port = Number(/^ENV PORT=(\d+)$/m.exec(read('Dockerfile'))?.[1]);
    const [own] = worker?.ports ?? [];
    expect(own).toEqual({ name: 'http', containerPort: port });
    const { startupProbe, livenessProbe, readinessProbe } = worker ?? {};
    expect([startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet)).toEqual([
      { path: '/healthz', port: 'http' },
      { path: '/healthz', port: 'http' },
      { path: '/readyz', port: 'http' },
    ]);
    expect(service.spec?.ports?.map(({ targetPort }) => targetPort)).toEqual(['http']);
  });

  test('have time to stop, and are not killed during a reload', () => {
    expect((pod?.terminationGracePeriodSeconds ?? 0) * 1000).toBeGreaterThan(STOP_MS);
    const { periodSeconds = 10, failureThreshold = 3 } = worker?.livenessProbe ?? {};
    expect(periodSeconds * failureThreshold * 1000).toBeGreaterThan(STOP_MS);
  });

  test('write to their volumes only, without rights', () => {
    expect(pod?.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(pod?.automountServiceAccountToken).toBe(false);
    expect(worker?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const kinds = Object.fromEntries(
      (pod?.volumes ?? []).map(({ name, ...kind }) => [name, Object.keys(kind)[0]]),
    );
    const mounted = (worker?.volumeMounts ?? []).map(({ name, mountPath, readOnly }) => [
      mountPath,
      kinds[name],
      readOnly === true,
    ]);
    expect(mounted).toEqual([
      ['/config', 'configMap', true],
      ['/secrets', 'secret', true],
      ['/data', 'emptyDir', false],
      ['/tmp', 'emptyDir', false],
    ]);
  });

  test('get their secrets as variables that the example YAML reads, and Redis by its address', () => {
    const names = [...Object.keys(secret.stringData ?? {}), ...(worker?.env ?? []).map(({ name }) => name)];
    expect(names).toContain('REDIS_URL');
    const example = read('config/slotbridge.example.yaml');
    expect(names.filter((name) => !example.includes(`\${${name}`))).toEqual([]);
  });

  test('run the version of this folder', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(worker?.image).toBe(`slotbridge:${version}`);
  });
});
