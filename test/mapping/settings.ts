/** As much of a JSON Schema as the tests look into. */
export interface SchemaNode {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | false;
  readonly oneOf?: readonly SchemaNode[];
}

export interface Setting {
  /** `mirrors.*.sheet.tab`: a star for a name of the operator's choice. */
  readonly path: string;
  readonly node: SchemaNode;
}

/** Every setting of the schema, groups included. */
export function settingsOf(node: SchemaNode, path = ''): Setting[] {
  const below = (name: string, child: SchemaNode): Setting[] => {
    const own = path === '' ? name : `${path}.${name}`;
    return [...(name === '*' ? [] : [{ path: own, node: child }]), ...settingsOf(child, own)];
  };
  return [
    ...Object.entries(node.properties ?? {}).flatMap(([name, child]) => below(name, child)),
    ...(node.additionalProperties ? below('*', node.additionalProperties) : []),
    ...(node.oneOf ?? []).flatMap((member) => settingsOf(member, path)),
  ];
}
