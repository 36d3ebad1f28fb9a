import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { FakeClock } from '../../../test/fake-clock.ts'
import { addTo, tree } from '../../../test/tree.ts'
import { readAptUpdates } from './apt.ts'
import { compareDebianVersions } from './debian-version.ts'
import { UpdateSource } from './source.ts'
import { forEachStanza } from './stanzas.ts'

const stanza = (name: string, version: string, { status = '', arch = 'amd64', more = '' } = {}) =>
  `Package: ${name}\n${status && `Status: ${status}\n`}Architecture: ${arch}\n${more}Version: ${version}\nDescription: about ${name}\n more of it\n\n`
const installed = (name: string, version: string, status = 'install ok installed', arch = 'amd64') =>
  stanza(name, version, { status, arch })

const LISTS = 'var/lib/apt/lists'
const list = (suite: string, text: string, release = `Suite: ${suite}\n`) => ({
  [`${LISTS}/deb.example_debian_dists_${suite}_InRelease`]: `-----BEGIN PGP SIGNED MESSAGE-----\n\n${release}`,
  [`${LISTS}/deb.example_debian_dists_${suite}_main_binary-amd64_Packages`]: text,
})
const host = (status: string, ...lists: Record<string, string>[]) =>
  tree(Object.assign({ 'var/lib/dpkg/status': status }, ...lists) as Record<string, string>)

// The results of `dpkg --compare-versions`.
test.each([
  ['1.0', '1.0', 0],
  ['1.0-1', '1.0', 1],
  ['1.0~rc1', '1.0', -1],
  ['1:0.1', '9.9', 1],
  ['1.0+b1', '1.0a', 1],
  ['1.10', '1.9', 1],
  ['09.10', '9.10', 0],
  ['20260101120000', '20251231235959', 1],
  ['2.30.2-1+deb11u2', '2.30.2-1+deb11u10', -1],
  ['1.0~~', '1.0~', -1],
  ['5.10.0-23', '5.10.0-23~bpo1', 1],
])('%s compared with %s is %d', (a, b, order) => {
  expect(Math.sign(compareDebianVersions(a, b))).toBe(order)
  expect(Math.sign(compareDebianVersions(b, a))).toBe(order === 0 ? 0 : -order)
})

describe('readAptUpdates', () => {
  test('counts newer versions, those of security too, and nothing else', async () => {
    const root = host(
      installed('bash', '5.2-1') +
        installed('curl', '7.0-1') +
        installed('held', '1', 'hold ok installed') +
        installed('removed', '1', 'deinstall ok config-files') +
        installed('own', '9') +
        installed('zlib', '1', 'install ok installed', 'i386') +
        installed('docs', '1', 'install ok installed', 'all'),
      list(
        'bookworm',
        stanza('bash', '5.2-1') + stanza('curl', '7.0-2') + stanza('held', '2') + stanza('removed', '2') + stanza('other', '1'),
      ),
      list('bookworm-updates', stanza('zlib', '2') + stanza('docs', '2', { arch: 'all' })),
      list('bookworm-security', stanza('bash', '5.2-1+deb12u1') + stanza('curl', '6.9-1')),
    )
    utimesSync(`${root}/${LISTS}`, 1_000, 1_000)
    expect(await readAptUpdates(root)).toEqual({
      pending: ['bash:amd64', 'curl:amd64', 'docs:all'],
      security: 1,
      listsAtMs: 1_000_000,
    })
  })

  test('leaves out what apt installs on demand only, and follows backports of what came from them', async () => {
    const root = host(
      installed('stable', '1') + installed('backported', '2~bpo1') + installed('experiment', '1'),
      list('bookworm', stanza('stable', '1') + stanza('backported', '1') + stanza('experiment', '1')),
      list(
        'bookworm-backports',
        stanza('stable', '3~bpo1') + stanza('backported', '3~bpo1'),
        'NotAutomatic: yes\nButAutomaticUpgrades: yes\n',
      ),
      list('experimental', stanza('experiment', '2'), 'NotAutomatic: yes\n'),
    )
    expect((await readAptUpdates(root))?.pending).toEqual(['backported:amd64'])
  })

  test('knows nothing where the lists are compressed', async () => {
    expect(
      await readAptUpdates(host(installed('a', '1'), { [`${LISTS}/x_dists_y_main_binary-amd64_Packages.lz4`]: 'x' })),
    ).toBeUndefined()
  })
})

test('paragraphs are read whole wherever a read of the file ends', async () => {
  const long = 'x'.repeat(200_000)
  const texts = Array.from({ length: 3_000 }, (_, index) =>
    stanza(`p${index}`, `${index}`, { more: index === 1_500 ? `Depends: ${long}\n` : '' }),
  )
  const root = tree({ list: texts.join('').trimEnd() })
  const seen: string[] = []
  await forEachStanza(
    `${root}/list`,
    (one) => void seen.push(`${one.field('Package')} ${one.field('Version')} ${one.field('Depends')?.length}`),
  )
  expect(seen).toHaveLength(3_000)
  expect(seen[1_500]).toBe('p1500 1500 200000')
  expect(seen.filter((text, index) => index !== 1_500 && text !== `p${index} ${index} undefined`)).toEqual([])
})

describe('UpdateSource', () => {
  test('counts two minutes after the start and then every six hours, with the age across restarts', async () => {
    const clock = new FakeClock()
    const root = host(installed('a', '1') + installed('b', '1'), list('bookworm', stanza('a', '2')))
    utimesSync(`${root}/${LISTS}`, clock.now() / 1_000 - 43_200, clock.now() / 1_000 - 43_200)
    const stateFile = `${root}/state/updates.json`
    const open = () => new UpdateSource(clock, () => undefined, { root, stateFile })
    const counted = async (source: UpdateSource, pending: number) => {
      await source.read()
      return vi.waitFor(async () => {
        const [apt] = await source.read()
        expect(apt?.values['pending']).toBe(pending)
        return apt
      })
    }
    const source = open()
    expect(await source.read()).toEqual([])
    await clock.advance(120_000)
    expect(await counted(source, 1)).toEqual({
      kind: 'updates',
      name: 'apt',
      values: { pending: 1, security: 0, oldest_days: 0, lists_age_days: 0.5 },
    })
    addTo(root, {
      [`${LISTS}/deb.example_debian_dists_bookworm_main_binary-amd64_Packages`]: stanza('a', '2') + stanza('b', '2'),
    })
    await clock.advance(5 * 3_600_000)
    expect((await source.read())[0]?.values['pending']).toBe(1)
    await clock.advance(3_600_000)
    expect((await counted(source, 2))?.values['oldest_days']).toBe(0.25)
    clock.setWall(2 * 86_400_000)
    const restarted = open()
    await clock.advance(120_000)
    expect((await counted(restarted, 2))?.values['oldest_days']).toBeGreaterThan(1.9)
    expect(Object.keys(JSON.parse(readFileSync(stateFile, 'utf8')) as object)).toEqual(['a:amd64', 'b:amd64'])
    writeFileSync(stateFile, 'broken')
    const damaged = open()
    await clock.advance(120_000)
    expect((await counted(damaged, 2))?.values['oldest_days']).toBe(0)
  })

  test('a host without apt has none', async () => {
    const clock = new FakeClock()
    const source = new UpdateSource(clock, () => undefined, { root: tree({}), stateFile: '' })
    await clock.advance(200_000)
    expect(await source.read()).toEqual([])
  })
})
