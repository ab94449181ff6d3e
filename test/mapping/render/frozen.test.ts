// P4: a machine that freezes for seconds changes no verdict about a template, a condition or a booking.
import { describe, expect, test } from 'vitest';
import { compileCondition } from '../../../src/mapping/filter-condition.ts';
import { createBookingTemplates } from '../../../src/mapping/phone-filter.ts';
import { compileTemplate } from '../../../src/mapping/template.ts';

/** Longer than a rendering may take. */
const FROZEN_MS = 1_200;
const NO_DIRECTORY = { branches: new Map(), services: new Map(), resources: new Map(), projects: new Map() };

/** An object that freezes the process when its `n` is read for the first time. */
function freezing(n: number) {
  let wasFrozen = false;
  return {
    get n() {
      if (!wasFrozen) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FROZEN_MS);
      wasFrozen = true;
      return n;
    },
  };
}

describe('the process is frozen in the middle of a rendering', () => {
  test('a template still gives its text and its cell', () => {
    const template = compileTemplate('{% increment count %}{{ metadata.n }}{{ name }}');
    expect(template.text({ metadata: freezing(7), name: 'Ann' })).toBe('07Ann');
    expect(compileTemplate('{{ a.n | plus: 1 }}').cell({ a: freezing(7) })).toBe(8);
  });

  test('a booking template still reads what people typed', () => {
    const templates = createBookingTemplates({ region: undefined, serviceNames: () => [] });
    const fields = { typed: freezing(7), title: 'Massage' } as never;
    expect(templates.text('{{ typed.n }}{{ title }}', fields)).toBe('7Massage');
  });

  test('a condition is still judged', () => {
    const snapshot = { id: 'x', metadata: freezing(7), guests_count: 2 } as never;
    const condition = compileCondition('metadata.n == 7 and guests_count == 2');
    expect(condition.judge({ kind: 'appointment', snapshot, directory: NO_DIRECTORY as never })).toBe('yes');
  });
});
