// Numbers and lines in texts for people.

/** `1 row`, `2,000 rows` */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** `1,234`, as `toLocaleString` would format it; but that would first load Node's locale data. */
export function grouped(count: number): string {
  const digits = String(Math.trunc(Math.abs(count)));
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return `${count < 0 ? '-' : ''}${groups.join(',')}`;
}

const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

/** One line: each line break and each control character becomes a space. */
export function unbroken(text: string): string {
  return text.replace(/\r\n/g, ' ').replace(CONTROLS, ' ');
}
