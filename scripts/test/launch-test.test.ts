import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, matchesGlob } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { writeStamp } from '../launch/install.mjs'
import { pnpmPath } from '../launch/pnpm.mjs'

const repository = join(import.meta.dirname, '../..')

interface VitestConfig {
  default: { test: { projects: { test: { include: string[]; exclude: string[] } }[] } }
}

interface VitestOrder {
  ALONE: string[]
  BROWSER: string[]
  E2E: string[]
  FAULTS: string[]
  LONG_CORE: Record<string, string>
}

describe('npm test', () => {
  let root = ''
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'launch-test-'))
    for (const name of ['scripts', 'package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'])
      cpSync(join(repository, name), join(root, name), { recursive: true })
    for (const folder of ['node_modules/.bin', 'node_modules/vitest', 'bin']) mkdirSync(join(root, folder), { recursive: true })
    symlinkSync(process.execPath, join(root, 'node_modules/.bin/node'))
    writeFileSync(
      join(root, 'node_modules/vitest/vitest.mjs'),
      'console.log(JSON.stringify(process.argv.slice(2))); process.exit(4)',
    )
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  const npmTest = (...args: string[]) =>
    spawnSync('sh', [join(root, 'scripts/launch.sh'), 'test', ...args], {
      encoding: 'utf8',
      env: { ...process.env, npm_node_execpath: process.execPath, PATH: `${join(root, 'bin')}:${process.env['PATH']}` },
    })

  test('installs what is missing, then runs the tests, and ends as they end [START-06]', () => {
    const pnpm = pnpmPath('"$3"')
    const npm = `#!/bin/sh\necho "$@" >> '${root}/installs'\nmkdir -p ${dirname(pnpm)} && ln -s /bin/true ${pnpm}\n`
    writeFileSync(join(root, 'bin/npm'), npm, { mode: 0o755 })
    expect(npmTest()).toMatchObject({ status: 4, stdout: '["run","--project","core*"]\n' })
    expect(npmTest('servers')).toMatchObject({ status: 4, stdout: '["run","servers"]\n' })
    expect(npmTest('--changed').stdout).toBe('["run","--changed=main","--project","core*"]\n')
    expect(npmTest('--changed=HEAD~2').stdout).toBe('["run","--changed=HEAD~2","--project","core*"]\n')
    expect(npmTest('--all').stdout).toBe('["run"]\n')
    expect(globSync('installs', { cwd: root })).toHaveLength(1)
  })

  test('installs nothing where nothing is missing [START-06]', () => {
    writeStamp(root)
    writeFileSync(join(root, 'bin/npm'), '#!/bin/sh\nexit 9\n', { mode: 0o755 })
    expect(npmTest()).toMatchObject({ status: 4 })
  })

  test('leaves no test file of the repository out, and runs none twice [START-06]', async () => {
    const { default: config } = (await import(join(repository, 'vitest.config.ts'))) as VitestConfig
    const projects = config.test.projects.map((project) => project.test)
    const files = globSync('**/*.test.ts', { cwd: repository, exclude: ['**/node_modules/**', '**/dist/**'] })
    expect(files.length).toBeGreaterThan(80)
    for (const file of files) {
      const meets = (pattern: string) => matchesGlob(file, pattern)
      // Left out on purpose, everywhere, are those that need what most machines do not have.
      const isLeftOut = projects.every(({ exclude }) => exclude.some(meets))
      const runs = projects.filter(({ include, exclude }) => include.some(meets) && !exclude.some(meets))
      expect(runs, file).toHaveLength(isLeftOut ? 0 : 1)
    }
  })

  test('gives a place only to files that are there', async () => {
    const { ALONE, BROWSER, E2E, FAULTS, LONG_CORE } = (await import(join(repository, 'vitest.order.ts'))) as VitestOrder
    const listed = [...ALONE, ...BROWSER, ...E2E, ...FAULTS, ...Object.keys(LONG_CORE)]
    const missing = listed.filter((pattern) => globSync(pattern, { cwd: repository }).length === 0)
    expect(missing).toEqual([])
    expect(new Set(listed).size).toBe(listed.length)
  })
})
