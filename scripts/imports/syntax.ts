/** A node of the syntax tree, by name: the rules need about ten of the parser's node types. */
export interface SyntaxNode {
  type: string
  start: number
  [field: string]: unknown
}

export function isObject(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value
}

/** Calls `seen` for every node, outer before inner, with the field of the parent it stands in. */
export function visit(
  node: SyntaxNode,
  seen: (node: SyntaxNode, parent: SyntaxNode | undefined, key: string) => void,
  parent?: SyntaxNode,
  key = '',
): void {
  seen(node, parent, key)
  for (const [field, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isObject(child)) visit(child, seen, node, field)
  }
}
