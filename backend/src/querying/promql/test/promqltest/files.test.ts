import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runFile } from './run.ts'

/** `promql/promqltest/testdata` of Prometheus. */
const folder = process.env['TEST_PROMQL_CASES']
if (folder === undefined) console.warn('skipped, TEST_PROMQL_CASES names no folder: the test files of Prometheus')

it('reads the language of the files, and says what differs', () => {
  const file = `
load 1m
  requests{job="a"} 0+10x3 _ stale
  requests{job="b"} 1x4

eval instant at 3m requests
  requests{job="a"} 30
  requests{job="b"} 1

eval range from 0 to 4m step 2m sum(requests)
  {} 1 21 31

eval instant at 3m sum(requests)
  {} 32

eval instant at 0 1 +
  expect fail

clear

eval instant at 3m requests

eval instant at 3m step()
  3
`
  const { passed, failed, outOfScope } = runFile(file)
  expect([passed, outOfScope]).toEqual([4, 1])
  expect(failed).toEqual(['eval instant at 3m sum(requests): [] at 180000: 31, wanted 32'])
})

describe.each(folder === undefined ? [] : [folder])('the test files of Prometheus in %s', (folder) => {
  it('pass to 95 % without native histograms and what is experimental', { timeout: 60_000 }, () => {
    const of = (name: string) => runFile(readFileSync(join(folder, name), 'utf8'))
    const results = readdirSync(folder)
      .filter((name) => name.endsWith('.test'))
      .map(of)
    const sum = (count: (one: (typeof results)[number]) => number) => results.reduce((all, one) => all + count(one), 0)
    const [passed, failed, outOfScope] = [sum((one) => one.passed), sum((one) => one.failed.length), sum((one) => one.outOfScope)]
    for (const one of results) for (const fault of one.failed) console.info(fault)
    console.info(`figure: ${passed} of ${passed + failed} evaluations pass, ${outOfScope} are out of scope`)
    expect(passed).toBeGreaterThan(900)
    expect(passed / (passed + failed)).toBeGreaterThanOrEqual(0.95)
  })
})
