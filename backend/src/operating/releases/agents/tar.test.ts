import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readTar, TAR_END, tarHeader, tarPadding } from './tar.ts'

const FILES: [name: string, bytes: Buffer, isProgram: boolean][] = [
  ['top/bin/program', Buffer.from('#!/bin/sh\n'), true],
  ['top/empty', Buffer.alloc(0), false],
  ['top/block', Buffer.alloc(512, 'b'), false],
  ['top/long', Buffer.alloc(70_001, 'l'), false],
]
const tar = Buffer.concat([
  ...FILES.flatMap(([name, bytes, isProgram]) => [tarHeader(name, bytes.length, isProgram), bytes, tarPadding(bytes.length)]),
  TAR_END,
])

async function* inChunks(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
async function readAll(bytes: Buffer, chunk: number) {
  const found = new Map<string, Buffer>()
  for await (const { entry, piece } of readTar(inChunks(bytes, chunk)))
    found.set(entry.name, Buffer.concat([found.get(entry.name) ?? Buffer.alloc(0), piece]))
  return found
}

it.each([1_000_000, 512, 511, 97])('a tar that arrives in chunks of %i bytes has the files that were written', async (chunk) => {
  expect([...(await readAll(tar, chunk))]).toEqual(FILES.map(([name, bytes]) => [name, bytes]))
})

it('tar of the system unpacks what was written, with its modes, and writes what is read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-tar-'))
  writeFileSync(join(folder, 'made.tar'), tar)
  execFileSync('tar', ['-xf', 'made.tar'], { cwd: folder })
  expect(execFileSync('stat', ['-c', '%a', 'top/bin/program', 'top/long'], { cwd: folder, encoding: 'utf8' })).toBe('755\n644\n')
  for (const [name, bytes] of FILES) expect(readFileSync(join(folder, name))).toEqual(bytes)
  execFileSync('tar', ['-cf', 'other.tar', 'top/bin/program', 'top/long'], { cwd: folder })
  const read = await readAll(readFileSync(join(folder, 'other.tar')), 4096)
  expect([...read.keys()]).toEqual(['top/bin/program', 'top/long'])
})

it.each([100, 515, tar.length - TAR_END.length - 70_001])('a tar that ends after %i bytes is refused', async (bytes) => {
  await expect(readAll(tar.subarray(0, bytes), 4096)).rejects.toThrow('ends within a file')
})

it('a name that does not fit is refused', () => expect(() => tarHeader('n'.repeat(101), 0, false)).toThrow('too long'))
