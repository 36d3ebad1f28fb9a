import { readFileSync } from 'node:fs'
import { parseSync } from 'oxc-parser'

interface Syntax {
  type: string
  start: number
  [field: string]: unknown
}
const isSyntax = (value: unknown): value is Syntax => typeof value === 'object' && value !== null && 'type' in value
const childrenOf = (node: Syntax): Syntax[] => Object.values(node).flat().filter(isSyntax)

/** What an expression can be as text: of an unknown value `12`, of a choice all of it. */
function textsOf(node: Syntax, known: ReadonlyMap<string, Syntax>, depth = 0): string[] {
  const inner = (one: unknown) => (isSyntax(one) && depth < 10 ? textsOf(one, known, depth + 1) : ['12'])
  const { type } = node
  if (type === 'Literal') return [typeof node['value'] === 'string' ? node['value'] : '12']
  if (type === 'ConditionalExpression') return [...inner(node['consequent']), ...inner(node['alternate'])]
  if (type === 'LogicalExpression')
    return [...inner(node['left']).filter((text) => text !== '' || node['operator'] !== '||'), ...inner(node['right'])]
  if (type === 'Identifier') return inner(known.get(node['name'] as string))
  if (type === 'CallExpression') return inner(known.get((node['callee'] as Syntax)['name'] as string))
  if (type === 'ArrowFunctionExpression') return inner(node['body'])
  if (type === 'FunctionDeclaration') return returnsOf(node).flatMap(inner)
  if (type !== 'TemplateLiteral') return ['12']
  const quasis = (node['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked)
  const expressions = node['expressions'] as Syntax[]
  return expressions.reduce<string[]>(
    (texts, expression, index) => texts.flatMap((text) => inner(expression).map((one) => `${text}${one}${quasis[index + 1]}`)),
    [quasis[0] ?? ''],
  )
}

/** What a function returns, where it has no function within. */
const returnsOf = (node: Syntax): Syntax[] =>
  childrenOf(node).flatMap((child) => (child.type === 'ReturnStatement' ? childrenOf(child) : returnsOf(child)))

/** Every text of a source file that is no part of another, with each choice within it; a value that the file does not say is `12`. */
export function textsIn(path: string): string[] {
  const known = new Map<string, Syntax>()
  const texts: string[] = []
  const walk = (node: Syntax, act: (node: Syntax) => boolean) => {
    if (act(node)) for (const child of childrenOf(node)) walk(child, act)
  }
  const program = parseSync(path, readFileSync(path, 'utf8')).program as unknown as Syntax
  walk(program, (node) => {
    if (node.type === 'VariableDeclarator' && isSyntax(node['init']))
      known.set((node['id'] as Syntax)['name'] as string, node['init'])
    if (node.type === 'FunctionDeclaration') known.set((node['id'] as Syntax)['name'] as string, node)
    return true
  })
  walk(program, (node) => {
    if (node.type === 'ImportDeclaration') return false
    if (node.type !== 'Literal' && node.type !== 'TemplateLiteral') return true
    texts.push(...textsOf(node, known))
    return false
  })
  return texts
}
