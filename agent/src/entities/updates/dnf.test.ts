import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it, test } from 'vitest'
import { tree } from '../../../test/tree.ts'
import { hasDnf, readDnfUpdates } from './dnf.ts'
import { compareRpmVersions } from './rpm-version.ts'

// Results of rpm.vercmp of rpm 4.18.
test.each([
  ['1.0', '1.0', 0],
  ['1.0', '1.00', 0],
  ['1.0.1', '1.0', 1],
  ['1.0a', '1.0', 1],
  ['1.0~rc1', '1.0', -1],
  ['1.0^git2', '1.0', 1],
  ['1.0^git2', '1.0.1', -1],
  ['1.0~rc1^git1', '1.0~rc1', 1],
  ['1.10', '1.9', 1],
  ['1.a', '1.1', -1],
  ['1_1', '1.1', 0],
  ['1.0.', '1.0', 0],
])('%s compared with %s is %d', (a, b, order) => {
  const of = (version: string) => ({ epoch: 0, version, release: '1' })
  expect(Math.sign(compareRpmVersions(of(a), of(b)))).toBe(order)
  expect(Math.sign(compareRpmVersions(of(b), of(a)))).toBe(order === 0 ? 0 : -order)
})

const recorded = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name))
const CACHE = 'var/cache/dnf/baseos-0123456789abcdef/repodata'

function host(files: Record<string, Buffer>, repositories = '[baseos]\nname=BaseOS\nenabled=1\n'): string {
  const root = tree({ 'etc/yum.repos.d/os.repo': repositories })
  const all = { 'var/lib/rpm/rpmdb.sqlite': gunzipSync(recorded('rpmdb.sqlite.gz')), ...files }
  for (const [path, data] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), data)
  }
  return root
}
const PRIMARY = { [`${CACHE}/ab12-primary.xml.gz`]: recorded('primary.xml.gz') }

describe('readDnfUpdates', () => {
  it('counts newer versions of installed packages, of several the newest, and those of security', async () => {
    const root = host({ ...PRIMARY, [`${CACHE}/cd34-updateinfo.xml.gz`]: recorded('updateinfo.xml.gz') })
    expect(hasDnf(root)).toBe(true)
    const updates = await readDnfUpdates(root)
    expect(updates?.pending.toSorted()).toEqual(['bash.noarch', 'curl.noarch'])
    expect(updates?.security).toBe(1)
    expect(updates?.listsAtMs).toBeGreaterThan(0)
  })

  it('reads zstd as dnf 5 stores it, and does not know of security without notices', async () => {
    const primary = zstdCompressSync(gunzipSync(recorded('primary.xml.gz')))
    const root = host({ 'var/cache/libdnf5/baseos-0123456789abcdef/repodata/ab-primary.xml.zst': primary })
    expect(await readDnfUpdates(root)).toMatchObject({ security: undefined, pending: expect.arrayContaining(['bash.noarch']) })
  })

  it('leaves out repositories that are not enabled, and what is stored in another form', async () => {
    expect(await readDnfUpdates(host(PRIMARY, '[other]\nname=Other\n[baseos]\nenabled = 0\n'))).toBeUndefined()
    expect(await readDnfUpdates(host({ [`${CACHE}/ab-primary.xml.zck`]: recorded('primary.xml.gz') }))).toBeUndefined()
    expect(hasDnf(tree({ 'var/cache/dnf/x': '' }))).toBe(false)
  })
})
