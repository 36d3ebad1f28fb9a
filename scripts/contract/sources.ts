import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { parseSync } from 'oxc-parser'
import { isObject, type SyntaxNode } from '../imports/syntax.ts'
import { idsOf, isMistagged } from './titles.ts'

/** A test in a source file; a table of cases counts as one. */
export interface SourceTest {
  /** From the root of the repository. */
  file: string
  /** From the outermost block to the test itself. */
  titles: string[]
  /** Of the test and of the blocks around it. */
  ids: string[]
}

const TESTS = '{agent,backend,bench,dashboard,scripts,shared,installers}/**/*.test.ts'

/** With more, a red test does not say which promise is broken. */
const MAX_IDS = 3

/** Every test of the repository, from the sources. */
export function scanTests(root: string): SourceTest[] {
  const files = globSync(TESTS, { cwd: root, exclude: ['**/node_modules/**'] })
    .map((file) => file.split(sep).join('/'))
    .sort()
  return files.flatMap((file) => testsIn(file, readFileSync(join(root, file), 'utf8')))
}

/** The tests of one file. Of a computed title only the last literal piece is known, which is where the ids are. */
export function testsIn(file: string, text: string): SourceTest[] {
  const found: SourceTest[] = []
  const walk = (node: SyntaxNode, titles: string[]) => {
    const title = titleOf(node)
    const inner = title === undefined ? titles : [...titles, title]
    if (title !== undefined && rootOf(node['callee']) !== 'describe')
      found.push({ file, titles: inner, ids: [...new Set(inner.flatMap(idsOf))] })
    for (const value of Object.values(node).flat()) if (isObject(value)) walk(value, inner)
  }
  walk(parseSync(file, text).program as unknown as SyntaxNode, [])
  return found
}

/** Titles whose ids are malformed. */
export function mistagged(tests: readonly SourceTest[]): string[] {
  return [...new Set(tests.flatMap(({ file, titles }) => titles.filter(isMistagged).map((title) => `${file}: ${title}`)))]
}

/** Tests of more requirements than one test should assert; the ids of the blocks around it count too. */
export function overloaded(tests: readonly SourceTest[]): string[] {
  return tests.filter(({ ids }) => ids.length > MAX_IDS).map(({ file, titles }) => `${file}: ${titles.at(-1)}`)
}

/** The title of a call of `describe`, `it` or `test`, also through `.each(…)`, `.skipIf(…)` and the like. */
function titleOf(node: SyntaxNode): string | undefined {
  if (node.type !== 'CallExpression' || !['describe', 'it', 'test'].includes(rootOf(node['callee']) ?? '')) return undefined
  const [first] = node['arguments'] as unknown[]
  if (!isObject(first)) return undefined
  if (first.type === 'Literal') return typeof first['value'] === 'string' ? first['value'] : undefined
  if (first.type !== 'TemplateLiteral') return undefined
  const last = (first['quasis'] as { value: { cooked: string } }[]).at(-1)
  return last?.value.cooked
}

/** The first name of a chain of members and calls. */
function rootOf(callee: unknown): string | undefined {
  if (!isObject(callee)) return undefined
  if (callee.type === 'Identifier') return callee['name'] as string
  return rootOf(callee.type === 'MemberExpression' ? callee['object'] : callee['callee'])
}
