import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { BuildError, ensureBuilt } from '../launch/build.mjs'

/** A stand-in for vite: notes that it was called, empties the folder as vite does, and writes a page. */
const VITE = `
  import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
  appendFileSync('../calls', process.argv.slice(2).join(' ') + ' ' + process.env.NODE_ENV + '\\n')
  if (existsSync('src/broken.ts')) { console.error('broken.ts: unexpected end'); process.exit(1) }
  rmSync('dist', { recursive: true, force: true })
  mkdirSync('dist')
  writeFileSync('dist/index.html', '<!doctype html>')`

let root = ''
const plant = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'dashboard-'))
  plant('dashboard/index.html', '<script src="/src/main.ts">')
  plant('dashboard/src/main.ts', 'a')
  plant('dashboard/package.json', '{}')
  plant('client/src/index.ts', 'b')
  plant('shared/src/index.ts', 'c')
  plant('dashboard/node_modules/vite/package.json', '{"type":"module"}')
  plant('dashboard/node_modules/vite/bin/vite.js', VITE)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const said: string[] = []
const ensure = () => ensureBuilt(root, process.execPath, ['dashboard'], (line: string) => said.push(line))
const calls = () => (existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8').trim().split('\n') : [])

describe('the build of the dashboard', () => {
  test('is made once, also by two launches at the same time, and says so', async () => {
    said.splice(0)
    await Promise.all([ensure(), ensure()])
    await ensure()
    expect(calls()).toEqual(['build --configLoader native --logLevel warn production'])
    expect(said).toEqual([expect.stringMatching(/^set-up: dashboard built in \d+\.\d s$/)])
    expect(existsSync(join(root, '.install-lock'))).toBe(false)
  })

  test.each([
    ['a file was changed', () => plant('dashboard/src/main.ts', 'A')],
    ['one was added', () => plant('dashboard/src/features/more.ts', '')],
    ['one was removed', () => rmSync(join(root, 'client/src/index.ts'))],
    ['one was renamed', () => renameSync(join(root, 'shared/src/index.ts'), join(root, 'shared/src/other.ts'))],
    ['the versions are others', () => plant('dashboard/package.json', '{"dependencies":{}}')],
    ['the build is gone', () => rmSync(join(root, 'dashboard/dist'), { recursive: true })],
    [
      'an older release was put in its place',
      () => {
        plant('dashboard/src/main.ts', 'z')
        utimesSync(join(root, 'dashboard/src/main.ts'), 1, 1)
      },
    ],
  ])('is made again when %s', async (_what, change) => {
    await ensure()
    change()
    await ensure()
    await ensure()
    expect(calls()).toHaveLength(2)
  })

  test('is left alone when files were only touched, and where it cannot be written', async () => {
    await ensure()
    utimesSync(join(root, 'dashboard/src/main.ts'), new Date(), new Date())
    chmodSync(root, 0o555)
    await ensure()
    chmodSync(root, 0o755)
    expect(calls()).toHaveLength(1)
  })

  test('that fails says what the builder said, and is due again', async () => {
    plant('dashboard/src/broken.ts', '{')
    await expect(ensure()).rejects.toThrow(BuildError)
    await expect(ensure()).rejects.toThrow(/could not be built \(exit code 1\):\nbroken\.ts: unexpected end/)
    rmSync(join(root, 'dashboard/src/broken.ts'))
    await ensure()
    expect(calls()).toHaveLength(3)
  })

  test('is nobody’s business where there are no sources of it', async () => {
    rmSync(join(root, 'dashboard'), { recursive: true })
    await ensure()
    expect(calls()).toEqual([])
  })
})
