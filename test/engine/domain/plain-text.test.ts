import { describe, expect, test } from 'vitest';
import { plainText } from '../../../src/engine/plain-text.ts';

describe('what stands in lines or cells of its own stays apart', () => {
  test.each([
    ['<table><tr><td>+49 30 901820</td><td>2</td></tr><tr><th>x</th></tr></table>', '+49 30 901820\t2\nx'],
    ['<h3>030 901820</h3>12 Uhr', '030 901820\n12 Uhr'],
    ['12<h6>030 901820</h6>', '12\n030 901820'],
    ['<ul><li>a</li><li>b</li></ul>c', 'a\nb\nc'],
    ['a<blockquote>b</blockquote><section>c</section><dl><dt>d</dt><dd>e</dd></dl>', 'a\nb\nc\nd\ne'],
    ['<div>a</div>\n  <div>b</div>\n\n<P CLASS="x>y">c</P >', 'a\nb\nc'],
    ['a<br>b<br/>c<hr>d', 'a\nb\nc\nd'],
    ['a\nb\n\nc', 'a\nb\n\nc'],
  ])('%s', (html, text) => {
    expect(plainText(html)).toBe(text);
  });
});

describe('markup within a line is not seen', () => {
  test.each([
    ['<b>Ve</b>ra <i>Orlova</i>', 'Vera Orlova'],
    ['<b>+</b>49', '+49'],
    ['0170<wbr>1234567', '01701234567'],
    ['a<!-- <b> -->b<style>p > b {}</style>c<o:p></o:p>', 'abc'],
    ['<a href="https://clinic.example/?a=1&amp;b=2">Vera</a>', 'Vera'],
  ])('%s', (html, text) => {
    expect(plainText(html)).toBe(text);
  });
});

test('numbers in adjacent elements are neither joined nor taken alone', () => {
  expect(plainText('<span>901820</span><span>2</span>')).toBe('901820|2');
  expect(plainText('9018<b>20</b>')).toBe('9018|20');
  expect(plainText('901820<!-- -->2')).toBe('901820|2');
  expect(plainText('901820\u200b</span><span>\u200b2')).toBe('901820\u200b|\u200b2');
  expect(plainText('<span>901820</span><span>Vera</span>')).toBe('901820\tVera');
  expect(plainText('<b>Tel</b>+49 30')).toBe('Tel\t+49 30');
});

test('an address ends with its element', () => {
  expect(plainText('<span>vera@clinic.example</span><span>Boris</span>')).toBe('vera@clinic.example\tBoris');
  expect(plainText('<b>vera</b>@clinic.example')).toBe('vera@clinic.example');
});

describe('what is no tag of HTML is text', () => {
  test.each([
    'Vera <vera@clinic.example>',
    '<tel:+49 30 901820>',
    '<https://clinic.example/>',
    '<i.petrov@clinic.example> <a@clinic.example> <b-c@clinic.example>',
    '<+49 30 901820> <Vera Orlova> <2>',
    '3 < 5 and 7 > 2',
    'a <b',
    '<',
    '< b >',
    'a <!-- b',
  ])('%s', (text) => {
    expect(plainText(text)).toBe(text);
  });
});

describe('character references are read once', () => {
  test.each([
    ['&#43;49&nbsp;30&#160;901820&#xA0;', '+49 30 901820'],
    ['Caf&eacute; &amp; Bar &ndash; M&uuml;ller&rsquo;s &plus;&num;', 'Café & Bar – Müller’s +#'],
    ['&lt;b&gt; &amp;lt; &quot;x&quot; &#39;y&#x27; &apos;', "<b> &lt; \"x\" 'y' '"],
    ['&#38;#43; &unknown; AT&T &; &#; &#x;', '&#43; &unknown; AT&T &; &#; &#x;'],
    ['&#1114112; &#55296;', '\ufffd \ufffd'],
  ])('%s', (html, text) => {
    expect(plainText(html)).toBe(text);
  });
});
