import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Figure } from './figure.ts';

const BENCH = fileURLToPath(new URL('main.ts', import.meta.url));

/** Runs a bench once more with the worker of another checkout, which is built. Undefined when that worker does not get through it. */
export async function besideOf(
  folder: string,
  about: { readonly bench: string; readonly isQuick: boolean },
): Promise<readonly Figure[] | undefined> {
  const sizes = about.isQuick ? ['--quick'] : [];
  const child = spawn(process.execPath, ['--import', 'tsx', BENCH, '--json', ...sizes, about.bench], {
    env: { ...process.env, BENCH_MAIN: join(resolve(folder), 'dist/main.js') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const out = await text(child.stdout);
  if (out.trim() === '') return undefined;
  return (JSON.parse(out) as { figures: readonly Figure[] }).figures;
}

/** The figure, with that of the other version as its reference where it has none. */
export function withReference(figure: Figure, others: readonly Figure[]): Figure {
  const { section, what } = figure;
  const other = others.find((each) => each.section === section && each.what === what);
  if (figure.required === undefined || figure.reference !== undefined || other === undefined) return figure;
  const ratio = other.figure === 0 ? {} : { ratio: figure.figure / other.figure };
  return { ...figure, reference: other.figure, ...ratio };
}
