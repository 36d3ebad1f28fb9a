import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createContext, Script } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { build, type OutputChunk } from 'rolldown'
import { beforeAll, describe, expect, test } from 'vitest'
import { startStub } from './stub.ts'

const folder = join(import.meta.dirname, '..')
const bundled = async (format: 'esm' | 'iife', minify: boolean): Promise<OutputChunk> => {
  const { output } = await build({
    input: join(folder, 'src/index.ts'),
    platform: 'neutral',
    write: false,
    output: { format, minify, name: 'vedette' },
  })
  return output[0]
}

describe('the bundle', () => {
  let chunk: OutputChunk
  beforeAll(async () => {
    chunk = await bundled('esm', true)
  })

  test('contains only the client: no TypeBox, no shared schema, no import', () => {
    expect(chunk.moduleIds.filter((id) => !id.startsWith(join(folder, 'src')))).toEqual([])
    expect([...chunk.imports, ...chunk.dynamicImports]).toEqual([])
    expect(chunk.code).not.toMatch(/typebox|~kind|additionalProperties|node:/i)
  })

  test('is about as small as the README states', () => {
    const said = /([\d.]+) kB minified, ([\d.]+) kB with gzip/.exec(readFileSync(join(folder, 'README.md'), 'utf8'))
    const sizes = [Buffer.byteLength(chunk.code), gzipSync(chunk.code, { level: 9 }).length]
    for (const [at, bytes] of sizes.entries()) expect(Math.abs(bytes / 1000 / Number(said?.[at + 1]) - 1)).toBeLessThan(0.15)
  })

  test('runs with the globals of every browser only', async () => {
    const stub = await startStub()
    stub.plan({ json: { required: true } })
    const browser = { fetch, URL, URLSearchParams, AbortController, setTimeout, clearTimeout, baseUrl: stub.url }
    const { code } = await bundled('iife', false)
    const run = new Script(`${code}; vedette.createClient({ baseUrl }).setup.read()`)
    expect(await run.runInContext(createContext(browser))).toEqual({ required: true })
    await stub.close()
  })
})
