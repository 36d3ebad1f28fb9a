import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProbeResult } from '@vedette/shared'
import { afterAll, expect, it } from 'vitest'
import { openSpool as open, type Spool } from './spool.ts'

const folder = mkdtempSync(join(tmpdir(), 'vdt-spool-'))
const opened: Spool[] = []
afterAll(async () => {
  for (const spool of opened) await spool.close()
  rmSync(folder, { recursive: true, force: true })
})
let files = 0
const newPath = () => join(folder, `${(files += 1)}.spool`)

async function openSpool(...given: Parameters<typeof open>): Promise<Spool> {
  const spool = await open(...given)
  opened.push(spool)
  return spool
}

const result = (n: number, message = '') => ({ claim: `1.${n}.1`, error: { code: 'status', message } }) as ProbeResult
const claims = (results: readonly ProbeResult[]) => results.map(({ claim }) => claim)
const ALL = [1_000, Number.POSITIVE_INFINITY] as const

it('results survive a restart in their order', async () => {
  const path = newPath()
  const spool = await openSpool(path)
  await Promise.all([spool.append([result(1), result(2)]), spool.append([result(3, 'ü\n')])])
  expect(statSync(path).mode & 0o777).toBe(0o600)
  // Nothing is closed: the process was killed.
  const again = await openSpool(path)
  expect(again.oldest(...ALL)).toEqual([result(1), result(2), result(3, 'ü\n')])
})

it('submitted results are removed', async () => {
  const path = newPath()
  const spool = await openSpool(path)
  await spool.append([result(1), result(2)])
  await spool.remove(spool.oldest(1, 1_000))
  expect(claims(spool.oldest(...ALL))).toEqual(['1.2.1'])
  await spool.remove(spool.oldest(...ALL))
  expect(readFileSync(path, 'utf8')).toBe('')
  expect((await openSpool(path)).waiting).toBe(0)
})

it('a truncated line and a damaged line are ignored', async () => {
  const path = newPath()
  const spool = await openSpool(path)
  await spool.append([result(1), result(2), result(3)])
  truncateSync(path, statSync(path).size - 5)
  expect(claims((await openSpool(path)).oldest(...ALL))).toEqual(['1.1.1', '1.2.1'])
  writeFileSync(path, readFileSync(path, 'utf8').replace('1.1.1', '1.7.1'))
  expect(claims((await openSpool(path)).oldest(...ALL))).toEqual(['1.2.1'])
})

it('a truncated line does not corrupt the next one', async () => {
  const path = newPath()
  const spool = await openSpool(path)
  await spool.append([result(1), result(2)])
  truncateSync(path, statSync(path).size - 5)
  const again = await openSpool(path)
  await again.append([result(3)])
  expect(claims((await openSpool(path)).oldest(...ALL))).toEqual(['1.1.1', '1.3.1'])
})

it('at the size limit the oldest results are dropped and counted', async () => {
  const path = newPath()
  const spool = await openSpool(path, 10_000)
  for (let n = 0; n < 100; n += 1) await spool.append([result(n, 'x'.repeat(900))])
  expect(spool.waiting).toBe(10)
  expect(spool.dropped).toBe(90)
  expect(claims(spool.oldest(1, 10_000))).toEqual(['1.90.1'])
})

it('the file does not grow with removed results', async () => {
  const path = newPath()
  const spool = await openSpool(path)
  const large = 'x'.repeat(100_000)
  await spool.append([result(0)])
  for (let n = 1; n <= 120; n += 1) {
    await spool.append([result(n, large)])
    await spool.remove(spool.oldest(1, 1_000_000))
  }
  expect(statSync(path).size).toBeLessThan(9_000_000)
  expect(claims((await openSpool(path)).oldest(...ALL)).at(-1)).toBe('1.120.1')
})

it('a batch is limited by number and by bytes and is never empty', async () => {
  const spool = await openSpool(newPath())
  await spool.append([result(1, 'x'.repeat(500)), result(2), result(3)])
  expect(spool.oldest(2, 10_000)).toHaveLength(2)
  expect(spool.oldest(10, 620)).toHaveLength(1)
  expect(spool.oldest(10, 10)).toHaveLength(1)
})

it('removing results that were dropped meanwhile removes nothing else', async () => {
  const spool = await openSpool(newPath(), 3_000)
  await spool.append([result(1, 'x'.repeat(900)), result(2, 'x'.repeat(900))])
  const onItsWay = spool.oldest(...ALL)
  await spool.append([result(3, 'x'.repeat(900)), result(4, 'x'.repeat(900))])
  await spool.remove(onItsWay)
  expect(claims(spool.oldest(...ALL))).toEqual(['1.3.1', '1.4.1'])
})
