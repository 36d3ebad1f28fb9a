import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { evaluateRequirements, type State, unknownIds, untested } from '../evaluate.ts'
import { exitCodeOf, reportOf } from '../report.ts'
import { parseRequirements } from '../requirements.ts'
import { readResults, type RunResult, type TestResult } from '../results.ts'
import { mistagged, overloaded, scanTests, testsIn } from '../sources.ts'
import { idsOf, isMistagged } from '../titles.ts'

const root = join(import.meta.dirname, '../../..')

describe('the contract of this repository', () => {
  const requirements = parseRequirements(readFileSync(join(root, 'docs/requirements.md'), 'utf8'))
  const tests = scanTests(root)

  test('reads, and is not small', () => {
    expect(requirements.length).toBeGreaterThan(500)
    expect(tests.length).toBeGreaterThan(600)
  })

  test('has a test for each line that must be held', () => expect(untested(requirements, tests)).toEqual([]))

  test('has a line for each id that a test names', () => {
    expect(unknownIds(requirements, tests)).toEqual([])
    expect(mistagged(tests)).toEqual([])
  })

  test('has at most three lines for each test: split it, or drop the ids that another test asserts', () =>
    expect(overloaded(tests)).toEqual([]))
})

describe('the document', () => {
  const TABLE = '| id | demand | opens with |\n| --- | --- | --- |\n'

  test('gives its lines, in any padding', () => {
    expect(
      parseRequirements(`# A\n\n${TABLE}| AA-01 | One thing. | |\n| AB-123  |  Another \`x\`. | agent |\n\nwords\n`),
    ).toEqual([
      { id: 'AA-01', demand: 'One thing.', opensWith: undefined },
      { id: 'AB-123', demand: 'Another `x`.', opensWith: 'agent' },
    ])
  })

  test.each([
    ['| AA-1 | Too few digits. | |', 'line 3 is malformed'],
    ['| aa-01 | Small letters. | |', 'line 3 is malformed'],
    ['| AA-01 | | |', 'line 3 is malformed'],
    ['| AA-01 | One cell too many. | | |', 'line 3 is malformed'],
    ['| AA-01 | Some day. | later |', 'line 3: there is no part "later"'],
    ['| AA-01 | One. | |\n| AA-01 | Two. | |', 'line 4: AA-01 is a duplicate'],
  ])('is refused with %j', (line, why) => expect(() => parseRequirements(TABLE + line)).toThrow(why))
})

describe('a title', () => {
  test.each([
    ['the old token is refused at once [SERVER-11]', ['SERVER-11']],
    ['a table of %s [AA-01, AB-123]', ['AA-01', 'AB-123']],
    ['nothing', []],
    ['[AA-01] in front', []],
    ['%j is refused', []],
  ])('%j names %j', (title, ids) => expect(idsOf(title)).toEqual(ids))

  test.each(['in front [AA-01] of more', 'small [server-11]', 'one digit [SERVER-1]', 'no comma [AB-01 AB-02]'])(
    '%j is not what was meant',
    (title) => expect(isMistagged(title)).toBe(true),
  )

  test.each(['fine [AA-01]', 'an array [1, 2]', 'a range [0-9]', 'x[a-z]'])('%j is as it was meant', (title) =>
    expect(isMistagged(title)).toBe(false),
  )
})

describe('a source', () => {
  const idsIn = (text: string) => testsIn('a.test.ts', text).map(({ titles, ids }) => [titles.join(' > '), ids.join()])

  test('lists tests with the ids that they inherit', () => {
    expect(
      idsIn(`
        describe('outer [AA-01]', { timeout: 1 }, () => {
          it('one [AA-02]', () => {})
          describe.each([1])('inner %i', () => test.skipIf(x)('two [AA-03, AA-01]', async () => { expect(1).toBe(1) }))
        })
        test.each([['x', 'y [BB-01]']])(\`three of \${x} [AA-04]\`, () => {})
        it.each(rows)('four', () => {})`),
    ).toEqual([
      ['outer [AA-01] > one [AA-02]', 'AA-01,AA-02'],
      ['outer [AA-01] > inner %i > two [AA-03, AA-01]', 'AA-01,AA-03'],
      [' [AA-04]', 'AA-04'],
      ['four', ''],
    ])
  })

  test('with four ids for one test, inherited ones included, is refused', () => {
    const text = `
      describe('outer [AA-01]', () => {
        test('three [AA-02, AA-03]', () => {})
        test('four [AA-02, AA-03, AA-04]', () => {})
      })`
    expect(overloaded(testsIn('a.test.ts', text))).toEqual(['a.test.ts: four [AA-02, AA-03, AA-04]'])
  })

  test('with a title of another kind has none', () =>
    expect(idsIn(`test(name, () => {}); other('x [AA-01]', () => {})`)).toEqual([]))
})

const resultOf = (id: string, state: TestResult['state']): TestResult => ({ file: 'f', title: `t [${id}]`, ids: [id], state })
const run = (tests: TestResult[], more: Partial<RunResult> = {}): RunResult => ({ tests, broken: [], isSuccess: true, ...more })
const line = (id: string, opensWith?: 'agent') => ({ id, demand: `Of ${id}.`, opensWith })

describe('a line', () => {
  test.each<[State, number, Parameters<typeof line>[1], TestResult['state'][]]>([
    ['held', 0, undefined, ['passed', 'skipped']],
    ['held', 0, 'agent', ['passed']],
    ['red', 1, undefined, ['passed', 'failed']],
    ['red', 1, 'agent', ['failed']],
    ['unproved', 1, undefined, ['skipped']],
    ['missing', 1, undefined, []],
    ['open', 0, 'agent', []],
    ['open', 0, 'agent', ['skipped']],
  ])('is %s, and the exit code %i, where it opens with %s and its tests are %j', (state, code, opensWith, states) => {
    const result = evaluateRequirements([line('AA-01', opensWith)], run(states.map((one) => resultOf('AA-01', one))), [])
    expect(result.lines.map(({ state }) => state)).toEqual([state])
    expect(exitCodeOf(result)).toBe(code)
    expect(reportOf(result)).toContain(`1 lines: 1 ${state}`)
  })

  test('is red where the file that holds it did not load', () => {
    const broken = [{ file: 'f.test.ts', message: 'no such module\n  at x' }]
    const source = { file: 'f.test.ts', titles: ['t [AA-01]'], ids: ['AA-01'] }
    const result = evaluateRequirements([line('AA-01')], run([], { broken, isSuccess: false }), [source])
    expect(result.lines[0]).toMatchObject({ state: 'red', tests: [{ file: 'f.test.ts', state: 'failed' }] })
    expect(result.faults).toEqual(['f.test.ts proves nothing: no such module'])
  })
})

test('an id that is no line, and a run that failed elsewhere, are faults', () => {
  const result = evaluateRequirements(
    [line('AA-01')],
    run([resultOf('AA-01', 'passed'), resultOf('BB-01', 'passed')], { isSuccess: false }),
    [],
  )
  expect(result.faults).toEqual(['f names BB-01: no line', 'the run failed outside of the tests of any requirement'])
  expect(exitCodeOf(result)).toBe(1)
})

test('the report of a run gives tests and files that prove nothing', () => {
  const one = { ancestorTitles: ['of [AA-01]'], title: 'one [AA-02]', status: 'passed' }
  const report = {
    success: false,
    testResults: [
      { name: '/r/a.test.ts', status: 'passed', message: '', assertionResults: [one, { ...one, status: 'todo' }] },
      { name: '/r/b.test.ts', status: 'failed', message: 'hook', assertionResults: [{ ...one, status: 'skipped' }] },
      { name: '/r/c.test.ts', status: 'failed', message: '', assertionResults: [{ ...one, status: 'failed' }] },
    ],
  }
  const { tests, broken } = readResults('/r', report)
  expect(tests.map(({ file, state }) => `${file} ${state}`)).toEqual([
    'a.test.ts passed',
    'a.test.ts skipped',
    'b.test.ts skipped',
    'c.test.ts failed',
  ])
  expect(tests[0]).toMatchObject({ title: 'of [AA-01] > one [AA-02]', ids: ['AA-01', 'AA-02'] })
  expect(broken).toEqual([{ file: 'b.test.ts', message: 'hook' }])
})
