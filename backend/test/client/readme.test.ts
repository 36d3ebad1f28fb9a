import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestBackend, type TestBackend } from '../harness.ts'

const REPOSITORY = join(import.meta.dirname, '../../..')

describe("the README's example", () => {
  let backend: TestBackend
  let folder: string
  beforeAll(async () => {
    backend = await startTestBackend()
    folder = mkdtempSync(join(tmpdir(), 'vedette-example-'))
    const text = readFileSync(join(REPOSITORY, 'client/README.md'), 'utf8')
    writeFileSync(join(folder, 'example.ts'), /^```ts\n([^]*?)^```/m.exec(text)?.[1] ?? '')
    // A project of its own, which has the client and the types of Node among its packages.
    for (const [name, target] of Object.entries({ '@vedette/client': 'client', '@types/node': 'node_modules/@types/node' })) {
      mkdirSync(join(folder, 'node_modules', name, '..'), { recursive: true })
      symlinkSync(join(REPOSITORY, target), join(folder, 'node_modules', name))
    }
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await backend?.close()
  })

  const run = (...argv: string[]) =>
    promisify(execFile)(process.execPath, argv, { cwd: folder, env: { ...process.env, ...environment } })
  let environment = {}

  test('runs as it stands there', async () => {
    const organization = await backend.organization()
    await backend.server(organization)
    const { 'x-api-key': API_KEY } = await backend.apiKey(organization, 'admin')
    environment = { API_KEY, BASE_URL: await backend.vedette.app.listen({ port: 0 }) }
    expect((await run('example.ts')).stdout).toMatch(
      /^web-1 offline unknown\nmade key_\w{26}, which begins with vdt_key_\w{6}\nno such server \(request [0-9a-f-]{36}\)\n\d+ requests are left in this minute\n$/,
    )
  })

  test('is right in the eyes of the compiler', async () => {
    const options = ['--strict', '--noEmit', '--target', 'es2024', '--module', 'nodenext', '--types', 'node', '--skipLibCheck']
    const allow = ['--allowImportingTsExtensions', '--exactOptionalPropertyTypes']
    const tsc = join(REPOSITORY, 'node_modules/typescript/bin/tsc')
    expect(await run(tsc, ...options, ...allow, 'example.ts')).toEqual({ stdout: '', stderr: '' })
  })
})
