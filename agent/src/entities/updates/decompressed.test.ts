import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { tree } from '../../../test/tree.ts'
import { eachDecompressed } from './decompressed.ts'

const root = tree({ 'folder/file': '' })
async function read(name: string, data: Buffer): Promise<string | false> {
  writeFileSync(join(root, name), data)
  let text = ''
  return (await eachDecompressed(join(root, name), (piece) => void (text += piece.toString()))) && text
}

it('reads gzip and zstd by their first bytes, whatever the name, and nothing else', async () => {
  expect(await read('a', gzipSync('one'))).toBe('one')
  expect(await read('a', zstdCompressSync('two'))).toBe('two')
  expect(await read('a', Buffer.from('BZh91AY&SY'))).toBe(false)
  expect(await read('a', Buffer.from('x'))).toBe(false)
})

it('a file that is cut, broken, away or a folder rejects, and is no error of the process', async () => {
  const whole = gzipSync('x'.repeat(100_000))
  await expect(read('cut', whole.subarray(0, whole.length - 20))).rejects.toThrow('unexpected end of file')
  await expect(read('broken', Buffer.concat([whole.subarray(0, 12), Buffer.alloc(40, 7)]))).rejects.toThrow(
    'invalid code lengths set',
  )
  await expect(eachDecompressed(join(root, 'away'), () => undefined)).rejects.toThrow('ENOENT')
  await expect(eachDecompressed(join(root, 'folder'), () => undefined)).rejects.toThrow('EISDIR')
})

it('what its reader throws rejects too', async () => {
  writeFileSync(join(root, 'a'), gzipSync('x'))
  const fail = () => {
    throw new Error('an element is too long')
  }
  await expect(eachDecompressed(join(root, 'a'), fail)).rejects.toThrow('an element is too long')
})
