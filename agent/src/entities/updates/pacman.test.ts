import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it, test } from 'vitest'
import { tree } from '../../../test/tree.ts'
import { compareAlpmVersions } from './alpm-version.ts'
import { readPacmanUpdates } from './pacman.ts'

// The orders that vercmp(8) names, and results of `vercmp`.
const ORDERED = [
  ['1.0a', '1.0b', '1.0beta', '1.0p', '1.0pre', '1.0rc', '1.0', '1.0.a', '1.0.1'],
  ['1', '1.0', '1.1', '1.1.1', '1.2', '2.0', '3.0.0'],
  ['1.5-1', '1.5-2', '1.6-1', '1:1.0-1'],
  ['9.9', '09.10', '10'],
]
test.each(ORDERED.flatMap((versions) => versions.slice(1).map((later, index) => [versions[index] as string, later] as const)))(
  '%s is older than %s',
  (a, b) => {
    expect(compareAlpmVersions(a, b)).toBeLessThan(0)
    expect(compareAlpmVersions(b, a)).toBeGreaterThan(0)
  },
)
test.each([
  ['1.5', '1.5-1'],
  ['0:1.5-1', '1.5-1'],
  ['1.05', '1.5'],
])('%s is as old as %s', (a, b) => expect(Math.abs(compareAlpmVersions(a, b))).toBe(0))

/** A tar archive as repo-add writes it. */
function archive(packages: readonly string[]): Buffer {
  const entry = (name: string, type: string, content: string) => {
    const header = Buffer.alloc(512)
    header.write(name, 0)
    header.write(content.length.toString(8).padStart(11, '0'), 124)
    header.write(type, 156)
    header.write('ustar', 257)
    return Buffer.concat([header, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)])
  }
  const entries = packages.flatMap((name) => [
    entry(`${name}/`, '5', ''),
    entry(`${name}/desc`, '0', `%NAME%\n${name}\n%DESC%\n${'x'.repeat(3_000)}\n`),
  ])
  return Buffer.concat([...entries, Buffer.alloc(1_024)])
}

function host(local: readonly string[], databases: Record<string, Buffer>, config?: string): string {
  const root = tree({
    ...Object.fromEntries(local.map((name) => [`var/lib/pacman/local/${name}/desc`, ''])),
    ...(config !== undefined && { 'etc/pacman.conf': config }),
  })
  mkdirSync(`${root}/var/lib/pacman/sync`, { recursive: true })
  for (const [name, data] of Object.entries(databases)) {
    writeFileSync(`${root}/var/lib/pacman/sync/${name}.db`, data)
    utimesSync(`${root}/var/lib/pacman/sync/${name}.db`, 1_000, 1_000)
  }
  return root
}

describe('readPacmanUpdates', () => {
  const local = ['bash-5.2.037-1', 'linux-6.17.1.arch1-1', 'lib32-glibc-2.42-1', 'own-1-1', 'held-1-1']

  it('counts newer versions of installed packages, of any size and compression', async () => {
    const many = Array.from({ length: 2_000 }, (_, index) => `package-${index}-1.0-1`)
    const root = host(
      local,
      {
        core: gzipSync(archive([...many, 'bash-5.3.003-1', 'linux-6.17.1.arch1-1', 'held-2-1'])),
        multilib: zstdCompressSync(archive(['lib32-glibc-2.42+r3-1'])),
      },
      '[options]\nIgnorePkg = held other\n[core]\nInclude = /etc/pacman.d/mirrorlist\n[multilib]\n',
    )
    expect(await readPacmanUpdates(root)).toEqual({
      pending: ['bash', 'lib32-glibc'],
      security: undefined,
      listsAtMs: 1_000_000,
    })
  })

  it('takes a package from the first repository that has it', async () => {
    const databases = { testing: gzipSync(archive(['bash-5.2.037-1'])), core: gzipSync(archive(['bash-6-1', 'own-2-1'])) }
    const pending = async (config?: string) => (await readPacmanUpdates(host(local, databases, config)))?.pending
    expect(await pending('[options]\n[testing]\n[core]\n')).toEqual(['own'])
    expect(await pending('[options]\n[core]\n')).toEqual(['bash', 'own'])
    expect(await pending()).toEqual(['bash', 'own'])
  })

  it('is unknown without a database that can be read', async () => {
    expect(await readPacmanUpdates(host(local, {}))).toBeUndefined()
    expect(await readPacmanUpdates(host(local, { core: Buffer.from('BZh91AY&SY') }))).toBeUndefined()
  })
})
