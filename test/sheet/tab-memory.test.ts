import { describe, expect, it } from 'vitest';
import type { Memory } from '../../src/engine/memory.ts';
import { RememberedTabs } from '../../src/sheet/tab-survey.ts';

class MapMemory implements Memory {
  readonly facts = new Map<string, string>();
  get = async (name: string) => this.facts.get(name);
  set = async (name: string, value: string) => void this.facts.set(name, value);
  forget = async (name: string) => void this.facts.delete(name);
  all = async () => this.facts;
}

describe('which sheet id stands behind a title', () => {
  it('is remembered per spreadsheet and title, the id 0 too', async () => {
    const tabs = new RememberedTabs(new MapMemory());
    await tabs.set('book', 'Contacts', 0);
    await tabs.set('book', 'Contacts 2', 17);
    expect(await tabs.get('book', 'Contacts')).toBe(0);
    expect(await tabs.get('book', 'Contacts 2')).toBe(17);
    expect(await tabs.get('other', 'Contacts')).toBeUndefined();
    await tabs.forget('book', 'Contacts');
    expect(await tabs.get('book', 'Contacts')).toBeUndefined();
  });

  it('is asked of Google again when what was remembered is no id', async () => {
    const memory = new MapMemory();
    const tabs = new RememberedTabs(memory);
    await tabs.set('book', 'Contacts', 5);
    for (const name of memory.facts.keys()) memory.facts.set(name, 'five');
    expect(await tabs.get('book', 'Contacts')).toBeUndefined();
  });
});
