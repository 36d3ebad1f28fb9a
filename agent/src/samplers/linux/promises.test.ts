import { cpSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/fake-clock.ts'
import { fixture, fixturePath } from './fixtures.ts'
import { createLinuxSampler } from './sampler.ts'

/** A copy of the recorded host with other texts in it. */
function hostWith(texts: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'vedette-proc-'))
  cpSync(fixturePath('recorded/proc'), root, { recursive: true })
  for (const [path, text] of Object.entries(texts)) writeFileSync(join(root, path), text)
  return root
}

const line = (id: number, path: string) => `${id} 1 8:${id} / ${path} rw - ext4 /dev/x rw\n`
const freeOf: Record<string, number> = { '/': 50, '/full': 2, '/empty': 99 }

test('disk usage is that of the fullest filesystem, at any position in the list [SAMPLE-08]', async () => {
  for (const order of [
    ['/', '/full', '/empty'],
    ['/full', '/empty', '/'],
  ]) {
    const procRoot = hostWith({ 'self/mountinfo': order.map((path, index) => line(index + 1, path)).join('') })
    const free = (path: string) => freeOf[path] ?? 100
    const statfs = (path: string) => Promise.resolve({ bsize: 1, blocks: 100, bfree: free(path), bavail: free(path) })
    const sampler = createLinuxSampler(new FakeClock(), { procRoot, sysRoot: '/nowhere', statfs })
    const { values, filesystems } = await sampler.read(30_000)
    expect(filesystems).toHaveLength(3)
    expect(values.disk?.usage_percent).toBe(98)
    sampler.close()
  }
})

test('rates use the monotonic clock even if the wall clock is set [SAMPLE-02]', async () => {
  const clock = new FakeClock()
  const procRoot = hostWith({})
  const statfs = () => Promise.resolve({ bsize: 1, blocks: 100, bfree: 50, bavail: 50 })
  const sampler = createLinuxSampler(clock, { procRoot, sysRoot: '/nowhere', statfs })
  sampler.prime()
  clock.setWall(-3_600_000)
  await clock.advance(10_000)
  const before = fixture('recorded/proc/net/dev')
  const received = Number(/eth0:\s*(\d+)/.exec(before)?.[1])
  writeFileSync(join(procRoot, 'net/dev'), before.replace(/(eth0:\s*)\d+/, `$1${received + 40_000}`))
  const { values } = await sampler.read(30_000)
  expect(values.network?.rx_bytes_per_sec).toBe(4_000)
  sampler.close()
})
