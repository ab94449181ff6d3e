import { describe, expect, test } from 'vitest';
import { read, trackedFiles } from './tree.ts';

const NOW = String.raw`\b(?:Date|performance)\.now\(\)`;
/** What a test must not do, and how its text shows it. */
const FORBIDDEN = {
  'asks a real clock how long something took': new RegExp(
    String.raw`${NOW}\s*-\s*(?!(?:[A-Z_\d]+|[\w.]*[cC]lock\.now\(\))(?!\w))[\w(]+`,
    'g',
  ),
  'asserts on a distance from the real time': new RegExp(
    String.raw`expect\((?:(?!\.to[A-Z])[^;])*?${NOW}(?:(?!\.to[A-Z])[^;])*\)\.(?:not\.)?toBe(?:Less|Greater|Close)`,
    'g',
  ),
  'lets go of a port before it is used':
    /\.listen\(\s*(?:\{[^}]*port:\s*)?0\b(?:(?!\n\}).)*?(?:;\s*\w+|\bawait\b[^;]*)\.close\((?:(?!\n\}).)*?\breturn\b[^;\n]*\bport\b/gs,
} as const;

/** A play lasts as long as it was told to: nothing is asserted of that. */
const EXEMPT = ['packages/rehearsal/chaos/play.ts', 'test/house/real-time.test.ts'];

function findings(text: string): string[] {
  const code = text.replaceAll(/\/\*.*?\*\/|^\s*\/\/.*$/gs, '');
  return Object.entries(FORBIDDEN).flatMap(([what, pattern]) =>
    [...code.matchAll(pattern)].map(([found]) => `${what}: ${found.replaceAll(/\s+/g, ' ').slice(0, 120)}`),
  );
}

describe('no test asks a real clock how long something took, and no server listens on a port found free before', () => {
  test.each([
    'expect(performance.now() - beganAt).toBeLessThan(9_000);',
    'const tookMs = Date.now() - since;',
    'while (Date.now() - since < 1_000) ring();',
    'expect(Date.parse(until) - Date.now()).toBeGreaterThan(3_500_000);',
    'expect(Math.abs(Date.parse(asked) - (Date.now() - DAY))).toBeLessThan(60_000);',
    `async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return address.port;
}`,
    `async function port() {
  const { port } = (await app.listen({ host: '127.0.0.1', port: 0 })).address();
  await app.close();
  return port;
}`,
  ])('is found: %s', (text) => {
    expect(findings(text).length).toBeGreaterThan(0);
  });

  test.each([
    'const old = Date.now() - 60_000;',
    'const old = new Date(Date.now() - 3 * DAY);',
    'const fromMs = Date.now() - DAY;',
    'expect(covered).toBeLessThanOrEqual(Date.now());',
    'expect(clock.now() - since).toBeGreaterThan(10 * MINUTE);',
    `async function receiver() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { port: server.address().port, close: () => server.close() };
}`,
  ])('is let be: %s', (text) => {
    expect(findings(text)).toEqual([]);
  });

  test('none of them stands in a test', () => {
    const files = trackedFiles().filter((path) =>
      /^(?:test|packages\/[^/]+\/(?:test|chaos|bench\/stand))\/.*\.ts$/.test(path),
    );
    const found = files
      .filter((path) => !EXEMPT.includes(path))
      .flatMap((path) => findings(read(path)).map((finding) => `${path}: ${finding}`));
    expect(found).toEqual([]);
  });
});
