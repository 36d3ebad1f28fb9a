import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseRequirements, readPrefixes, sentenceOf, unknownIds, untested, withGenerated } from '../requirements.ts'
import { readResults, redIds } from '../results.ts'
import { mistagged, overloaded, scanTests, testsIn } from '../sources.ts'
import { idsOf, isMistagged } from '../titles.ts'

const root = join(import.meta.dirname, '../../..')

describe('the contract of this repository', () => {
  const document = readFileSync(join(root, 'docs/requirements.md'), 'utf8')
  const requirements = parseRequirements(document)
  const tests = scanTests(root)

  test('reads, and is not small', () => {
    expect(requirements.length).toBeGreaterThan(900)
    expect(tests.length).toBeGreaterThan(600)
  })

  test('has what `node scripts/write-requirements.ts` writes', () =>
    expect(document).toBe(withGenerated(document, tests, readPrefixes(root))))

  test('has a test for each line', () => expect(untested(requirements, tests)).toEqual([]))

  test('has a line for each id that a test names', () => {
    expect(unknownIds(requirements, tests)).toEqual([])
    expect(mistagged(tests)).toEqual([])
  })

  test('has at most three lines for each test: split it, or drop the ids that another test asserts', () =>
    expect(overloaded(tests)).toEqual([]))
})

describe('the document', () => {
  const TABLE = '| id | demand |\n| --- | --- |\n'

  test('gives its lines, in any padding', () => {
    expect(
      parseRequirements(`# A\n\n${TABLE}| AA-01 | One thing. |\n| AB-123  |  Another \`x\`. | a.test.ts |\n\nwords\n`),
    ).toEqual([
      { id: 'AA-01', demand: 'One thing.' },
      { id: 'AB-123', demand: 'Another `x`.' },
    ])
  })

  test.each([
    ['| AA-1 | Too few digits. |', 'line 3 is malformed'],
    ['| aa-01 | Small letters. |', 'line 3 is malformed'],
    ['| AA-01 | |', 'line 3 is malformed'],
    ['| AA-01 | One cell too many. | a | b |', 'line 3 is malformed'],
    ['| AA-01 | One. |\n| AA-01 | Two. |', 'line 4: AA-01 is a duplicate'],
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

test('a title is a sentence with what is around it', () =>
  expect(sentenceOf(['a page of %s [AA-01]', 'is withdrawn a|b [AA-02, AA-03]'])).toBe('A page of … is withdrawn a/b.'))

test('an id without a line, and a line without a test, are faults', () => {
  const lines = [{ id: 'AA-01', demand: 'One.' }]
  const source = (id: string) => ({ file: 'f', titles: [], ids: [id] })
  expect(unknownIds(lines, [source('AA-01'), source('BB-01')])).toEqual(['f names BB-01: no line'])
  expect(untested(lines, [source('BB-01')])).toEqual(['AA-01'])
})

test('an id is red where a test of it failed, and where its file did not load', () => {
  const result = (id: string, state: 'passed' | 'failed') => ({ file: 'f', title: '', ids: [id], state })
  const run = { tests: [result('AA-01', 'passed'), result('AA-02', 'failed')], broken: [{ file: 'g' }] }
  expect(redIds(run, [{ file: 'g', titles: [], ids: ['AA-03'] }])).toEqual(['AA-02', 'AA-03'])
})

test('the report of a run gives tests and files that prove nothing', () => {
  const one = { ancestorTitles: ['of [AA-01]'], title: 'one [AA-02]', status: 'passed' }
  const report = {
    testResults: [
      { name: '/r/a.test.ts', status: 'passed', assertionResults: [one, { ...one, status: 'todo' }] },
      { name: '/r/b.test.ts', status: 'failed', assertionResults: [{ ...one, status: 'skipped' }] },
      { name: '/r/c.test.ts', status: 'failed', assertionResults: [{ ...one, status: 'failed' }] },
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
  expect(broken).toEqual([{ file: 'b.test.ts' }])
})
