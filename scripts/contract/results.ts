import { relative, sep } from 'node:path'
import type { SourceTest } from './sources.ts'
import { idsOf } from './titles.ts'

export interface TestResult {
  /** From the root of the repository. */
  file: string
  title: string
  ids: string[]
  state: 'passed' | 'failed' | 'skipped'
}

export interface RunResult {
  tests: TestResult[]
  /** Files that did not load or whose hooks failed. */
  broken: { file: string }[]
}

/** The ids whose test failed, or whose file did not load; `sources` name those of the latter. */
export function redIds({ tests, broken }: RunResult, sources: readonly SourceTest[]): string[] {
  const files = new Set(broken.map(({ file }) => file))
  const red = [...tests.filter(({ state }) => state === 'failed'), ...sources.filter(({ file }) => files.has(file))]
  return [...new Set(red.flatMap(({ ids }) => ids))]
}

/** The part of vitest's JSON report that is read here. */
interface JsonReport {
  testResults: {
    name: string
    status: string
    assertionResults: { ancestorTitles: string[]; title: string; status: string }[]
  }[]
}

/** The result of a run, from vitest's JSON report. */
export function readResults(root: string, report: JsonReport): RunResult {
  const fileOf = (name: string) => relative(root, name).split(sep).join('/')
  const tests = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title, status }): TestResult => {
      const titles = [...ancestorTitles, title]
      const state = status === 'passed' || status === 'failed' ? status : 'skipped'
      return { file: fileOf(name), title: titles.join(' > '), ids: [...new Set(titles.flatMap(idsOf))], state }
    }),
  )
  const isBroken = ({ status, assertionResults }: JsonReport['testResults'][number]) =>
    status === 'failed' && !assertionResults.some((test) => test.status === 'failed')
  const broken = report.testResults.filter(isBroken).map(({ name }) => ({ file: fileOf(name) }))
  return { tests, broken }
}
