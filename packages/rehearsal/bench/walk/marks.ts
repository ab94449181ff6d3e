// Puts a mark at the beginning of every function of the worker, so that a walk can say what one change really ran.
import type { Plugin } from 'vite';

/** A node of the syntax tree, as far as marks need it. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Text to insert at an offset of the compiled code. */
interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** The global that every marked function calls with `<file>#<function>`. */
export const MARK = '__walked';

/** Counts are told every two seconds, whatever the change: whether one falls into its walk is chance. */
const BY_CHANCE =
  /^src\/operate\/process-reports\.ts#flush$|^src\/engine\/key-space\.ts#(?:pace|mirrorPace)$/;

/** A Vite plugin that marks the functions below `src/` of the folder `root`. */
export function marks(root: string): Plugin {
  return {
    name: 'marks',
    enforce: 'post',
    transform(code, id) {
      const [path = ''] = id.split('?');
      const file = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : '';
      if (!/^src\/.*\.ts$/.test(file)) return undefined;
      const insertions = insertionsIn(this.parse(code) as unknown as Node, file);
      return { code: withInsertions(code, insertions), map: null };
    },
  };
}

function insertionsIn(program: Node, file: string): Insertion[] {
  const insertions: Insertion[] = [];
  descend(program, { name: '', isConstructor: false });
  return insertions;

  function descend(node: Node, around: { readonly name: string; readonly isConstructor: boolean }): void {
    const name = nameOf(node) ?? around.name;
    if (!around.isConstructor && !BY_CHANCE.test(`${file}#${name}`))
      insertions.push(...marksOf(node, `globalThis.${MARK}?.(${JSON.stringify(`${file}#${name}`)})`));
    const isConstructor = node.type === 'MethodDefinition' && node['kind'] === 'constructor';
    for (const child of childrenOf(node)) descend(child, { name, isConstructor });
  }
}

/** A constructor's mark could stand before `super()`, so constructors have none. */
function marksOf(node: Node, mark: string): Insertion[] {
  if (!/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return [];
  const body = node['body'];
  if (!isNode(body)) return [];
  if (body.type === 'BlockStatement') return [{ at: body.start + 1, text: `${mark};` }];
  return [
    { at: body.start, text: `(${mark},` },
    { at: body.end, text: ')' },
  ];
}

function nameOf(node: Node): string | undefined {
  const named = /^(?:FunctionDeclaration|ClassDeclaration|VariableDeclarator)$/.test(node.type)
    ? node['id']
    : /^(?:MethodDefinition|PropertyDefinition|Property)$/.test(node.type)
      ? node['key']
      : undefined;
  if (!isNode(named)) return undefined;
  const name = named['name'] ?? named['value'];
  return typeof name === 'string' ? name : undefined;
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** At one offset, a later insertion ends an inner body and stands first. */
function withInsertions(code: string, insertions: readonly Insertion[]): string {
  const sorted = insertions
    .map((each, order) => ({ ...each, order }))
    .sort((a, b) => a.at - b.at || closesFirst(a, b));
  let from = 0;
  const parts: string[] = [];
  for (const { at, text } of sorted) {
    parts.push(code.slice(from, at), text);
    from = at;
  }
  return [...parts, code.slice(from)].join('');
}

function closesFirst(
  a: Insertion & { readonly order: number },
  b: Insertion & { readonly order: number },
): number {
  const closes = (each: Insertion) => (each.text === ')' ? 0 : 1);
  return closes(a) - closes(b) || a.order - b.order;
}
