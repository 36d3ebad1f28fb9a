import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, matchesGlob } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { writeStamp } from '../launch/install.mjs'

const repository = join(import.meta.dirname, '../..')

interface VitestConfig {
  default: { test: { projects: { test: { include: string[] } }[] } }
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
    spawnSync(process.execPath, [join(root, 'scripts/launch.mjs'), 'test', ...args], {
      encoding: 'utf8',
      env: { ...process.env, PATH: `${join(root, 'bin')}:${process.env['PATH']}` },
    })

  test('installs what is missing, then runs the tests, and ends as they end [START-06]', () => {
    writeFileSync(join(root, 'bin/npx'), `#!/bin/sh\necho "$@" >> '${root}/installs'\n`, { mode: 0o755 })
    expect(npmTest()).toMatchObject({ status: 4, stdout: '["run"]\n' })
    expect(npmTest('servers')).toMatchObject({ status: 4, stdout: '["run","servers"]\n' })
    expect(globSync('installs', { cwd: root })).toHaveLength(1)
  })

  test('installs nothing where nothing is missing [START-06]', () => {
    writeStamp(root)
    writeFileSync(join(root, 'bin/npx'), '#!/bin/sh\nexit 9\n', { mode: 0o755 })
    expect(npmTest()).toMatchObject({ status: 4 })
  })

  test('leaves no test file of the repository out [START-06]', async () => {
    const { default: config } = (await import(join(repository, 'vitest.config.ts'))) as VitestConfig
    const patterns = config.test.projects.flatMap((project) => project.test.include)
    const files = globSync('**/*.test.ts', { cwd: repository, exclude: ['**/node_modules/**', '**/dist/**'] })
    expect(files.length).toBeGreaterThan(80)
    for (const file of files)
      expect(
        patterns.filter((pattern) => matchesGlob(file, pattern)),
        file,
      ).toHaveLength(1)
  })
})
