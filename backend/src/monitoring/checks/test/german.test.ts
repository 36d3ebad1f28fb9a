import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { CHECK_TYPES, checkKindSpec } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { translate, translatePart } from '../../../platform/language/index.ts'
import { evaluateAssertions } from '../evaluation/index.ts'

const MONITORING = join(import.meta.dirname, '../..')

/** The code whose texts are messages of single checks. */
const SOURCES = ['checks/{probe,evaluation,status}/**/*.ts', 'heartbeats/{ingest,state}.ts']
/** Texts that no message has: of protocols, of programs, and why a definition is refused. */
const OTHERS = [
  /\.test\.ts$|\/test\/|store\.ts$/,
  /probe\/kinds\/dns\/(?:name|record)\.ts$/, // thrown, and replaced by one message
  /probe\/kinds\/domain\/rdap-servers\.ts$/,
  /probe\/kinds\/icmp\/examine\.ts$/, // for vedette probe check
  /probe\/(?:worker|http\/request)\.ts$/,
]
const OTHER_TEXTS = [
  /^(?:set session |start transaction |begin transaction )/, // SQL
  /^(?:Connection|Upgrade): /,
  /^not an address range: /, // of a setting
  /^all patterns together /,
  /^(?:registered until 12|12, 12? answers?|12: 12, 12 ms|exit code 12)$/, // of an answer
  /^a ping could not be stored$/, // of the log
  /\(\?:|^renewal/, // patterns for WHOIS
  /^(?:12 unknown|the pattern 12|the path 12|JSON path 12 12)$/, // begun here, and complete in others
]
/** Faults of patterns and paths, which follow these words. */
const CONTINUED: readonly [RegExp, string][] = [
  [/^is (?:too large|not a regular)/, 'the pattern '],
  [/^is not an RFC/, 'the path '],
  [/^not (?:evaluated|found)|^is \d+$/, 'JSON path x '],
  [/^a list of|^an object/, 'JSON path x is '],
]

interface Syntax {
  type: string
  start: number
  [field: string]: unknown
}
const isSyntax = (value: unknown): value is Syntax => typeof value === 'object' && value !== null && 'type' in value
const childrenOf = (node: Syntax): Syntax[] => Object.values(node).flat().filter(isSyntax)

/** What an expression can be as text: of an unknown value `12`, of a choice all of it. */
function textsOf(node: Syntax, known: ReadonlyMap<string, Syntax>, depth = 0): string[] {
  const inner = (one: unknown) => (isSyntax(one) && depth < 5 ? textsOf(one, known, depth + 1) : ['12'])
  const { type } = node
  if (type === 'Literal') return [typeof node['value'] === 'string' ? node['value'] : '12']
  if (type === 'ConditionalExpression') return [...inner(node['consequent']), ...inner(node['alternate'])]
  if (type === 'LogicalExpression') return [...inner(node['left']), ...inner(node['right'])]
  if (type === 'Identifier') return inner(known.get(node['name'] as string))
  if (type === 'CallExpression') return inner(known.get((node['callee'] as Syntax)['name'] as string))
  if (type === 'ArrowFunctionExpression') return inner(node['body'])
  if (type !== 'TemplateLiteral') return ['12']
  const quasis = (node['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked)
  const expressions = node['expressions'] as Syntax[]
  return expressions.reduce<string[]>(
    (texts, expression, index) => texts.flatMap((text) => inner(expression).map((one) => `${text}${one}${quasis[index + 1]}`)),
    [quasis[0] ?? ''],
  )
}

/** Every text of a source that is no part of another. */
function messagesIn(path: string): string[] {
  const known = new Map<string, Syntax>()
  const texts: string[] = []
  const walk = (node: Syntax, act: (node: Syntax) => boolean) => {
    if (act(node)) for (const child of childrenOf(node)) walk(child, act)
  }
  const program = parseSync(path, readFileSync(path, 'utf8')).program as unknown as Syntax
  walk(program, (node) => {
    if (node.type === 'VariableDeclarator' && isSyntax(node['init']))
      known.set((node['id'] as Syntax)['name'] as string, node['init'])
    return true
  })
  walk(program, (node) => {
    if (node.type !== 'Literal' && node.type !== 'TemplateLiteral') return true
    texts.push(...textsOf(node, known))
    return false
  })
  return texts
}

const sources = globSync(SOURCES, { cwd: MONITORING }).filter((path) => !OTHERS.some((other) => other.test(`/${path}`)))
const messages = new Set(
  sources
    .flatMap((path) => messagesIn(join(MONITORING, path)))
    // Sentences begin with a letter or a value, and have words.
    .filter((text) => /^[\w"']/.test(text) && /\s[a-z]{2,}/.test(text) && !OTHER_TEXTS.some((other) => other.test(text))),
)

const ENGLISH = /\b(?:the|is|are|has|have|of|with|and|not|for|below|above|expected|that|no|failed|closed|sent|to)\b/

describe('what a single check says has a German sentence', () => {
  it('finds the messages in the code', () => expect(messages.size).toBeGreaterThan(200))

  it.each([...messages])('%s', (text) => {
    const before = CONTINUED.find(([begin]) => begin.test(text))?.[1] ?? ''
    const german = translatePart(`${before}${text}`, 'de')
    expect(german).not.toBe(`${before}${text}`)
    expect(german).not.toMatch(ENGLISH)
  })

  const facts = Object.keys(CHECK_TYPES).flatMap((kind) =>
    Object.entries(checkKindSpec(kind)?.facts ?? {}).flatMap(([type, { operators }]) =>
      operators.map((operator) => [kind, type, operator] as const),
    ),
  )
  it.each(facts)('%s: %s %s', (_kind, type, operator) => {
    const wanted = operator === 'less_than' || operator === 'greater_than' ? 5 : 'qx'
    for (const actual of [undefined, 'qx', 'other', 5]) {
      const seen = { statusCode: null, responseMs: 1, certificateDaysLeft: null, headers: new Map(), text: () => '' }
      const observation = { ...seen, facts: actual === undefined ? {} : { [type]: actual } }
      const { error } = evaluateAssertions(observation, [{ type, operator, value: wanted }])
      if (error) expect(translate(error.message, 'de')).toMatch(/^(?!.*\b(?:unknown|expected|not|to)\b).*\(erwartet /)
    }
  })
})
