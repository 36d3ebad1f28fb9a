import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { takeOwnerLock } from './owner-lock.ts'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vdt-'))
  path = join(folder, 'owner')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('a second owner is refused while the first lives, and takes it after the release', async () => {
  const first = await takeOwnerLock(path)
  await expect(takeOwnerLock(path)).rejects.toThrow(`process ${process.pid}`)
  await first.release()
  const second = await takeOwnerLock(path)
  await second.release()
  expect(await readdir(folder)).toEqual([])
})

test.each([
  ['a process that is gone', JSON.stringify({ pid: 2 ** 22 + 1, token: 'x/1' })],
  ['a process whose id was used again', JSON.stringify({ pid: process.pid, token: 'another boot/1' })],
  ['a text cut short', '{"pid":1'],
])('the lock of %s is taken over', async (_, text) => {
  await writeFile(path, text)
  const lock = await takeOwnerLock(path)
  expect(await readFile(path, 'utf8')).toContain(`"pid":${process.pid}`)
  await lock.release()
})

test('of twenty who find a stale lock one gets it', async () => {
  await writeFile(path, JSON.stringify({ pid: 2 ** 22 + 1, token: 'x/1' }))
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => takeOwnerLock(path)))
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
  expect(await readdir(folder)).toEqual(['owner'])
})

test('of twenty one gets it, however often it is tried, and also when one died while it cleared', async () => {
  for (let round = 0; round < 60; round += 1) {
    await writeFile(path, JSON.stringify({ pid: 2 ** 22 + 1, token: `x/${round}` }))
    if (round % 2 === 0) await writeFile(`${path}.clearing`, JSON.stringify({ pid: 2 ** 22 + 2, token: 'x/2' }))
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => takeOwnerLock(path)))
    const locks = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    expect(locks).toHaveLength(1)
    await locks[0]?.release()
    expect(await readdir(folder)).toEqual([])
  }
})

test('a release leaves the lock of another alone', async () => {
  const lock = await takeOwnerLock(path)
  await writeFile(path, 'another')
  await lock.release()
  expect(await readFile(path, 'utf8')).toBe('another')
})
