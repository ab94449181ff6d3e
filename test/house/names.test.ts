import { expect, test } from 'vitest';
import { read, trackedFiles } from './tree.ts';

/** Exported functions by name, each with the files that have one. */
function exportedFunctions(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const path of files)
    for (const [, name = ''] of read(path).matchAll(/^export (?:async )?function\*? (\w+)/gm))
      found.set(name, [...(found.get(name) ?? []), path]);
  return found;
}

test('an exported function has a name of its own: what two do alike has one home, what differs says in what', () => {
  // The sandboxes share nothing with the worker, their names neither.
  const files = trackedFiles().filter((path) => /^src\/(?!sandbox\/).*\.ts$/.test(path));
  const functions = exportedFunctions(files);
  expect(functions.size).toBeGreaterThan(1_000);
  expect([...functions].filter(([, paths]) => paths.length > 1)).toEqual([]);
});

/** What people have named in the YAML and the sheets of tests: a mirror `visits`, a tab `Visits`. */
const PEOPLES =
  /\bVisits\b|'(?: {2}|Old |Past )?visits(?=[':])|^ +visits:$|\b(?:tab:|rows:|mirrors\.|contacts, )visits\b/gm;

test('what is booked is an appointment, not a visit', () => {
  // A visit is a request to the console, and of a browser. The demo has a tab of that name, and the sandboxes use words of their own.
  const files = trackedFiles().filter((path) =>
    /^(?:src\/(?!console\/)|test\/(?!browser\/|house\/)|packages\/(?!sandbox\/src\/|rehearsal\/demo\/)).*\.ts$/.test(
      path,
    ),
  );
  const odd = files.flatMap((path) => {
    const text = path.startsWith('src/') ? read(path) : `${path}\n${read(path).replaceAll(PEOPLES, '')}`;
    return (
      [...text.matchAll(/\w*visit\w*/gi)]
        .map(([word]) => word)
        // `visit` of the package yaml walks a document, a visitor asks the console, and version 0.2.0 stored `visitHash`.
        .filter((word) => word !== 'visitHash' && !/^visitor/i.test(word))
        .filter((word) => word !== 'visit' || !text.includes("from 'yaml'"))
        .map((word) => `${path}: ${word}`)
    );
  });
  expect(odd).toEqual([]);
});
