import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadOrCreateSecret, readSecret } from '../crypto/installation-secrets.ts'
import { assertOwnFolder, makePrivateFolder, readPrivateFile, writePrivateFile } from './private-file.ts'

const isRoot = process.getuid?.() === 0
const NOBODY = 65_534

let folder = ''
let victim = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vdt-private-'))
  victim = join(folder, 'victim')
  writeFileSync(victim, 'precious', { mode: 0o644 })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const expectUnharmed = () => expect([readFileSync(victim, 'utf8'), modeOf(victim)]).toEqual(['precious', '644'])

describe('a private file', () => {
  it('is written with mode 0600, also in place of a longer one with another mode', () => {
    const path = join(folder, 'file')
    writeFileSync(path, 'a long text from before', { mode: 0o644 })
    writePrivateFile(path, 'new')
    expect([readPrivateFile(path), modeOf(path)]).toEqual(['new', '600'])
    expect(readPrivateFile(join(folder, 'none'))).toBeUndefined()
  })

  it.each([
    ['a symbolic link', (path: string) => symlinkSync(victim, path), 'is a symbolic link'],
    ['a second name of another file', (path: string) => linkSync(victim, path), 'has a second name'],
    ['a folder', (path: string) => mkdirSync(path), /is not a regular file|EISDIR/],
  ])('is refused where %s is in its place', (_name, plant, message) => {
    const path = join(folder, 'planted')
    plant(path)
    expect(() => writePrivateFile(path, 'secret')).toThrow(message)
    expectUnharmed()
  })

  it.runIf(isRoot)('is refused when it belongs to another user', () => {
    const path = join(folder, 'foreign')
    writeFileSync(path, 'known to somebody')
    chownSync(path, NOBODY, NOBODY)
    expect(() => readPrivateFile(path)).toThrow('belongs to another user')
    expect(() => writePrivateFile(path, 'secret')).toThrow('belongs to another user')
  })

  it.runIf(isRoot)('of the owner of its folder is read by root, and not written', () => {
    const path = join(folder, 'theirs')
    writeFileSync(path, 'of the service')
    for (const one of [folder, path]) chownSync(one, NOBODY, NOBODY)
    expect(readPrivateFile(path)).toBe('of the service')
    expect(() => writePrivateFile(path, 'secret')).toThrow('belongs to another user')
  })

  it('is not read through a symbolic link', () => {
    const path = join(folder, 'planted')
    symlinkSync(victim, path)
    expect(() => readPrivateFile(path)).toThrow('is a symbolic link')
    expectUnharmed()
  })
})

describe('the secret of the installation', () => {
  it('is neither read through a planted link nor written there', () => {
    symlinkSync(victim, join(folder, 'secret.key'))
    expect(() => loadOrCreateSecret(folder)).toThrow('is a symbolic link')
    expect(() => readSecret(folder)).toThrow('is a symbolic link')
    expectUnharmed()
  })

  it('is not created where a planted link leads', () => {
    const target = join(folder, 'elsewhere')
    symlinkSync(target, join(folder, 'secret.key'))
    expect(() => loadOrCreateSecret(folder)).toThrow('is a symbolic link')
    expect(existsSync(target)).toBe(false)
  })
})

describe('a private folder', () => {
  it('has mode 0700, and is refused where a link is in its place', () => {
    const [own, planted, target] = [join(folder, 'own'), join(folder, 'planted'), join(folder, 'target')]
    makePrivateFolder(own)
    expect(modeOf(own)).toBe('700')
    mkdirSync(target, { mode: 0o755 })
    symlinkSync(target, planted)
    expect(() => makePrivateFolder(planted)).toThrow('is a symbolic link')
    expect(modeOf(target)).toBe('755')
  })

  it.runIf(isRoot)('of root is refused when another user can write into it', () => {
    const shared = join(folder, 'shared')
    mkdirSync(shared)
    assertOwnFolder(shared)
    chmodSync(shared, 0o777)
    expect(() => assertOwnFolder(shared)).toThrow('could plant links')
    chmodSync(shared, 0o755)
    chownSync(shared, NOBODY, NOBODY)
    expect(() => assertOwnFolder(shared)).toThrow('could plant links')
  })
})
