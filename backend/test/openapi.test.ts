import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Linter, redocly, spectral } from '@vedette/contract/linters'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { Type } from 'typebox'
import { NO_ANNOUNCEMENTS } from './changes.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../src/app.ts'
import { silentLog } from '../src/platform/logging/log.ts'
import { createSecrets } from '../src/platform/crypto/installation-secrets.ts'
import { parseSettings } from '../src/operating/settings/index.ts'
import type { Loose } from './answer.ts'
import { casesOf, isWhole } from './deal.ts'
import { startTestBackend, TEST_SECRET, type TestBackend } from './harness.ts'

let backend: TestBackend
let document: Loose
const folder = mkdtempSync(join(tmpdir(), 'vedette-description-'))
beforeAll(async () => {
  backend = await startTestBackend({ throughProxy: false })
  // Throws, and names the operations without texts or examples.
  backend.vedette.app.swagger()
  document = (await backend.call('GET', '/openapi.json')).body
})
afterAll(async () => {
  await backend.close()
  rmSync(folder, { recursive: true })
})

/** What a linter finds in the description of the running app, after a change. */
async function lint(linter: Linter, change: (document: Loose) => void = () => undefined): Promise<string[]> {
  const changed = structuredClone(document)
  change(changed)
  const file = join(folder, `${linter.name}.json`)
  writeFileSync(file, JSON.stringify(changed))
  return (await linter(file)).map(({ rule, location, message }) => `${rule} ${location} ${message}`)
}

/** Leaves these paths in the document, and what they refer to. */
function keepPaths(changed: Loose, paths: readonly string[]): void {
  changed.paths = Object.fromEntries(paths.map((path) => [path, changed.paths[path]]))
  const { components } = changed
  const used = new Set<string>()
  const collect = (root: Loose) => {
    for (const { value } of objectsIn(root)) {
      const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(String(value.$ref ?? '')) ?? []
      const part = `${kind}/${name}`
      if (name === '' || used.has(part)) continue
      used.add(part)
      collect(components[kind][name])
    }
  }
  collect(changed.paths)
  for (const { value } of objectsIn(changed.paths))
    for (const name of (value.security ?? []).flatMap(Object.keys)) used.add(`securitySchemes/${name}`)
  for (const [kind, parts] of Object.entries<Loose>(components))
    components[kind] = Object.fromEntries(Object.entries(parts).filter(([name]) => used.has(`${kind}/${name}`)))
}

it('the OpenAPI document has no component that no path refers to', () => {
  const changed = structuredClone(document)
  keepPaths(changed, Object.keys(document.paths))
  expect(changed).toEqual(document)
})

describe.each<readonly [string, Linter]>([
  ['redocly', redocly],
  // It takes 25 s of a core, and finds little that the other one does not.
  ...(isWhole ? [['spectral', spectral] as const] : []),
])('the linter %s', (_, linter) => {
  it('reports no fault of the OpenAPI document', { timeout: 60_000 }, async () => {
    // A linter's time is its paths': one for each noun, at night all.
    const nounOf = (path: string) => path.split('/')[2] ?? ''
    const paths = casesOf(Object.keys(document.paths), { row: () => '', kind: nounOf, outcome: () => '' })
    expect(await lint(linter, (changed) => keepPaths(changed, paths))).toEqual([])
  })

  it('reports planted faults of the OpenAPI document', { timeout: 60_000 }, async () => {
    const found = await lint(linter, ({ paths }) => {
      for (const path of Object.keys(paths)) if (path !== '/v1/servers') delete paths[path]
      const { get } = paths['/v1/servers']
      delete get.operationId
      get.responses['200'].content['application/json'].examples.example.value.total = 'many'
    })
    expect(found.filter((text) => /operationId/i.test(text))).not.toEqual([])
    expect(found.filter((text) => /example/i.test(text))).not.toEqual([])
  })
})

/** Every object below `root`, with its path. */
function* objectsIn(root: Loose, path: string[] = []): Generator<{ value: Loose; path: string[] }> {
  if (typeof root !== 'object' || root === null) return
  yield { value: root, path }
  for (const [name, value] of Object.entries(root)) yield* objectsIn(value, [...path, name])
}

const operations = () =>
  Object.entries<Loose>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Loose>(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  )

it('the OpenAPI document has a valid example of every body, of successes and errors', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ;(addFormats as unknown as (ajv: unknown) => void)(ajv)
  ajv.addSchema({ ...document, $id: 'api' })
  const validators = new Map<string, ReturnType<typeof ajv.compile>>()
  const wrong: string[] = []
  let count = 0
  for (const { value, path } of objectsIn(document)) {
    if (path.at(-2) !== 'content') continue
    const { schema, examples = {} } = value
    const validate = validators.get(schema.$ref) ?? ajv.compile({ $ref: `api${schema.$ref}` })
    validators.set(schema.$ref, validate)
    if (Object.keys(examples).length === 0) wrong.push(`${path.join('.')} has none`)
    for (const [title, example] of Object.entries<Loose>(examples)) {
      count += 1
      if (!validate(example.value)) wrong.push(`${path.join('.')} ${title}: ${ajv.errorsText(validate.errors)}`)
    }
  }
  expect(wrong).toEqual([])
  expect(count).toBeGreaterThan(operations().length)
})

it('the OpenAPI document has one name for each schema', () => {
  const pathsByShape = new Map<string, string[]>()
  for (const [name, root] of Object.entries(document.components.schemas)) {
    for (const { value, path } of objectsIn(root, [name])) {
      const isShape =
        value.enum?.length > 1 || typeof value.properties === 'object' || typeof value.items?.properties === 'object'
      if (!isShape || path.at(-1) === 'properties') continue
      const { description: _description, default: _default, examples: _examples, ...shape } = value
      const text = JSON.stringify(shape)
      pathsByShape.set(text, [...(pathsByShape.get(text) ?? []), path.join('.')])
    }
  }
  expect([...pathsByShape.values()].filter((all) => all.length > 1)).toEqual([])
  expect(pathsByShape.size).toBeGreaterThan(40)
  for (const { operation, name } of operations()) {
    const media = [...objectsIn([operation.requestBody, operation.responses])].filter(({ path }) => path.at(-2) === 'content')
    for (const { value } of media) expect(Object.keys(value.schema), name).toEqual(['$ref'])
  }
})

it('the OpenAPI document has the name of a person next to their e-mail', () => {
  const people = [...objectsIn(document.components.schemas)].filter(({ value }) => value.user_id && value.email)
  expect(people.length).toBeGreaterThanOrEqual(4)
  expect(people.filter(({ value }) => !value.name).map(({ path }) => path.join('.'))).toEqual([])
})

it('the OpenAPI document is of version 3.1: null is a type, and a field with a default is optional', () => {
  expect(document.openapi).toBe('3.1.0')
  for (const { value, path } of objectsIn(document.components.schemas)) {
    expect(value, path.join('.')).not.toHaveProperty('nullable')
  }
  const required = operations().flatMap(({ name, operation }) =>
    operation.parameters
      .filter((one: Loose) => one.schema?.default !== undefined && one.required)
      .map((one: Loose) => `${name} ${one.name}`),
  )
  expect(required).toEqual([])
})

it('the OpenAPI document states the default rate limits', () => {
  const { rateLimits } = parseSettings({}, '/nowhere')
  const stated =
    /The defaults are (\d+) below `\/v1\/auth`, ([\d,]+) below `\/v1\/agent` and `\/v1\/probe`, (\d+) below `\/v1\/prometheus\/api`, (\d+) of the others below `\/v1\/prometheus`, and elsewhere below `\/v1` (\d+) reads and (\d+) writes, (\d+) reads of a session of the dashboard; (\d+) pings of each heartbeat; (\d+) requested checks of a monitor; ([\d,]+) requests outside/
  const [, auth, agent, query, scrape, read, write, dashboard, ping, check, page] =
    stated.exec(document.info.description.replaceAll('\n', ' ')) ?? []
  const machines = agent?.replace(',', '')
  expect({
    auth,
    agent: machines,
    probe: machines,
    read,
    write,
    dashboard,
    ping,
    check,
    query,
    scrape,
    page: page?.replace(',', ''),
  }).toEqual(Object.fromEntries(Object.entries(rateLimits || {}).map(([group, limit]) => [group, String(limit)])))
})

describe('a route that says too little', () => {
  const answer = { 200: Type.Object({ name: Type.String() }) }
  const words = { operationId: 'getSecret', summary: 'A secret', description: 'A secret.', tags: ['servers'] }

  /** The app before it is ready, when routes can still be added. */
  const unstarted = () =>
    createApp({
      settings: backend.settings,
      pool: backend.pool,
      clock: backend.clock,
      databaseClock: { now: () => backend.clock.now(), measure: () => Promise.resolve() },
      log: silentLog,
      secrets: createSecrets([TEST_SECRET]),
      uptime: { startedAtMs: 0, aliveBeforeMs: undefined },
      changes: NO_ANNOUNCEMENTS,
      tls: undefined,
      version: 'test',
      environment: {},
    })

  it.each([
    ['an operationId', { ...words, operationId: '' }, /GET \/v1\/secrets is missing an operationId of verb and noun/],
    ['one of its own', { ...words, operationId: 'listServers' }, /GET \/v1\/secrets is missing an operationId that is not taken/],
    ['a summary', { ...words, summary: '' }, /GET \/v1\/secrets is missing a summary/],
    ['a description', { ...words, description: '' }, /GET \/v1\/secrets is missing a description/],
    ['a known tag', { ...words, tags: ['secrets'] }, /GET \/v1\/secrets is missing one tag/],
    ['an example', words, /GET \/v1\/secrets is missing an example of 200/],
  ])('leaves no description to publish: without %s', async (_, schema, message) => {
    const { app } = await unstarted()
    app.get('/v1/secrets', { schema: { ...schema, response: answer }, config: { access: 'open' } }, async () => ({
      name: 'a',
    }))
    await app.ready()
    expect(() => app.swagger()).toThrow(message)
    await app.close()
  })
})
