import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Figure } from '../../bench/figure.ts';

const house = fileURLToPath(new URL('../../../..', import.meta.url));
const WITHIN_MS = 300_000;

interface Printed {
  readonly ok: boolean;
  readonly figures: readonly Figure[];
}

/** Never a time: what is asserted is that everything runs, and what was counted. */
async function bench(...args: string[]): Promise<{ code: number; printed: Printed; said: string }> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'packages/rehearsal/bench/main.ts', '--quick', '--json', ...args],
    {
      cwd: house,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const ended = new Promise<number>((done) => child.once('exit', (code) => done(code ?? -1)));
  const [out, said] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await ended;
  return { code, said, printed: JSON.parse(out || '{"ok":false,"figures":[]}') as Printed };
}

const figureOf = ({ figures }: Printed, what: RegExp) => figures.find((each) => what.test(each.what));

describe('npm run bench with small sizes', { timeout: WITHIN_MS }, () => {
  it('counts what changes cost at Google, beside the reference, and finds every event and row in its place', async () => {
    const { code, printed, said } = await bench('google');
    expect(said).not.toContain('Error');
    expect(printed.figures.filter(({ isMet }) => !isMet)).toEqual([]);
    expect(code).toBe(0);
    expect(figureOf(printed, /^Calendar calls per change$/)).toMatchObject({ figure: 1, reference: 2 });
    expect(figureOf(printed, /delivered twice/)).toMatchObject({ figure: 1, reference: 4 });
    expect(figureOf(printed, /no event shows/)).toMatchObject({ figure: 0 });
    expect(figureOf(printed, /events not as the platform has them/)).toMatchObject({ figure: 0 });
    expect(figureOf(printed, /rows not as the platform has them/)).toMatchObject({ figure: 0 });
    expect(figureOf(printed, /^rows a minute$/)).toMatchObject({ reference: 60 });
  });

  it('counts the requests of a catch-up and the writes of a resync, and what an event takes in the dedup table', async () => {
    const { code, printed, said } = await bench('catch-up', 'resync', 'dedup', 'search');
    expect(said).not.toContain('Error');
    expect(printed.figures.filter(({ isMet }) => !isMet)).toEqual([]);
    expect(code).toBe(0);
    const requests = figureOf(printed, /^1,000 missed events: requests/)?.figure ?? 0;
    expect(requests).toBeGreaterThanOrEqual(10);
    expect(requests).toBeLessThanOrEqual(30);
    expect(figureOf(printed, /nothing changed: writes to Google/)).toMatchObject({ figure: 0 });
    expect(figureOf(printed, /^looked at$/)).toMatchObject({ figure: 300 });
    expect(figureOf(printed, /^rows of the dedup table/)).toMatchObject({ figure: 2_000 });
    expect(figureOf(printed, /taken twice/)).toMatchObject({ figure: 0 });
    expect(figureOf(printed, /searches that found something else/)).toMatchObject({ figure: 0 });
  });

  it('lets two years pass, after which nothing waits and nothing old is remembered', async () => {
    const { code, printed, said } = await bench('year');
    expect(said).not.toContain('Error');
    expect(printed.figures.filter(({ isMet }) => !isMet)).toEqual([]);
    expect(code).toBe(0);
    expect(figureOf(printed, /^objects that still wait$/)).toMatchObject({ figure: 0 });
    expect(figureOf(printed, /of the first day that are remembered/)).toMatchObject({ figure: 0 });
  });

  it('takes every delivery of the flow benches, and finds every event in its place', async () => {
    const { code, printed, said } = await bench('flow');
    expect(said).not.toContain('Error');
    expect(printed.figures.filter(({ isMet }) => !isMet)).toEqual([]);
    expect(code).toBe(0);
    expect(figureOf(printed, /^deliveries that were not taken$/)).toMatchObject({ figure: 0 });
    expect(figureOf(printed, /^events not as the platform has them$/)).toMatchObject({ figure: 0 });
  });

  it('refuses a section that there is not', async () => {
    const { code, said } = await bench('gogle');
    expect(code).toBe(2);
    expect(said).toContain('there are: google, google/calls');
  });
});
