import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { rest, sources, stagesOf } from './dockerfile.ts';
import { allowsNode, lockedPackages } from './lock.ts';
import { house, read } from './tree.ts';

const stages = stagesOf(read('Dockerfile'));
const [build = [], image = []] = stages;
const manifest = JSON.parse(read('package.json'));

describe('the Dockerfile', () => {
  it('has a stage that builds and one that runs, on the same Node', () => {
    expect(stages).toHaveLength(2);
    const bases = stages.map((stage) => rest(stage, 'FROM').split(' ')[0]);
    expect(bases[0]).toMatch(/^node:\d+-bookworm-slim@sha256:[0-9a-f]{64}$/);
    expect(bases[1]).toBe(bases[0]);
  });

  it('runs Node 26.12.1 or newer, in both stages', () => {
    const [, major, minor] =
      /^const VERSION = '(\d+)\.(\d+)\.\d+';$/m.exec(read('scripts/image-node.mjs')) ?? [];
    expect(Number(major) * 1_000 + Number(minor)).toBeGreaterThanOrEqual(26_012);
    const replaced = build.findIndex(
      ({ rest }) => rest === 'node scripts/image-node.mjs /usr/local/bin/node',
    );
    expect(build.findIndex(({ rest }) => rest === 'npm run build')).toBeGreaterThan(replaced);
    expect(replaced).toBeGreaterThan(0);
  });

  it('takes no other Node than the one whose hash is written down', () => {
    const folder = mkdtempSync(join(tmpdir(), 'image-node-'));
    const [other, old] = [join(folder, 'other'), join(folder, 'old')];
    mkdirSync(join(other, 'bin'), { recursive: true });
    const manifest = { name: `node-linux-${process.arch}`, version: '1.0.0' };
    writeFileSync(join(other, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(other, 'bin/node'), 'another one');
    writeFileSync(old, 'the old one');
    const { status, stderr } = spawnSync(process.execPath, ['scripts/image-node.mjs', old, other], {
      cwd: house,
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/the hash of bin\/node is/);
    expect(readFileSync(old, 'utf8')).toBe('the old one');
    expect(readdirSync(folder).sort()).toEqual(['old', 'other']);
    rmSync(folder, { recursive: true });
  });

  it('takes a Node that every package allows', () => {
    const major = /node:(\d+)/.exec(rest(image, 'FROM'))?.[1];
    const refusing = lockedPackages().filter((each) => !allowsNode(each, `${major}.0.0`));
    expect(refusing.map(({ path }) => path)).toEqual([]);
  });

  it('installs what the lock says, with the settings of .npmrc', () => {
    const install = build.findIndex(({ name, rest }) => name === 'RUN' && rest === 'npm ci');
    const copied = build.slice(0, install).flatMap(sources);
    const packages = readdirSync(join(house, 'packages')).map((name) => `packages/${name}/package.json`);
    expect(copied.sort()).toEqual(['.npmrc', 'package-lock.json', 'package.json', ...packages]);
  });

  it('takes dist/ and Node from the build, and no package', () => {
    const taken = image.filter(({ name, rest }) => name === 'COPY' && rest.startsWith('--from=build'));
    expect(taken.flatMap(sources)).toEqual(['/usr/local/bin/node', '/app/dist']);
  });

  it('copies only files that are there, and that .dockerignore lets through', () => {
    const letThrough = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = [...build, ...image].filter(({ rest }) => !rest.startsWith('--from')).flatMap(sources);
    expect(copied.filter((path) => !existsSync(join(house, path)))).toEqual([]);
    expect([...new Set(copied)].sort()).toEqual(letThrough.sort());
  });

  it('runs as a user without rights, to whom the volume belongs', () => {
    expect(rest(image, 'USER')).toBe('node');
    expect(rest(image, 'VOLUME')).toBe('/data');
    expect(image.find(({ rest }) => rest.includes('chown'))?.rest).toContain('chown node:node /data');
    // Whatever stands behind USER is done as that user; the copied files stay root's, which it cannot change.
    expect(image.filter(({ rest }) => rest.includes('--chown'))).toEqual([]);
  });

  it('starts the built command line, which is the one that package.json names', () => {
    expect(JSON.parse(rest(image, 'ENTRYPOINT'))).toEqual(['node', manifest.bin.slotbridge]);
    expect(JSON.parse(rest(image, 'CMD'))).toEqual(['start', '--config', '/config/slotbridge.yaml']);
    expect(
      existsSync(join(house, manifest.bin.slotbridge.replace('dist/', 'src/').replace('.js', '.ts'))),
    ).toBe(true);
  });

  it('has a health check that asks /readyz on the port the worker listens on', () => {
    const check = rest(image, 'HEALTHCHECK');
    const command = JSON.parse(check.slice(check.indexOf('CMD') + 3));
    expect(command.slice(0, 2)).toEqual(['node', '-e']);
    expect(command[2]).toContain("process.env.PORT + '/readyz'");
    const port = image.find(({ name, rest }) => name === 'ENV' && rest.startsWith('PORT='))?.rest.slice(5);
    expect(rest(image, 'EXPOSE')).toBe(port);
  });

  it('holds no secret', () => {
    const names = [...build, ...image]
      .filter(({ name }) => name === 'ENV' || name === 'ARG')
      .map(({ rest }) => rest);
    expect(names.filter((text) => /KEY|SECRET|TOKEN|PASSWORD|CREDENTIAL/i.test(text))).toEqual([]);
  });
});

describe('compose.yaml', () => {
  const { services, volumes } = parse(read('compose.yaml'), { merge: true });

  it('keeps the file of Redis in a volume', () => {
    expect(services.redis.volumes).toEqual(['redis-data:/data']);
    expect(services.redis.image).toMatch(/^redis:7-bookworm@sha256:[0-9a-f]{64}$/);
    expect(Object.keys(volumes).sort()).toEqual(['redis-data', 'worker-data']);
  });

  it('starts an append-only Redis that never evicts and asks for its password', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slotbridge-compose-'));
    const [socket, password] = [join(folder, 'redis.sock'), 'of-this-test'];
    // As compose reads it, on a socket in a folder of the test.
    const typed = String(services.redis.command[2]).replaceAll('$$', '$').replaceAll('/tmp/', `${folder}/`);
    const own = ` --port 0 --unixsocket ${socket} --dir ${folder}`;
    const server = spawn('sh', ['-c', typed + own], {
      env: { ...process.env, REDIS_PASSWORD: password },
      stdio: 'ignore',
    });
    const ended = once(server, 'exit');
    const ask = (auth: string, ...words: string[]) =>
      spawnSync('redis-cli', ['-s', socket, ...words], {
        encoding: 'utf8',
        env: { ...process.env, REDISCLI_AUTH: auth },
      }).stdout.trim();
    try {
      await expect.poll(() => ask(password, 'ping')).toBe('PONG');
      expect(ask('', 'ping')).toContain('NOAUTH');
      expect(ask(password, 'config', 'get', 'appendonly')).toBe('appendonly\nyes');
      expect(ask(password, 'config', 'get', 'maxmemory-policy')).toBe('maxmemory-policy\nnoeviction');
      expect(statSync(join(folder, 'redis.conf')).mode & 0o777).toBe(0o600);
    } finally {
      server.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('gives the worker that Redis, once it is healthy', () => {
    expect(services.worker.environment.REDIS_URL).toMatch(
      /^redis:\/\/:\$\{REDIS_PASSWORD:\?[^}]+\}@redis:6379\/0$/,
    );
    expect(services.worker.depends_on.redis.condition).toBe('service_healthy');
    expect(services.redis.healthcheck.test[1]).toContain('redis-cli ping');
  });

  it.each(['worker', 'redis'])('confines the %s', (name) => {
    const { read_only, tmpfs, cap_drop, security_opt, mem_limit, pids_limit } = services[name];
    expect({ read_only, tmpfs, cap_drop, security_opt }).toEqual({
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect([typeof mem_limit, typeof pids_limit]).toEqual(['string', 'number']);
  });

  it('shows neither Redis nor the worker to the network', () => {
    expect(services.redis.ports).toBeUndefined();
    expect(services.worker.ports).toEqual(['127.0.0.1:8080:8080']);
  });

  it('gives the worker longer to stop than it takes by default', () => {
    const shutdown = /^\| `shutdown` \|[^|]+\| `(\d+)s` \|/m.exec(
      read('docs/reference/configuration.md'),
    )?.[1];
    expect(Number.parseInt(services.worker.stop_grace_period, 10)).toBeGreaterThanOrEqual(
      Number(shutdown) + 10,
    );
  });

  it('mounts the folder that the image looks for its YAML in', () => {
    expect(services.worker.volumes).toContain('./config:/config:ro');
  });

  it('asks for keys in a folder of their own, which is mounted read-only', () => {
    const named = [...read('compose.yaml').matchAll(/GOOGLE_APPLICATION_CREDENTIALS=(\S+)/g)].map(
      ([, path]) => path,
    );
    expect(named).toEqual(['/secrets/google-key.json']);
    expect(services.worker.volumes).toContain('./secrets:/secrets:ro');
  });
});

describe('a key beside the sources', () => {
  const keys = [
    'secrets/google-key.json',
    'config/google-key.json',
    'config/service-account.json',
    'config/platform.pem',
    '.env',
    '.env.production',
  ];

  it.each(keys)('%s reaches neither git, the image nor a package', (path) => {
    // Exit code 1, and so an error, for a path that git would take.
    execFileSync('git', ['check-ignore', '--no-index', '--quiet', path], { cwd: house });
    const lines = read('.dockerignore').split('\n');
    const letThrough = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect(lines).toContain('*');
    const packed: string[] = manifest.files;
    const takes = (taken: string) => path === taken || path.startsWith(`${taken}/`);
    expect([...letThrough, ...packed].filter(takes)).toEqual([]);
  });

  it.each(['config/schema.json', 'config/ops/dashboard.json', 'config/slotbridge.example.yaml'])(
    '%s, which holds none, stays in git',
    (path) => {
      expect(() =>
        execFileSync('git', ['check-ignore', '--no-index', '--quiet', path], { cwd: house }),
      ).toThrow();
    },
  );
});
