import { parseSync } from 'oxc-parser'
import { featureOf } from './places.ts'
import { isObject, type SyntaxNode, visit } from './syntax.ts'

/** A table that a file of a feature writes. */
export interface Write {
  table: string
  /** Without its wing; `platform` for what stands there. */
  feature: string
  path: string
}

const SCHEMA = /^backend\/src\/platform\/db\/schema\/[^/]+\.ts$/
const WRITE = /^(?:insertInto|updateTable|deleteFrom|mergeInto|createResourceStore|createResourceRows)$/
const STATEMENT = /\b(?:insert\s+into|delete\s+from|update(?:\s+only)?|merge\s+into|truncate(?:\s+table)?)\s+"?([a-z_]+)\b/gi

/** The names of all tables: the keys of the `…Tables` of the schema. */
export function tablesOf(path: string, text: string): string[] {
  if (!SCHEMA.test(path)) return []
  const names: string[] = []
  walk(path, text, (node) => {
    if (node.type !== 'TSInterfaceDeclaration' || !String((node['id'] as SyntaxNode)['name']).endsWith('Tables')) return
    for (const member of (node['body'] as SyntaxNode)['body'] as SyntaxNode[]) {
      const key = member['key']
      if (isObject(key)) names.push(String(key['name'] ?? key['value']))
    }
  })
  return names
}

/**
 * The tables that a source of the backend writes, by Kysely or in the text of a statement. A file that computes the name of a table
 * that it writes counts as a writer of all tables in its lists. An archive restores every table and counts as a writer of none.
 */
export function writesOf(path: string, text: string, tables: ReadonlySet<string>): Write[] {
  const feature = path.startsWith('backend/src/platform/') ? 'platform' : featureOf(path)?.split('/').at(-1)
  if (feature === undefined || feature === 'archive' || SCHEMA.test(path)) return []
  const written = new Set<string>()
  const named = new Set<string>()
  let isComputed = false
  walk(path, text, (node, parent) => {
    if (node.type === 'CallExpression' && WRITE.test(calledName(node))) isComputed ||= literal(firstArgument(node)) === undefined
    if (node.type === 'Literal' && typeof node['value'] === 'string') {
      const value = node['value']
      const verb = parent?.type === 'CallExpression' ? calledName(parent) : ''
      if (tables.has(value) && WRITE.test(verb)) written.add(value)
      for (const table of inStatement(value)) written.add(table)
    }
    for (const element of listOf(node)) named.add(element)
    if (node.type === 'TemplateLiteral') {
      // A mark in place of each computed part, which is a name where a statement wants one.
      const statement = (node['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('?')
      isComputed ||= /\b(?:insert\s+into|delete\s+from|update|truncate)\s+"?\?/i.test(statement)
      for (const table of inStatement(statement)) written.add(table)
    }
  })
  const all = isComputed ? new Set([...written, ...named]) : written
  return [...all].filter((table) => tables.has(table)).map((table) => ({ table, feature, path }))
}

const inStatement = (text: string): string[] => [...text.matchAll(STATEMENT)].map(([, table = '']) => table)

export interface WriterFault {
  table: string
  path: string
  message: string
}

/**
 * Tables that several features write and the list does not excuse, and excuses that are not needed. `excused` has, for a table, its
 * writers apart from its owner.
 */
export function writerFaults(writes: readonly Write[], excused: Readonly<Record<string, readonly string[]>>): WriterFault[] {
  const writers = Map.groupBy(writes, ({ table }) => table)
  const several = [...writers].flatMap(([table, all]) => {
    const known = excused[table] ?? []
    const owners = new Set(all.map(({ feature }) => feature).filter((feature) => !known.includes(feature)))
    if (owners.size <= 1) return []
    const places = all.filter(({ feature }) => owners.has(feature)).map(({ path }) => path)
    const message = `${table} is written by ${[...owners].sort().join(' and ')} (${places.join(', ')}): a table has one feature that writes it. Call a function of its owner.`
    return [{ table, path: places[0] ?? '', message }]
  })
  const needless = Object.entries(excused).flatMap(([table, features]) => {
    const all = (writers.get(table) ?? []).map(({ feature }) => feature)
    return features
      .filter((feature) => !all.includes(feature) || all.every((one) => one === feature))
      .map((feature) => ({
        table,
        path: 'scripts/imports/writers.ts',
        message: `${feature} is no further writer of ${table}: take it off the list.`,
      }))
  })
  return [...several, ...needless]
}

function walk(path: string, text: string, seen: (node: SyntaxNode, parent: SyntaxNode | undefined) => void): void {
  visit(parseSync(path, text).program as unknown as SyntaxNode, seen)
}

/** The texts of a list that has a name or is walked through: `const TABLES = ['a', 'b'] as const`. */
function listOf(node: SyntaxNode): string[] {
  const value = node.type === 'VariableDeclarator' ? node['init'] : node.type === 'ForOfStatement' ? node['right'] : undefined
  const list = isObject(value) && value.type === 'TSAsExpression' ? value['expression'] : value
  if (!isObject(list) || list.type !== 'ArrayExpression') return []
  return (list['elements'] as unknown[]).flatMap((element) => literal(element) ?? [])
}

/** The method or function that a call names: `insertInto` of `db.insertInto('a')`. */
function calledName(call: SyntaxNode): string {
  const callee = call['callee']
  if (!isObject(callee)) return ''
  const name = callee.type === 'MemberExpression' ? callee['property'] : callee
  return isObject(name) && typeof name['name'] === 'string' ? name['name'] : ''
}

const firstArgument = (call: SyntaxNode): unknown => (call['arguments'] as unknown[])[0]

const literal = (node: unknown): string | undefined =>
  isObject(node) && node.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : undefined
