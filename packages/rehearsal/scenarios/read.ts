// Reads and checks a scenario file and its mapping. Throws a `ConfigError` with every problem of the file, each with its line.
import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { Config } from '../../../src/mapping/config.ts';
import { ConfigDocument, isTooDeep, reportSyntax } from '../../../src/mapping/document.ts';
import { reportIssues } from '../../../src/mapping/load.ts';
import type { ConfigChecks } from '../../../src/mapping/mirror-check.ts';
import { ProblemList } from '../../../src/mapping/problem.ts';
import type { Environment } from '../../../src/mapping/variables.ts';
import { checkNames, givenOf } from './check.ts';
import { type Directory, directoryOf } from './directory.ts';
import { loadMapping } from './mapping.ts';
import { type Expectation, type Given, type Step, scenarioFile, type WrittenFile } from './schema.ts';

export interface Scenario {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** The text of the file. */
  readonly source: string;
  readonly index: number;
  readonly config: Config;
  readonly given: Given;
  readonly directory: Directory;
  readonly when: readonly { readonly line: number; readonly step: Step }[];
  readonly expect: Expectation;
}

const TEXT_LENGTH_MAX = 1_000_000;
const START = { line: 1, column: 1 };

export function readScenarios(path: string, env: Environment, checks: ConfigChecks): readonly Scenario[] {
  const problems = new ProblemList();
  const text = readText(path, { what: 'the scenario file', problems });
  if (text === undefined) throw problems.toError(path);
  if (text.length > TEXT_LENGTH_MAX || isTooDeep(text)) {
    problems.add([], START, { what: 'is no scenario file', fix: 'is this the right file?' });
    throw problems.toError(path);
  }
  const document = new ConfigDocument(text);
  if (!reportSyntax(document, problems)) throw problems.toError(path);
  const written = scenarioFile.safeParse(valueIn(document));
  if (!written.success) reportIssues(written.error.issues, document, problems);
  if (!written.success || !problems.isEmpty()) throw problems.toError(path);
  const config = mappingOf(path, written.data, { env, checks, document, problems });
  if (config === undefined) throw problems.toError(path);
  checkNames(written.data, config, { document, problems });
  if (!problems.isEmpty()) throw problems.toError(path);
  return written.data.scenarios.map((scenario, index) => {
    const given = givenOf(written.data, scenario);
    return {
      ...{ name: scenario.name, file: path, line: document.placeOf(['scenarios', index, 'name']).line },
      ...{ source: text, index },
      ...{ config, given, directory: directoryOf(config, given), expect: scenario.expect },
      when: (scenario.when ?? []).map((step, nth) => {
        const [name = ''] = Object.keys(step);
        return { line: document.placeOfKey(['scenarios', index, 'when', nth, name]).line, step };
      }),
    };
  });
}

function mappingOf(
  path: string,
  { mapping, variables }: WrittenFile,
  parts: {
    readonly env: Environment;
    readonly checks: ConfigChecks;
    readonly document: ConfigDocument;
    readonly problems: ProblemList;
  },
): Config | undefined {
  const file = isAbsolute(mapping) ? mapping : join(dirname(path), mapping);
  const text = readText(file, {
    ...{ what: file, problems: parts.problems },
    place: parts.document.placeOf(['mapping']),
  });
  if (text === undefined) return undefined;
  return loadMapping({ text, path: file }, { ...parts.env, ...variables }, parts.checks);
}

function valueIn(document: ConfigDocument): unknown {
  try {
    return document.toValue();
  } catch {
    // Aliases that repeat too much, or a value of `<<` that is not a group.
    return undefined;
  }
}

function readText(
  path: string,
  {
    what,
    problems,
    place = START,
  }: { readonly what: string; readonly problems: ProblemList; readonly place?: typeof START },
): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown';
    problems.add(place === START ? [] : ['mapping'], place, {
      what: `${what} cannot be read (${reason})`,
      fix: 'give the path of a file that is there; a mapping is named relative to the scenario file',
    });
    return undefined;
  }
}
