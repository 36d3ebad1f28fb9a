import { parseSync } from 'oxc-parser'
import { isObject, type SyntaxNode, visit } from './syntax.ts'

type ImportForm = 'static' | 'type-only' | 'dynamic' | 're-export' | 'import type' | 'import =' | 'require'

/** One way a file reaches another module. */
export interface ImportUse {
  form: ImportForm
  /** Undefined when it is computed, so that nobody can say what it reaches. */
  specifier: string | undefined
  /** Names as the other module calls them; `*` for the whole of it. */
  names: string[]
  line: number
}

/** A global that reads the environment, the clock or chance, as a dotted name: `process.env`, `Date.now`, `new Date()`. */
export interface GlobalUse {
  name: string
  line: number
}

export interface ScannedFile {
  /** Relative to the repository, with `/`. */
  path: string
  imports: ImportUse[]
  uses: GlobalUse[]
  /** The first syntax error: nothing can be said about such a file. */
  fault: string | undefined
}

const WATCHED = new Set(['process', 'Date', 'Math', 'performance', 'crypto', 'setTimeout', 'setInterval', 'setImmediate'])
const GLOBAL_OBJECTS = new Set(['globalThis', 'global'])
// Importing from these is the same as using the global.
const MODULE_OF_GLOBAL: Record<string, string> = { process: 'process', crypto: 'crypto', perf_hooks: 'performance' }

/** Everything of one source file that a rule may ask about. Local names that hide a global are not counted as its use. */
export function scanSource(path: string, text: string): ScannedFile {
  const parsed = parseSync(path, text)
  const imports: ImportUse[] = []
  const uses: GlobalUse[] = []
  const lineOf = (node: SyntaxNode) => text.slice(0, node.start).split('\n').length

  const root = parsed.program as unknown as SyntaxNode // the parser's union of 200 node types says no more to a walk by name
  const { hidden, aliases } = bindingsOf(root)
  visit(root, (node, parent, key) => {
    const found = importOf(node)
    if (found) {
      const use = { ...found, line: lineOf(node) }
      imports.push(use)
      for (const name of globalsOf(use)) uses.push({ name, line: use.line })
    }
    for (const name of namesUsed(node, parent, key, hidden, aliases)) uses.push({ name, line: lineOf(node) })
  })
  const fault = parsed.errors[0]?.message
  return { path, imports, uses, fault }
}

function importOf(node: SyntaxNode): Omit<ImportUse, 'line'> | undefined {
  const specifier = literal(node['source'])
  switch (node.type) {
    case 'ImportDeclaration':
      return { form: isTypeOnly(node, 'importKind') ? 'type-only' : 'static', specifier, names: specifierNames(node) }
    case 'ExportAllDeclaration':
      return { form: 're-export', specifier, names: ['*'] }
    case 'ExportNamedDeclaration':
      return node['source'] ? { form: 're-export', specifier, names: specifierNames(node) } : undefined
    case 'ImportExpression':
      return { form: 'dynamic', specifier, names: ['*'] }
    case 'TSImportType':
      return { form: 'import type', specifier, names: [firstName(node['qualifier']) ?? '*'] }
    case 'TSExternalModuleReference':
      return { form: 'import =', specifier: literal(node['expression']), names: ['*'] }
    case 'CallExpression':
      return resolvesModule(node['callee'])
        ? { form: 'require', specifier: literal((node['arguments'] as unknown[])[0]), names: ['*'] }
        : undefined
    default:
      return undefined
  }
}

/** `require(…)`, `require.resolve(…)`, `import.meta.resolve(…)`, `process.getBuiltinModule(…)`. */
function resolvesModule(callee: unknown): boolean {
  const chain = chainOf(callee)
  return (
    chain !== undefined && /^(?:require(?:\.resolve)?|import\.meta\.resolve|process\.getBuiltinModule)$/.test(chain.join('.'))
  )
}

function isTypeOnly(node: SyntaxNode, field: string): boolean {
  const specifiers = (node['specifiers'] ?? []) as SyntaxNode[]
  return node[field] === 'type' || (specifiers.length > 0 && specifiers.every((specifier) => specifier[field] === 'type'))
}

function specifierNames(node: SyntaxNode): string[] {
  const specifiers = (node['specifiers'] ?? []) as SyntaxNode[]
  return specifiers.map((specifier) => {
    if (specifier.type === 'ImportDefaultSpecifier') return 'default'
    if (specifier.type === 'ImportNamespaceSpecifier') return '*'
    const name = (node.type === 'ImportDeclaration' ? specifier['imported'] : specifier['local']) as SyntaxNode
    return String(name['name'] ?? name['value'])
  })
}

const isWhole = (name: string) => name === 'default' || name === '*'

/** `import { env } from 'node:process'` uses `process.env`; timers are named as the global is. */
function globalsOf({ form, specifier, names }: ImportUse): string[] {
  const module = specifier?.replace(/^node:/, '') ?? ''
  if (module === 'timers' || module === 'timers/promises') return names.map((name) => (isWhole(name) ? 'setTimeout' : name))
  const global = MODULE_OF_GLOBAL[module]
  if (!global) return []
  // What a whole module is bound to is followed for `import x`, and not where it is a value of an expression.
  if (form !== 'static' && form !== 'type-only' && names.includes('*')) return [`${global}.*`]
  return names.filter((name) => !isWhole(name)).map((name) => `${global}.${name}`)
}

interface Bindings {
  /** Globals' names that the file declares itself. */
  hidden: Set<string>
  /** Other names of a global: `import p from 'node:process'`. */
  aliases: Map<string, string>
}

function bindingsOf(root: SyntaxNode): Bindings {
  const hidden = new Set<string>()
  const aliases = new Map<string, string>()
  visit(root, (node, parent, key) => {
    if (node.type === 'ImportDefaultSpecifier' || node.type === 'ImportNamespaceSpecifier' || node.type === 'ImportSpecifier') {
      const global = MODULE_OF_GLOBAL[literal(parent?.['source'])?.replace(/^node:/, '') ?? '']
      const local = String((node['local'] as SyntaxNode)['name'])
      if (global && node.type !== 'ImportSpecifier') aliases.set(local, global)
      else if (local !== global) hidden.add(local)
    } else if (node.type === 'VariableDeclarator' && parent?.['declare'] !== true) patternNames(node['id'], hidden)
    else if (key === 'params') patternNames(node, hidden)
    else if (node.type === 'FunctionDeclaration' && isObject(node['id'])) patternNames(node['id'], hidden)
  })
  return { hidden, aliases }
}

function patternNames(pattern: unknown, names: Set<string>): void {
  if (!isObject(pattern)) return
  if (pattern.type === 'Identifier') names.add(String(pattern['name']))
  else if (pattern.type === 'Property') patternNames(pattern['value'], names)
  else
    for (const inner of Object.values(pattern)) for (const one of Array.isArray(inner) ? inner : [inner]) patternNames(one, names)
}

/** The watched globals that this node uses by itself; parts of a longer chain are reported once, by the whole chain. */
function namesUsed(
  node: SyntaxNode,
  parent: SyntaxNode | undefined,
  key: string,
  hidden: Set<string>,
  aliases: Map<string, string>,
): string[] {
  if (parent?.type === 'MemberExpression' && key === 'object' && chainOf(parent)) return []
  if (isNameOnly(node, parent, key)) return []
  const chain = chainOf(node)
  if (!chain) return []
  const isGlobalObject = GLOBAL_OBJECTS.has(chain[0] ?? '') && !hidden.has(chain[0] ?? '')
  const path = isGlobalObject ? chain.slice(1) : chain
  const head = aliases.get(path[0] ?? '') ?? path[0]
  const keys = destructuredKeys(parent, key)
  if (isGlobalObject && path.length === 0) return keys.filter((name) => WATCHED.has(name))
  if (head === undefined || !WATCHED.has(head) || (!isGlobalObject && hidden.has(path[0] ?? ''))) return []
  const name = [head, ...path.slice(1, 2)].join('.')
  if (keys.length > 0) return keys.map((one) => `${name}.${one}`)
  if (name === 'Date') return datesUsed(parent, key)
  return [name]
}

/** `new Date()` and `Date()` ask the clock, `new Date(0)` and `instanceof Date` do not. */
function datesUsed(parent: SyntaxNode | undefined, key: string): string[] {
  if (key !== 'callee' || !parent) return []
  if (parent.type === 'CallExpression') return ['new Date()']
  return parent.type === 'NewExpression' && (parent['arguments'] as unknown[]).length === 0 ? ['new Date()'] : []
}

/** Identifiers that name something else than a variable: `{ process: 1 }`, `x.process`, `typeof process` as a type. */
function isNameOnly(node: SyntaxNode, parent: SyntaxNode | undefined, key: string): boolean {
  if (node.type !== 'Identifier' || !parent) return false
  if (/^(?:TS(?:TypeQuery|QualifiedName|TypeReference)|Import|Export)/.test(parent.type) && parent.type !== 'ImportExpression')
    return true
  if (key === 'id' || key === 'params' || key === 'label') return true
  return (key === 'property' || key === 'key') && parent['computed'] !== true
}

/** The keys taken in `const { env } = process`. */
function destructuredKeys(parent: SyntaxNode | undefined, key: string): string[] {
  const pattern =
    parent?.type === 'VariableDeclarator' && key === 'init' ? parent['id'] : key === 'right' ? parent?.['left'] : undefined
  if (!isObject(pattern) || pattern.type !== 'ObjectPattern') return []
  const properties = pattern['properties'] as SyntaxNode[]
  return properties.map((property) =>
    isObject(property['key']) ? String(property['key']['name'] ?? property['key']['value']) : '*',
  )
}

/** `globalThis.process['env']` as a list of names; undefined for anything that is not such a chain. */
function chainOf(node: unknown): string[] | undefined {
  if (!isObject(node)) return undefined
  if (node.type === 'Identifier') return [String(node['name'])]
  if (node.type === 'MetaProperty') return ['import', 'meta']
  if (
    node.type === 'ParenthesizedExpression' ||
    node.type === 'TSNonNullExpression' ||
    node.type === 'TSAsExpression' ||
    node.type === 'ChainExpression'
  )
    return chainOf(node['expression'])
  if (node.type !== 'MemberExpression') return undefined
  const property = node['property'] as SyntaxNode
  const name = node['computed'] === true ? literal(property) : String(property['name'])
  const before = chainOf(node['object'])
  return before && name !== undefined ? [...before, name] : undefined
}

function firstName(qualifier: unknown): string | undefined {
  if (!isObject(qualifier)) return undefined
  return qualifier.type === 'Identifier' ? String(qualifier['name']) : firstName(qualifier['left'])
}

function literal(node: unknown): string | undefined {
  if (!isObject(node)) return undefined
  if (node.type === 'Literal') return String(node['value'])
  if (node.type !== 'TemplateLiteral' || (node['expressions'] as unknown[]).length > 0) return undefined
  return (node['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('')
}
