// Checks that everything a scenario names exists. Nothing runs before that.
import type { Config } from '../../../src/mapping/config.ts';
import type { ConfigDocument } from '../../../src/mapping/document.ts';
import { didYouMean, type Path, type ProblemList } from '../../../src/mapping/problem.ts';
import { calendarsNamed, type Directory, directoryOf } from './directory.ts';
import type { Given, Step, StepName, WrittenFile, WrittenScenario } from './schema.ts';

type ThingKind = 'appointment' | 'event' | 'row';

/** Names that later steps can use. An event or a row may become an appointment, and each appointment may have both. */
interface Names {
  readonly things: Map<string, ThingKind>;
  readonly contacts: Set<string>;
}

/** The company of a scenario: that of the file, with the scenario's additions. */
export function givenOf(file: WrittenFile, scenario: WrittenScenario): Given {
  const [ours, own] = [file.given ?? {}, scenario.given ?? {}];
  return {
    ...ours,
    ...own,
    branches: { ...ours.branches, ...own.branches },
    resources: { ...ours.resources, ...own.resources },
    services: { ...ours.services, ...own.services },
    contacts: { ...ours.contacts, ...own.contacts },
    appointments: [...(ours.appointments ?? []), ...(own.appointments ?? [])],
    events: [...(ours.events ?? []), ...(own.events ?? [])],
    rows: [...(ours.rows ?? []), ...(own.rows ?? [])],
  };
}

export function checkNames(
  file: WrittenFile,
  config: Config,
  report: { readonly document: ConfigDocument; readonly problems: ProblemList },
): void {
  const seen = new Set<string>();
  for (const [index, scenario] of file.scenarios.entries()) {
    const path: Path = ['scenarios', index];
    if (seen.has(scenario.name))
      report.problems.add([...path, 'name'], report.document.placeOf([...path, 'name']), {
        what: 'is the name of another scenario as well',
        fix: 'give it another one: reports and --only go by it',
      });
    seen.add(scenario.name);
    new Checker(directoryOf(config, givenOf(file, scenario)), report).check(file, scenario, path);
  }
}

class Checker {
  readonly #directory: Directory;
  readonly #document: ConfigDocument;
  readonly #problems: ProblemList;
  readonly #names: Names = { things: new Map(), contacts: new Set() };

  constructor(
    directory: Directory,
    report: { readonly document: ConfigDocument; readonly problems: ProblemList },
  ) {
    this.#directory = directory;
    this.#document = report.document;
    this.#problems = report.problems;
  }

  check(file: WrittenFile, scenario: WrittenScenario, path: Path): void {
    this.#given(file.given ?? {}, ['given']);
    this.#given(scenario.given ?? {}, [...path, 'given']);
    for (const [index, step] of (scenario.when ?? []).entries()) this.#step(step, [...path, 'when', index]);
    const { events = {}, rows = {}, appointments = [] } = scenario.expect;
    for (const calendar of Object.keys(events))
      this.#calendar(calendar, [...path, 'expect', 'events', calendar]);
    for (const [tab, expected] of Object.entries(rows)) {
      const at = [...path, 'expect', 'rows', tab];
      this.#tab(tab, at);
      for (const [index, row] of expected.entries()) this.#headers(tab, row, [...at, index]);
    }
    for (const [index, { service, resource }] of appointments.entries()) {
      const at = [...path, 'expect', 'appointments', index];
      this.#service(service, [...at, 'service']);
      this.#resource(resource, [...at, 'resource']);
    }
  }

  #given(given: Given, path: Path): void {
    for (const name of Object.keys(given.contacts ?? {})) this.#names.contacts.add(name);
    for (const [name, { branch }] of Object.entries(given.resources ?? {}))
      this.#branch(branch, [...path, 'resources', name, 'branch']);
    for (const [name, { by, beside = [] }] of Object.entries(given.services ?? {})) {
      for (const [key, list] of [['by', by] as const, ['beside', beside] as const])
        for (const [index, one] of list.entries())
          this.#resource(one, [...path, 'services', name, key, index]);
    }
    for (const [key, name] of [
      ['appointments', 'book'],
      ['events', 'create-event'],
      ['rows', 'type-row'],
    ] as const)
      for (const [index, one] of (given[key] ?? []).entries())
        this.#step({ [name]: one } as Step, [...path, key, index], true);
  }

  #step(step: Step, path: Path, isGiven = false): void {
    for (const [name, value] of Object.entries(step) as [
      StepName,
      Record<string, unknown> | true | number,
    ][]) {
      if (typeof value !== 'object') continue;
      const at = isGiven ? path : [...path, name];
      const text = (key: string) => (typeof value[key] === 'string' ? value[key] : undefined);
      this.#service(text('service'), [...at, 'service']);
      this.#branch(text('branch'), [...at, 'branch']);
      this.#resource(text('with'), [...at, 'with']);
      for (const key of ['in', 'calendar']) this.#calendar(text(key), [...at, key]);
      if (name === 'hand-over-event') this.#calendar(text('to'), [...at, 'to']);
      this.#tab(text('tab'), [...at, 'tab']);
      for (const key of ['appointment', 'event', 'row']) this.#thing(text(key), [...at, key]);
      this.#contact(text('contact'), [...at, 'contact']);
      if (name === 'add-contact') this.#names.contacts.add(text('name') ?? '');
      if (name === 'type-row') this.#headers(text('tab') ?? '', value['cells'], [...at, 'cells']);
      const as = text('as');
      if (as === undefined) continue;
      if (this.#names.things.has(as))
        this.#say([...at, 'as'], 'is the name of something else already', 'choose another one');
      this.#names.things.set(as, name === 'book' ? 'appointment' : name === 'type-row' ? 'row' : 'event');
    }
  }

  #service(name: string | undefined, path: Path): void {
    this.#known(name, path, {
      known: this.#directory.services,
      noun: 'service',
      where: 'given.services',
    });
  }

  #branch(name: string | undefined, path: Path): void {
    this.#known(name, path, { known: this.#directory.branches, noun: 'branch', where: 'given.branches' });
  }

  #resource(name: string | undefined, path: Path): void {
    const known = this.#directory.resources.map((resource) => resource.name);
    this.#known(name, path, {
      known,
      noun: 'resource',
      where: 'given.resources, or to a mirror of the mapping',
    });
  }

  #contact(name: string | undefined, path: Path): void {
    this.#known(name, path, { known: [...this.#names.contacts], noun: 'contact', where: 'given.contacts' });
  }

  #thing(name: string | undefined, path: Path): void {
    const known = [...this.#names.things.keys()];
    if (path.at(-1) === 'row') known.push(...this.#names.contacts);
    this.#known(name, path, {
      known,
      noun: 'appointment, event or row that was named before',
      where: 'an earlier step, as: …',
    });
  }

  #calendar(name: string | undefined, path: Path): void {
    if (name === undefined) return;
    const found = calendarsNamed(this.#directory, name);
    if (found.length > 1) this.#say(path, 'has several calendars', `name one of them: ${found.join(', ')}`);
    if (found.length > 0) return;
    const known = [...this.#directory.calendarsOf.keys(), ...this.#directory.calendars];
    this.#known(name, path, { known, noun: 'calendar', where: 'a mirror of the mapping' });
  }

  #tab(name: string | undefined, path: Path): void {
    const tabs = this.#directory.tabs.map(({ tab }) => tab);
    this.#known(name, path, {
      known: tabs,
      noun: 'tab',
      where: 'a mirror or a booking sheet of the mapping',
    });
    if (name !== undefined && tabs.filter((tab) => tab === name).length > 1)
      this.#say(
        path,
        'is the name of tabs in several spreadsheets',
        'give the tabs of the mapping different names',
      );
  }

  /** A booking sheet has the columns of the mapping. The columns of other tabs are known only during the run. */
  #headers(tabName: string, cells: unknown, path: Path): void {
    const tab = this.#directory.tabs.find(({ tab }) => tab === tabName);
    if (tab?.headers === undefined || typeof cells !== 'object' || cells === null) return;
    for (const header of Object.keys(cells)) {
      if (tab.headers.includes(header)) continue;
      this.#problems.add([...path, header], this.#document.placeOfKey([...path, header]), {
        what: `is no column of the tab ${tabName}`,
        fix: `${didYouMean(header, tab.headers)}known here: ${tab.headers.join(', ')}`,
      });
    }
  }

  #known(
    name: string | undefined,
    path: Path,
    {
      known,
      noun,
      where,
    }: { readonly known: readonly string[]; readonly noun: string; readonly where: string },
  ): void {
    if (name === undefined || known.includes(name)) return;
    const those = known.length === 0 ? '' : `known here: ${[...new Set(known)].join(', ')}; `;
    this.#say(path, `names no ${noun}`, `${didYouMean(name, known)}${those}or add it to ${where}`);
  }

  #say(path: Path, what: string, fix: string): void {
    this.#problems.add(path, this.#document.placeOf(path), { what, fix });
  }
}
