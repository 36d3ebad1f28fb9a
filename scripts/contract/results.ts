import { relative, sep } from 'node:path'
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
  broken: { file: string; message: string }[]
  /** False as well for an error outside of any test. */
  isSuccess: boolean
}

/** The part of vitest's JSON report that is read here. */
interface JsonReport {
  success: boolean
  testResults: {
    name: string
    status: string
    message: string
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
  const broken = report.testResults.filter(isBroken).map(({ name, message }) => ({ file: fileOf(name), message }))
  return { tests, broken, isSuccess: report.success }
}
