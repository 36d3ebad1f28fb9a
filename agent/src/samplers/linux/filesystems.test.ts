import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../test/fake-clock.ts'
import { type BlockCounts, FilesystemSampler, type Statfs, toFilesystem } from './filesystems.ts'

const COUNTS: BlockCounts = { bsize: 4096, blocks: 1000, bfree: 400, bavail: 300 }
const line = (id: number, path: string) => `${id} 1 8:${id} / ${path} rw - ext4 /dev/x rw\n`
const THREE = line(1, '/a') + line(2, '/b') + line(3, '/c')

test('the percent is that of df: what is kept for root is neither used nor available [SAMPLE-09]', () => {
  const mount = { path: '/', fsType: 'ext4', device: '8:1' }
  expect(toFilesystem(mount, COUNTS)).toEqual({
    mount: '/',
    fs_type: 'ext4',
    used_bytes: 600 * 4096,
    total_bytes: 4_096_000,
    percent: 66.67,
  })
  expect(toFilesystem(mount, { bsize: 1, blocks: 0, bfree: 0, bavail: 0 })).toBeUndefined()
})

test.each([
  [{ files: 200, ffree: 50 }, 75],
  [{ files: 1, ffree: 1 }, 0],
  [{ files: 0, ffree: 0 }, undefined],
  [{ files: 10, ffree: 11 }, undefined],
  [{}, undefined],
])('of the inodes %j the used part is %s percent', (counts, percent) => {
  const mount = { path: '/', fsType: 'ext4', device: '8:1' }
  expect(toFilesystem(mount, { ...COUNTS, ...counts })?.inodes_percent).toBe(percent)
})

/** A statfs where chosen mounts hang until they are let go. */
function hangingStatfs(hung: Set<string>) {
  const calls: string[] = []
  const release = new Map<string, () => void>()
  const statfs: Statfs = (path) => {
    calls.push(path)
    if (!hung.has(path)) return Promise.resolve(COUNTS)
    const { promise, resolve } = Promise.withResolvers<BlockCounts>()
    release.set(path, () => resolve(COUNTS))
    return promise
  }
  return { statfs, calls, release }
}

/** Reads while the fake clock runs through the wait for slow mounts. */
async function readSlowly(sampler: FilesystemSampler, clock: FakeClock, text = THREE) {
  const reading = sampler.read(() => text)
  await clock.advance(1_000)
  return (await reading)?.map((filesystem) => filesystem.mount)
}

describe('FilesystemSampler', () => {
  test('is undefined without a list of mounts', async () => {
    expect(await new FilesystemSampler(new FakeClock()).read(() => undefined)).toBeUndefined()
  })

  test('has one pending call on a hung mount, which is stale after 5 s and recovers', async () => {
    const clock = new FakeClock()
    const hung = new Set<string>()
    const { statfs, calls, release } = hangingStatfs(hung)
    const sampler = new FilesystemSampler(clock, statfs)
    expect(await readSlowly(sampler, clock)).toEqual(['/a', '/b', '/c'])
    hung.add('/b')
    await clock.advance(4_500)
    // The last figures hold while the call is young.
    expect(await readSlowly(sampler, clock)).toEqual(['/a', '/b', '/c'])
    await clock.advance(5_000)
    expect(await readSlowly(sampler, clock)).toEqual(['/a', '/c'])
    expect(await readSlowly(sampler, clock)).toEqual(['/a', '/c'])
    expect(sampler.staleMounts()).toEqual(['/b'])
    expect(calls.filter((path) => path === '/b')).toHaveLength(2)
    hung.clear()
    release.get('/b')?.()
    await clock.advance(0)
    expect(await readSlowly(sampler, clock)).toEqual(['/a', '/b', '/c'])
    expect(sampler.staleMounts()).toEqual([])
  })

  test('repeats the last values in frequent samples until the next refresh is due', async () => {
    const clock = new FakeClock()
    const { statfs, calls } = hangingStatfs(new Set())
    const sampler = new FilesystemSampler(clock, statfs)
    for (let second = 0; second < 4; second++) expect(await readSlowly(sampler, clock)).toEqual(['/a', '/b', '/c'])
    expect(calls).toHaveLength(3)
    await clock.advance(500)
    await readSlowly(sampler, clock)
    expect(calls).toHaveLength(6)
  })

  test('lists mounts once a minute, and at once when a filesystem looks like another or cannot be read', async () => {
    const clock = new FakeClock()
    let blocks = 1_000
    let text = THREE
    const statfs: Statfs = (path) =>
      path === '/b' && blocks === 0 ? Promise.reject(new Error('ENOENT')) : Promise.resolve({ ...COUNTS, blocks })
    const sampler = new FilesystemSampler(clock, statfs)
    const read = async (seconds: number) => {
      await clock.advance(seconds * 1_000)
      return (await sampler.read(() => text))?.map(({ mount }) => mount)
    }
    expect(await read(0)).toEqual(['/a', '/b', '/c'])
    text = line(2, '/b') + line(3, '/c')
    expect(await read(50)).toEqual(['/a', '/b', '/c'])
    expect(await read(10)).toEqual(['/b', '/c'])
    // One was unmounted: its path shows the filesystem below it.
    text = line(2, '/b')
    blocks = 5_000
    expect(await read(10)).toEqual(['/b'])
    // Another has its place: it is read in the same sample.
    text = line(1, '/a') + line(4, '/c')
    blocks = 0
    expect(await read(10)).toEqual([])
    blocks = 900
    expect(await read(10)).toEqual(['/a', '/c'])
    text = line(4, '/c') + line(5, '/d')
    blocks = 800
    expect(await read(10)).toEqual(['/c', '/d'])
  })

  test('has at most two pending calls, so that the thread pool stays usable', async () => {
    const clock = new FakeClock()
    const { statfs, calls } = hangingStatfs(new Set(['/a', '/b', '/c']))
    const sampler = new FilesystemSampler(clock, statfs)
    expect(await readSlowly(sampler, clock)).toEqual([])
    expect(await readSlowly(sampler, clock)).toEqual([])
    expect(calls).toEqual(['/a', '/b'])
  })

  test('has no values for an unreadable mount and removes an unmounted one', async () => {
    const clock = new FakeClock()
    const sampler = new FilesystemSampler(clock, (path) =>
      path === '/a' ? Promise.reject(new Error('EACCES')) : Promise.resolve(COUNTS),
    )
    expect(await readSlowly(sampler, clock)).toEqual(['/b', '/c'])
    await clock.advance(60_000)
    expect(await readSlowly(sampler, clock, line(3, '/c'))).toEqual(['/c'])
  })
})
