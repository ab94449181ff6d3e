import { describe, expect, test } from 'vitest';
import { compileEvent, type RenderOptions } from '../../src/calendar/wanted.ts';
import type { EventTemplate } from '../../src/engine/mirror.ts';
import { APPOINTMENT_ID, appointment, directory, mirror } from './stand.ts';

function body(
  event: Partial<EventTemplate>,
  change: Record<string, unknown> = {},
  options: RenderOptions = {},
) {
  const about = { ...mirror, event: { ...mirror.event, ...event } };
  return compileEvent(about)(appointment(change), directory, options).body;
}

const HOSTILE = '<a href="https://evil.example">Pay here</a> & <b>now</b>';

describe('what customers typed', () => {
  test('never becomes a link or markup in a description, which Google shows as HTML', () => {
    expect(body({ description: '{{ comment }}' }, { comment: HOSTILE }).description).toBe(
      '&lt;a href="https://evil.example"&gt;Pay here&lt;/a&gt; &amp; &lt;b&gt;now&lt;/b&gt;',
    );
  });

  test('cannot leave an attribute of the markup that the operator wrote', () => {
    const description = '<a href="https://crm.example/?q={{ comment }}">find</a>';
    expect(body({ description }, { comment: `" onclick='x` }).description).toBe(
      '<a href="https://crm.example/?q=&quot; onclick=&#39;x">find</a>',
    );
  });

  test('keeps its apostrophes where no markup stands around it', () => {
    expect(body({ description: '{{ comment }}' }, { comment: "O'Brien" }).description).toBe("O'Brien");
  });

  test('passes through unchanged where the operator writes raw', () => {
    expect(body({ description: '{{ comment | raw }}' }, { comment: '<b>x</b>' }).description).toBe(
      '<b>x</b>',
    );
  });

  test('is not escaped twice where the template escapes it already', () => {
    expect(body({ description: '{{ comment | escape }}' }, { comment: 'a < b' }).description).toBe(
      'a &lt; b',
    );
  });

  test('is escaped through loops, conditions and assignments, too', () => {
    const description =
      '{% assign said = comment %}{% if comment %}{{ said }}{% endif %}{% for each in metadata %}{{ each[1] }}{% endfor %}';
    expect(body({ description }, { comment: '<i>', metadata: { a: '<u>' } }).description).toBe(
      '&lt;i&gt;&lt;u&gt;',
    );
  });

  test('stays as typed in titles and places, which are plain text', () => {
    const { summary, location } = body(
      { title: '{{ comment }}', location: '{{ comment }}' },
      { comment: 'A & B <3' },
    );
    expect([summary, location]).toEqual(['A & B <3', 'A & B <3']);
  });

  test('loses its control characters everywhere, and its line breaks in titles and places', () => {
    const change = { comment: 'one\u0000\u0007\r\ntwo\u009b' };
    const all = { title: '{{ comment }}', description: '{{ comment }}', location: '{{ comment }}' };
    expect(body(all, change)).toMatchObject({
      summary: 'one two',
      description: 'one\ntwo',
      location: 'one two',
    });
  });

  test('has one kind of line break, and none in titles and places', () => {
    const change = { comment: 'one\u2028two\u0085three\u000bfour\rfive' };
    const all = { title: '{{ comment }}', description: '{{ comment }}' };
    expect(body(all, change)).toMatchObject({
      summary: 'one two three four five',
      description: 'one\ntwo\nthree\nfour\nfive',
    });
  });

  test('is cut without leaving half an entity or half a tag behind', () => {
    const amps = body({ description: '{{ comment }}' }, { comment: '&'.repeat(5_000) }).description ?? '';
    expect(amps.length).toBeLessThanOrEqual(8_192);
    expect(amps).toMatch(/^(&amp;)+…$/);
    const tags = body(
      { description: '{{ comment }}<b>bold</b>' },
      { comment: 'x'.repeat(8_190) },
    ).description;
    expect(tags).toMatch(/^x+…$/);
  });
});

describe('a link back to the platform', () => {
  const link = 'https://app.example/appointments/{{ id }}?with={{ customer_name }}&a=b';

  test('closes the description, its values encoded', () => {
    expect(
      body({ link, description: '{{ customer_phone }}' }, { customer_name: 'A & <B>' }).description,
    ).toBe(
      `+4915112345678\n\nhttps://app.example/appointments/${APPOINTMENT_ID}?with=A%20%26%20%3CB%3E&amp;a=b`,
    );
  });

  test('is the whole description where the mapping gives no other', () => {
    expect(body({ link: 'https://app.example/{{ id }}', description: undefined }).description).toBe(
      `https://app.example/${APPOINTMENT_ID}`,
    );
  });

  test('is encoded once where the template encodes it already', () => {
    const encoded = 'https://app.example/?q={{ customer_name | url_encode }}';
    expect(body({ link: encoded, description: undefined }, { customer_name: 'a b' }).description).toBe(
      'https://app.example/?q=a%20b',
    );
  });
});

describe('a note to people', () => {
  const note = 'Not moved: 10:00 is taken.\nFree: 11:00 <12:00';

  test('stands behind the description, below a line, in plain words', () => {
    expect(body({ description: '{{ customer_phone }}' }, {}, { note }).description).toBe(
      '+4915112345678\n\n──────────\nNot moved: 10:00 is taken.\nFree: 11:00 &lt;12:00',
    );
  });

  test('stands behind the title where the description belongs to people', () => {
    const shown = body({ description: undefined }, {}, { note });
    expect(shown.summary).toBe('Haircut, Nina Weber — Not moved: 10:00 is taken. Free: 11:00 <12:00');
    expect(shown).not.toHaveProperty('description');
  });

  test('is never what gets cut', () => {
    const { description = '' } = body(
      { description: '{{ comment }}' },
      { comment: 'x'.repeat(9_000) },
      { note },
    );
    expect(description.length).toBeLessThanOrEqual(8_192);
    expect(description).toMatch(/x…\n\n─+\nNot moved/);
  });

  test('is part of the hash: one that comes, changes or goes is written, one that stays is not', () => {
    const render = compileEvent(mirror);
    const hashes = [undefined, 'a', 'b'].map((each) => render(appointment(), directory, { note: each }).hash);
    expect(new Set(hashes).size).toBe(3);
    expect(render(appointment(), directory, { note: 'a' }).hash).toBe(hashes[1]);
    expect(render(appointment(), directory).hash).toBe(hashes[0]);
  });
});
