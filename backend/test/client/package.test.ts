import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestBackend, type TestBackend } from '../harness.ts'

const REPOSITORY = join(import.meta.dirname, '../../..')
const TSC = join(REPOSITORY, 'node_modules/typescript/bin/tsc')

const USE = `
const client = createClient({ baseUrl: process.env['BASE_URL'] ?? '', apiKey: process.env['API_KEY'] ?? '' })
client.servers.list({ limit: 1 }).then(async ({ total, servers }) => {
  const error = await client.servers.read('srv_00000000000000000000000000').catch((thrown) => thrown)
  console.log(total, servers[0]?.hostname, error instanceof VedetteError && error.code)
})
`

describe('the packed client', () => {
  let backend: TestBackend
  let folder: string
  let environment: NodeJS.ProcessEnv
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  const run = async (program: string, ...args: string[]) =>
    (await promisify(execFile)(program, args, { cwd: folder, env: environment })).stdout
  const OPTIONS = ['--strict', '--target', 'es2023', '--lib', 'es2023,dom', '--types', 'node', '--ignoreConfig']
  const check = (module: string, resolution: string, file: string) =>
    run(process.execPath, TSC, ...OPTIONS, '--module', module, '--moduleResolution', resolution, file)

  beforeAll(async () => {
    backend = await startTestBackend()
    folder = mkdtempSync(join(tmpdir(), 'vedette-package-'))
    const organization = await backend.organization()
    await backend.server(organization)
    const { 'x-api-key': API_KEY } = await backend.apiKey(organization, 'read')
    const home = join(folder, 'home')
    environment = { ...process.env, API_KEY, BASE_URL: await backend.vedette.app.listen({ port: 0 }), npm_config_cache: home }
    await run(process.execPath, join(REPOSITORY, 'client/build/main.ts'), join(folder, 'built'))
    write('package.json', '{"name":"outside","version":"1.0.0"}')
    await run('npm', 'pack', '--silent', join(folder, 'built'))
    await run('npm', 'install', '--silent', '--offline', './vedette-client-0.1.0.tgz')
    mkdirSync(join(folder, 'node_modules/@types'))
    symlinkSync(join(REPOSITORY, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'))
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await backend?.close()
  })

  test('has no dependency, no TypeScript source and no link out of the package', () => {
    const packed = join(folder, 'node_modules/@vedette/client')
    const manifest = readFileSync(join(packed, 'package.json'), 'utf8')
    expect(manifest).not.toMatch(/workspace:|dependencies|private|src\//i)
    const files = readdirSync(packed)
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'index.cjs', 'index.d.cts', 'index.d.ts', 'index.js']))
    expect(files.filter((name) => /(?<!\.d)\.ts$/.test(name))).toEqual([])
    for (const name of files.filter((file) => /\.d\.c?ts$/.test(file)))
      expect(readFileSync(join(packed, name), 'utf8'), name).not.toMatch(/from '(?!\.\/[\w-]+\.c?js')/)
    expect(readFileSync(join(packed, 'README.md'), 'utf8')).not.toContain('](../')
  })

  test('runs from an ES module and from CommonJS', async () => {
    write('use.mjs', `import { createClient, VedetteError } from '@vedette/client'\n${USE}`)
    write('use.cjs', `const { createClient, VedetteError } = require('@vedette/client')\n${USE}`)
    for (const file of ['use.mjs', 'use.cjs']) expect(await run(process.execPath, file)).toBe('1 web-1 not_found\n')
  })

  test('has types for every module resolution, which the compiled programs run with', async () => {
    const source = `import { createClient, VedetteError, type Wire } from '@vedette/client'
      ${USE}
      // @ts-expect-error a field that no server has
      export const wrong = (server: Wire['ServerDetails']) => server.no_such_field
    `
    write('node16.mts', source)
    write('node16.cts', source)
    write('bundler.ts', source)
    await check('node16', 'node16', 'node16.mts')
    await check('node16', 'node16', 'node16.cts')
    await check('esnext', 'bundler', 'bundler.ts')
    for (const file of ['node16.mjs', 'node16.cjs']) expect(await run(process.execPath, file)).toBe('1 web-1 not_found\n')
  })

  test('satisfies publint and attw', async () => {
    const modules = join(REPOSITORY, 'client/node_modules')
    const publint = join(modules, 'publint/src/cli.js')
    expect(await run(process.execPath, publint, '--strict', join(folder, 'built'))).toContain('All good!')
    const attw = join(modules, '@arethetypeswrong/cli/dist/index.js')
    const tarball = join(folder, 'vedette-client-0.1.0.tgz')
    const { problems } = JSON.parse(await run(process.execPath, attw, tarball, '--format', 'json')) as { problems: object }
    expect(problems).toEqual({})
  })
})
