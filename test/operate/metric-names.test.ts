import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { COUNTERS, HISTOGRAMS } from '../../src/operate/metrics.ts';

const SRC = new URL('../../src/', import.meta.url);
const COUNTED = new Map(COUNTERS.map((told) => [told.name, told.labels]));
const MEASURED = new Map(HISTOGRAMS.map((told) => [told.name, told.labels]));

interface Use {
  readonly where: string;
  readonly verb: 'add' | 'observe';
  /** Undefined when it is not written as a plain text. */
  readonly name: string | undefined;
  /** Names of the labels, when they stand right there. */
  readonly labels: readonly string[] | undefined;
}

/** `meter.add('name', { label, other: value })` in any spelling: over several lines, `#meter`, `meter?.`. */
const CALL = /meter\??\s*\.\s*(add|observe)\(\s*('([^']*)'|"([^"]*)"|`([^`$]*)`|[^,)]*)([^;]*?)\);/g;

function usesIn(where: string, code: string): Use[] {
  return [...code.matchAll(CALL)].map((call) => {
    // A label's value may be a template with braces of its own.
    const rest = (call[6] ?? '').replace(/`[^`]*`/g, '``');
    const inline = /\{([^{}]*)\}/.exec(rest)?.[1];
    return {
      where,
      verb: call[1] === 'add' ? 'add' : 'observe',
      name: call[3] ?? call[4] ?? call[5],
      labels: inline
        ?.split(',')
        .map((label) => label.split(':')[0]?.trim() ?? '')
        .filter((label) => label !== ''),
    };
  });
}

/** The worker's code; the sandboxes count nothing. */
function allUses(): { uses: Use[]; names: Set<string> } {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/^operate\/(?!audit|forget|mapping-change|store)/.test(file),
  );
  const codes = files.map((file) => [file, readFileSync(new URL(file, SRC), 'utf8')] as const);
  return {
    uses: codes.flatMap(([file, code]) => usesIn(file, code)),
    names: new Set(
      codes.flatMap(([, code]) =>
        [...code.matchAll(/['"`](slotbridge_[a-z_]+_(?:total|seconds))['"`]/g)].map(
          (match) => match[1] ?? '',
        ),
      ),
    ),
  };
}

describe('every metric that the code uses is declared', () => {
  const { uses, names } = allUses();

  test('the search finds the calls at all', () => {
    expect(uses.length).toBeGreaterThan(10);
    expect(
      usesIn('x', `this.#parts.meter.add(\n  'a_total',\n  { via, code: error.code },\n  2,\n);`),
    ).toEqual([{ where: 'x', verb: 'add', name: 'a_total', labels: ['via', 'code'] }]);
    expect(usesIn('x', `meter?.observe("b_seconds", (now() - then) / 1000);`)).toMatchObject([
      { verb: 'observe', name: 'b_seconds', labels: undefined },
    ]);
    expect(usesIn('x', `meter.add('a_total', { outcome: \`bad-\${verdict}\` });`)).toMatchObject([
      { labels: ['outcome'] },
    ]);
    expect(usesIn('x', 'meter.add(NAME, labels);')).toMatchObject([{ name: undefined }]);
  });

  test('by a name written at the call, so that it can be found', () => {
    expect(uses.filter((use) => use.name === undefined).map((use) => use.where)).toEqual([]);
  });

  test('as a counter or a histogram, as it is used', () => {
    const undeclared = uses.filter(
      (use) => use.name !== undefined && !(use.verb === 'add' ? COUNTED : MEASURED).has(use.name),
    );
    expect(undeclared).toEqual([]);
  });

  test('with the labels it is given', () => {
    const wrong = uses.filter(({ verb, name, labels }) => {
      const declared = (verb === 'add' ? COUNTED : MEASURED).get(name ?? '') ?? [];
      return labels?.some((label) => !declared.includes(label)) ?? false;
    });
    expect(wrong).toEqual([]);
  });

  test('also where the name stands apart from the call', () => {
    expect([...names].filter((name) => !COUNTED.has(name) && !MEASURED.has(name))).toEqual([]);
  });
});

describe('a declaration', () => {
  test('is made once, with a help text and a name that says its unit', () => {
    const all = [...COUNTERS, ...HISTOGRAMS];
    expect(new Set(all.map((told) => told.name)).size).toBe(all.length);
    for (const told of COUNTERS) expect(told.name).toMatch(/^[a-z_]+_total$/);
    for (const told of HISTOGRAMS) expect(told.name).toMatch(/^[a-z_]+_seconds$/);
    for (const told of all) expect(told.help).toMatch(/^[A-Z].{15,}\.$/);
  });

  test('of a histogram has bounds that rise', () => {
    for (const { bucketsS } of HISTOGRAMS) expect([...bucketsS].sort((a, b) => a - b)).toEqual(bucketsS);
  });
});
