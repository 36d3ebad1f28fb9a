import { DAY_MS } from '@vedette/shared'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createFakeClock } from '../../../../test/fake-clock.ts'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { OWN_LOCKS } from '../../../../test/database-locks.ts'
import type { Db } from '../../db/index.ts'
import { invalid } from '../../errors.ts'
import { deleteOldAnswers } from '../../idempotency/index.ts'
import { silentLog } from '../../logging/log.ts'
import { createEncrypter } from '../../crypto/encrypter.ts'
import { type App, createCreating, createServer, createUnlimited, requireIdempotency } from '../index.ts'

const LIMITS = {
  auth: 10,
  read: 100,
  write: 30,
  agent: 1_000,
  probe: 1_000,
  ping: 1,
  scrape: 1,
  query: 1,
  page: 1,
  dashboard: 1,
  check: 1,
}

let backend: TestBackend
let apps: App[] = []
/** Runs after a thing was stored and before its transaction ends. */
let beforeCommit: (db: Db) => Promise<void> = () => Promise.resolve()
beforeAll(async () => {
  backend = await startTestBackend()
})
afterEach(async () => {
  beforeCommit = () => Promise.resolve()
  await Promise.all(apps.map((app) => app.close()))
  apps = []
})
afterAll(() => backend.close())

/** A server that stores its things as rows of the settings, shared by all callers. */
function startServer(encryptionKey = 1): App {
  const { pool, clock } = backend
  const { db } = pool
  const limiter = createUnlimited(LIMITS, clock)
  const app = createServer({ log: silentLog, clock, limiter, trustedProxies: 0, tls: undefined, schemas: [] })
  requireIdempotency(app)
  const senderOf = (request: object) => {
    const { headers } = request as { headers: Record<string, string | undefined> }
    return { credential: headers['x-user'] ?? 'user:1', organization: headers['x-organization'] }
  }
  const creating = createCreating({ db, clock, senderOf, encrypter: createEncrypter([Buffer.alloc(32, encryptionKey)]) })
  const Thing = Type.Object({ id: Type.String(), name: Type.String() })
  const Body = Type.Object({ name: Type.String(), size: Type.Optional(Type.Integer()) }, { additionalProperties: false })
  for (const url of ['/v1/things', '/v1/others']) {
    app.post(url, { schema: { body: Body, response: { 201: Thing } }, config: { idempotent: true } }, async (request, reply) =>
      creating(request, reply, async (db) => {
        const { name } = request.body
        if (name === 'refused') throw invalid({ path: 'name', message: 'is refused' })
        const id = `thing ${randomUUID()}`
        const row = { name: id, value: JSON.stringify(name), updated_at: new Date(clock.now()) }
        await db.insertInto('setting').values(row).execute()
        await beforeCommit(db)
        return { status: 201, id, location: `${url}/${id}`, body: { id, name, hidden: 'not in the schema' } }
      }),
    )
  }
  apps.push(app)
  return app
}

async function post(app: App, key: string | undefined, body: object = { name: 'a' }, headers: object = {}, url = '/v1/things') {
  const given = { ...(key === undefined ? {} : { 'idempotency-key': key }), ...headers }
  const response = await app.inject({ method: 'POST', url, headers: given, payload: body })
  return { status: response.statusCode, headers: response.headers, text: response.body, body: JSON.parse(response.body) }
}

const countThings = async () =>
  (await backend.pool.db.selectFrom('setting').select('name').where('name', 'like', 'thing %').execute()).length

async function made<T>(run: () => Promise<T>): Promise<{ result: T; things: number }> {
  const before = await countThings()
  const result = await run()
  return { result, things: (await countThings()) - before }
}

describe('Idempotency-Key', () => {
  it('answers a repeat with the first response, and does nothing [IDEM-03]', async () => {
    const app = startServer()
    const first = await post(app, 'one')
    const { result: again, things } = await made(() => post(app, 'one'))
    expect(first.status).toBe(201)
    expect(again.status).toBe(201)
    expect(again.text).toBe(first.text)
    expect(first.body).toEqual({ id: expect.any(String), name: 'a' })
    expect(again.headers['location']).toBe(first.headers['location'])
    expect(again.headers['content-type']).toBe(first.headers['content-type'])
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(first.headers['idempotent-replayed']).toBeUndefined()
    expect(things).toBe(0)
  })

  it('the stored answer is encrypted, and without its secret a repeat gets the created id', async () => {
    const first = await post(startServer(), 'encrypted', { name: 'hunter22' })
    const { body } = await backend.pool.db
      .selectFrom('idempotency_key')
      .select('body')
      .where('key', '=', 'encrypted')
      .executeTakeFirstOrThrow()
    expect(Buffer.from(body as string, 'base64').toString('latin1')).not.toContain('hunter22')
    expect((await post(startServer(), 'encrypted', { name: 'hunter22' })).text).toBe(first.text)
    const { result: again, things } = await made(() => post(startServer(2), 'encrypted', { name: 'hunter22' }))
    expect([again.status, again.body.error.details]).toEqual([409, [{ path: 'id', message: first.body.id }]])
    expect(things).toBe(0)
  })

  it('is not needed: without it each request is its own', async () => {
    const app = startServer()
    const { things } = await made(() => Promise.all([post(app, undefined), post(app, undefined)]))
    expect(things).toBe(2)
  })

  it('makes one thing of 20 parallel repeats over two backends [IDEM-03, IDEM-07]', async () => {
    const servers = [startServer(), startServer()]
    for (let round = 0; round < 5; round += 1) {
      const key = `parallel ${round}`
      const { result, things } = await made(() =>
        Promise.all(Array.from({ length: 20 }, (_, n) => post(servers[n % 2] as App, key))),
      )
      expect(things).toBe(1)
      const done = result.filter(({ status }) => status === 201)
      expect(done.length).toBeGreaterThan(0)
      expect(new Set(done.map(({ text }) => text)).size).toBe(1)
      for (const { status, headers } of result.filter(({ status }) => status !== 201))
        expect([status, headers['retry-after']]).toEqual([409, '1'])
      expect((await post(servers[0] as App, key)).text).toBe(done[0]?.text)
    }
  })

  it('refuses another body, path or organization under the same key; the order of fields is no difference [IDEM-06]', async () => {
    const app = startServer()
    const first = await post(app, 'two', { name: 'a', size: 1 })
    expect((await post(app, 'two', { size: 1, name: 'a' })).text).toBe(first.text)
    const { result, things } = await made(() =>
      Promise.all([
        post(app, 'two', { name: 'b', size: 1 }),
        post(app, 'two', { name: 'a' }),
        post(app, 'two', { name: 'a', size: 1 }, {}, '/v1/others'),
        post(app, 'two', { name: 'a', size: 1 }, { 'x-organization': 'other' }),
      ]),
    )
    for (const { status, body, headers } of result) {
      expect([status, body.error.code]).toEqual([409, 'conflict'])
      // With the lock of a neighbour in this race it may also say "under way".
      expect(headers['retry-after'] ?? '1').toBe('1')
    }
    const alone = await post(app, 'two', { name: 'b', size: 1 })
    expect([alone.status, alone.headers['retry-after']]).toEqual([409, undefined])
    expect(things).toBe(0)
  })

  it('belongs to one credential [IDEM-05]', async () => {
    const app = startServer()
    const mine = await post(app, 'three')
    const theirs = await post(app, 'three', { name: 'b' }, { 'x-user': 'user:2' })
    expect(theirs.status).toBe(201)
    expect(theirs.body.id).not.toBe(mine.body.id)
  })

  it('errors are not stored: the same key runs the request again', async () => {
    const app = startServer()
    expect((await post(app, 'four', { name: 'refused' })).status).toBe(400)
    beforeCommit = () => Promise.reject(new Error('at the last moment'))
    const { result: failed, things } = await made(() => post(app, 'four'))
    expect([failed.status, things]).toEqual([500, 0])
    beforeCommit = () => Promise.resolve()
    expect((await post(app, 'four')).status).toBe(201)
  })

  it('answers 409 with a time to come back while the first is under way [IDEM-07]', async () => {
    const app = startServer()
    const reached = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    beforeCommit = async () => {
      reached.resolve()
      await goOn.promise
    }
    const first = post(app, 'five')
    await reached.promise
    const meanwhile = await post(app, 'five')
    expect([meanwhile.status, meanwhile.body.error.code, meanwhile.headers['retry-after']]).toEqual([409, 'conflict', '1'])
    goOn.resolve()
    const { text } = await first
    expect((await post(app, 'five')).text).toBe(text)
  })

  it('is kept for 24 hours [IDEM-04]', async () => {
    const app = startServer()
    const { clock, pool } = backend
    const first = await post(app, 'six')
    clock.advance(DAY_MS - 1)
    expect((await post(app, 'six')).text).toBe(first.text)
    clock.advance(1)
    const later = await post(app, 'six')
    expect(later.status).toBe(201)
    expect(later.body.id).not.toBe(first.body.id)
    expect((await post(app, 'six')).text).toBe(later.text)
    await deleteOldAnswers(pool.db, clock.now())
    const rows = await pool.db.selectFrom('idempotency_key').select('key').execute()
    expect(rows).toEqual([{ key: 'six' }])
  })

  it.each([
    ['', 400],
    ['x'.repeat(256), 400],
    ['schlüssel', 400],
    ['tab\tbed', 400],
    ['x'.repeat(255), 201],
    ['!~ with blanks', 201],
  ])('takes 1 to 255 printable characters: %j is %i [IDEM-02]', async (key, status) => {
    const answer = await post(startServer(), key)
    expect(answer.status).toBe(status)
    const paths = (answer.body.error?.details ?? []).map(({ path }: { path: string }) => path)
    expect(paths).toEqual(status === 400 ? ['idempotency-key'] : [])
  })

  it('a POST that does not declare whether it is idempotent stops the start, whatever it answers [IDEM-01]', () => {
    const { clock } = backend
    const limiter = createUnlimited(LIMITS, clock)
    const app = createServer({ log: silentLog, clock, limiter, trustedProxies: 0, tls: undefined, schemas: [] })
    requireIdempotency(app)
    const schema = { response: { 201: Type.Object({}) } }
    expect(() => app.post('/v1/silent', { schema }, () => ({}))).toThrow('POST /v1/silent does not declare')
    const found = { response: { 200: Type.Object({}) } }
    expect(() => app.post('/v1/found', { schema: found }, () => ({}))).toThrow('POST /v1/found does not declare')
    app.post('/v1/clear', { schema, config: { idempotent: false } }, () => ({}))
    apps.push(app)
  })
})

describe('a process that is killed', () => {
  /** Another backend that does the work of a key, and hangs before it is done. */
  const CHILD = `
    const [, url, root] = process.argv
    const { createPool } = await import(root + 'db/index.ts')
    const { systemClock } = await import(root + 'time/clock.ts')
    const { silentLog } = await import(root + 'logging/log.ts')
    const { runOnce } = await import(root + 'idempotency/index.ts')
    const pool = createPool({ url, clock: systemClock, log: silentLog })
    const request = { credential: 'user:1', key: 'killed', content: [null, 'POST', '/v1/things', { name: 'a' }] }
    await runOnce({ db: pool.db, clock: systemClock }, request, async (db) => {
      await db.insertInto('setting').values({ name: 'thing of the dead', value: '1', updated_at: new Date() }).execute()
      console.log('working')
      await new Promise((resolve) => setTimeout(resolve, 60_000))
    })`

  it('in the middle leaves nothing behind: the same key runs the request again at once', async () => {
    const app = startServer()
    const root = new URL('../../', import.meta.url).href
    const child = spawn(process.execPath, ['--input-type=module', '-e', CHILD, backend.databaseUrl, root], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    const meanwhile = await post(app, 'killed')
    expect([meanwhile.status, meanwhile.headers['retry-after']]).toEqual([409, '1'])
    const { things } = await made(async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
      let answer = await post(app, 'killed')
      // The server notices the broken connection a moment later.
      const patientUntil = performance.now() + 20_000
      while (answer.status === 409 && performance.now() < patientUntil) answer = await post(app, 'killed')
      expect(answer.status).toBe(201)
      expect((await post(app, 'killed')).text).toBe(answer.text)
    })
    expect(things).toBe(1)
  })

  it('after the commit and before the answer has done it: the repeat is given the answer', async () => {
    const [dying, living] = [startServer(), startServer()]
    const first = await post(dying, 'unheard')
    await dying.close()
    const { result, things } = await made(() => post(living, 'unheard'))
    expect([result.status, result.text, things]).toEqual([201, first.text, 0])
  })

  it('a connection that breaks before the commit does the work once more', async () => {
    const app = startServer()
    let tries = 0
    beforeCommit = async (db) => {
      tries += 1
      if (tries > 1) return
      const { rows } = await backend.pool.pg.query<{ pid: number }>(`select pid from ${OWN_LOCKS} where locktype = 'advisory'`)
      for (const { pid } of rows) await backend.pool.pg.query('select pg_terminate_backend($1)', [pid])
      await db.selectFrom('setting').select('name').limit(1).execute()
    }
    const { result, things } = await made(() => post(app, 'broken'))
    expect([result.status, things, tries]).toEqual([201, 1, 2])
  })
})

describe('answers that hold a secret', () => {
  it('are never stored: a repeat gets the created id [IDEM-08, IDEM-09]', async () => {
    const other = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: createFakeClock(backend.clock.now()) })
    const organization = await backend.organization()
    const as = await backend.apiKey(organization, 'agent')
    const body = { hostname: 'web-1', os: 'Debian', kernel: '6', arch: 'x64', agent_version: '1', machine_id: randomUUID() }
    const register = (at: TestBackend) =>
      at.call('POST', '/v1/agent/register', { as, body, headers: { 'idempotency-key': 'a host' } })
    const first = await register(backend)
    expect(first.status).toBe(201)
    for (const at of [backend, other]) {
      const again = await register(at)
      expect([again.status, again.body.error.code]).toEqual([409, 'conflict'])
      expect(again.body.error.message).toContain(first.body.server_id)
      expect(again.body.error.details).toEqual([{ path: 'id', message: first.body.server_id }])
      expect(again.headers['location']).toBe(first.headers['location'])
      expect(again.headers['retry-after']).toBeUndefined()
    }
    const push = await backend.call('PUT', '/v1/agent/facts', { as: { 'x-api-key': first.body.token }, body: {} })
    expect(push.status).toBe(204)
    const rows = await backend.pool.db.selectFrom('idempotency_key').selectAll().where('key', '=', 'a host').execute()
    expect(rows).toEqual([expect.objectContaining({ body: null, made_id: first.body.server_id, status: 201 })])
    expect(JSON.stringify(rows)).not.toContain('vdt_srv_')
    await other.close()
  })

  it('give 20 parallel registrations one living token', async () => {
    const organization = await backend.organization()
    const as = await backend.apiKey(organization, 'agent')
    const body = { hostname: 'web-1', os: 'Debian', kernel: '6', arch: 'x64', agent_version: '1', machine_id: randomUUID() }
    const headers = { 'idempotency-key': 'twenty' }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => backend.call('POST', '/v1/agent/register', { as, body, headers })),
    )
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, ...Array<number>(19).fill(409)])
  })

  it('say so for a new token of a server too, and the token that was given lives on [IDEM-08]', async () => {
    const organization = await backend.organization()
    const as = await backend.member(organization, 'admin')
    const { id } = await backend.server(organization)
    const regenerate = () =>
      backend.call('POST', `/v1/servers/${id}/regenerate-token`, { as, headers: { 'idempotency-key': 'fresh' } })
    const first = await regenerate()
    const again = await regenerate()
    expect([first.status, again.status]).toEqual([200, 409])
    const facts = await backend.call('PUT', '/v1/agent/facts', { as: { 'x-api-key': first.body.token }, body: {} })
    expect(facts.status).toBe(204)
  })

  it('is nothing to routes that are open: the header is ignored', async () => {
    const login = () =>
      backend.call('POST', '/v1/auth/login', {
        body: { email: 'nobody@example.com', password: 'x' },
        headers: { 'idempotency-key': 'ü' },
      })
    expect((await login()).status).toBe(401)
  })
})
