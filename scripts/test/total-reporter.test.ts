import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isMissing } from '../test-tools.ts'
import { countFailures, describeTimes, type FileTime, findTooLong } from '../total-reporter.ts'

const root = join(import.meta.dirname, '../..')
const API = JSON.stringify(join(root, 'node_modules/vitest/dist/index.js'))

/** Runs planted test files with the repository's reporters and gives everything printed and the exit code. */
function run(files: Record<string, string>, env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'total-'))
  try {
    mkdirSync(join(folder, 'planted'))
    for (const [name, body] of Object.entries(files)) {
      writeFileSync(join(folder, 'planted', name), `import { beforeAll, describe, test, expect } from ${API}\n${body}`)
    }
    const reporters = ['default', join(root, 'scripts/total-reporter.ts')].map((reporter) => `--reporter=${reporter}`)
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const { stdout, stderr, status } = spawnSync(process.execPath, [vitest, 'run', '--root', folder, ...reporters], {
      encoding: 'utf8',
      env: { ...process.env, TEST_REQUIRE_ALL: '', ...env },
    })
    return { output: stdout + stderr, lastLine: stdout.trimEnd().split('\n').at(-1), status }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const PASS = "test('one', () => {})\n"

describe('the last line of a run', () => {
  test('counts tests, modules that do not load, hooks that fail and errors outside of tests', () => {
    const { lastLine, status } = run({
      'a.test.ts': `${PASS}test('two', () => { expect(1).toBe(2) })`,
      'load.test.ts': `${PASS}throw new Error('no')`,
      'hook.test.ts': `${PASS}describe('suite', () => { beforeAll(() => { throw new Error('no') }); test('three', () => {}) })`,
      'outside.test.ts':
        "test('four', async () => { void Promise.reject(new Error('outside')); await new Promise((r) => setTimeout(r, 20)) })",
    })
    expect(lastLine).toBe('3 passed, 4 failed, 1 skipped')
    expect(status).toBe(1)
  })

  test('a skipped test is a failure where nothing may be skipped, and is named', () => {
    const files = { 'a.test.ts': `${PASS}test.skip('two', () => {})` }
    expect(run(files)).toMatchObject({ lastLine: '1 passed, 0 failed, 1 skipped', status: 0 })
    const strict = run(files, { TEST_REQUIRE_ALL: '1' })
    expect(strict).toMatchObject({ lastLine: '1 passed, 1 failed', status: 1 })
    expect(strict.output).toMatch(/did not run.*a\.test\.ts > two/)
  })
})

const fileTime = (path: string, more: Partial<FileTime> = {}): FileTime => ({
  path,
  project: 'core',
  seconds: 1,
  testSeconds: 1,
  load: 0.5,
  ...more,
})

describe('the times of a run', () => {
  test('are summed by project, and list the twenty slowest files', () => {
    const times = Array.from({ length: 25 }, (_, index) => fileTime(`${index}.test.ts`, { seconds: index }))
    const lines = describeTimes([...times, fileTime('long.test.ts', { project: 'e2e', seconds: 61.25 })])
    expect(lines.slice(0, 5)).toEqual([
      'worker-seconds by project:',
      '   300.0  core (25 files)',
      '    61.3  e2e (1 files)',
      'slowest files:',
      '    61.3  long.test.ts (e2e)',
    ])
    expect(lines).toHaveLength(4 + 20)
    expect(lines.at(-1)).toBe('     6.0  6.test.ts (core)')
  })

  test('are printed before the last line', () => {
    const { output, lastLine } = run({ 'a.test.ts': PASS })
    expect(lastLine).toBe('1 passed, 0 failed')
    expect(output).toMatch(
      /worker-seconds by project:\n +\d+\.\d .*\(1 files\)\nslowest files:\n +\d+\.\d {2}planted\/a\.test\.ts/,
    )
  })

  test.each<[string, Partial<FileTime>, boolean]>([
    ['5 s of tests are not too long', { testSeconds: 5 }, false],
    ['more than 5 s of tests are too long in core', { testSeconds: 5.1 }, true],
    ['and in core-isolated', { testSeconds: 5.1, project: 'core-isolated' }, true],
    ['but not in e2e', { testSeconds: 500, project: 'e2e' }, false],
    ['what a listed file takes is not too long', { testSeconds: 500, path: 'listed.test.ts' }, false],
    ['the imports of a file do not count', { seconds: 500 }, false],
    ['under three times the load a file may take three times as long', { testSeconds: 15, load: 3 }, false],
    ['and no longer', { testSeconds: 15.1, load: 3 }, true],
    ['an idle machine gives no shorter time', { testSeconds: 4.9, load: 0 }, false],
  ])('%s', (_, more, isTooLong) => {
    expect(findTooLong([fileTime('a.test.ts', more)], ['listed.test.ts'])).toHaveLength(isTooLong ? 1 : 0)
    const twice = { ...more, testSeconds: (more.testSeconds ?? 1) * 2 }
    expect(findTooLong([fileTime('a.test.ts', twice)], ['listed.test.ts'], 2)).toHaveLength(isTooLong ? 1 : 0)
  })
})

test('a file that takes too long is a failure in a run of many files, and a skipped test where all must run', () => {
  const total = { passed: 5, failed: 1, skipped: ['a', 'b'] }
  expect(countFailures(total, { tooLong: 1, files: 99, isStrict: false })).toBe(1)
  expect(countFailures(total, { tooLong: 1, files: 100, isStrict: false })).toBe(2)
  expect(countFailures(total, { tooLong: 1, files: 100, isStrict: true })).toBe(4)
})

test('a missing tool skips, and throws where nothing may be skipped', () => {
  const before = process.env['TEST_REQUIRE_ALL']
  try {
    process.env['TEST_REQUIRE_ALL'] = ''
    expect([isMissing('sh'), isMissing('sh', 'no-such-tool')]).toEqual([false, true])
    process.env['TEST_REQUIRE_ALL'] = '1'
    expect(() => isMissing('no-such-tool')).toThrow('no-such-tool')
  } finally {
    process.env['TEST_REQUIRE_ALL'] = before ?? ''
  }
})
