import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttp } from 'node:http'
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTls } from 'node:tls'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../../../../../scripts/test-tools.ts'
import { makeAuthority } from '../../../../test/e2e/certificates.ts'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { createRefusalCounter } from '../refusals.ts'
import { createSecurityExport, EXPORTED_AT_ONCE } from '../sink/export.ts'
import { createSink, type Sink } from '../sink/sink.ts'
import { toSyslogFrame } from '../sink/syslog.ts'
import { recordSecurityEvent } from '../record.ts'
import type { InstallationSecurityEvent } from '../wire.ts'

const post = () => Promise.reject(new Error('no webhook'))

describe('the sink of the security log', () => {
  let one: TestBackend
  let other: TestBackend
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'vdt-sink-'))
    one = await startTestBackend()
    other = await startTestBackend({ databaseUrl: one.databaseUrl, clock: one.clock })
  })
  afterAll(async () => {
    await other.close()
    await one.close()
    rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    await one.pool.db.deleteFrom('security_event').execute()
  })
  const closing: (() => void)[] = []
  afterEach(() => {
    for (const close of closing.splice(0)) close()
  })

  const record = (region: string) =>
    recordSecurityEvent(
      one.pool.db,
      { type: 'probe_token.created', principal: 'system', ip: null, details: { region } },
      new Date(one.clock.now()),
    )
  /** Runs of an export of its own, as one process has it. */
  const exportBy = (sink: Sink, on = one) =>
    createSecurityExport({ db: on.pool.db, clock: on.clock, log: silentLog, sink, ending: new AbortController().signal })
  const pending = async () =>
    (await one.pool.db.selectFrom('security_event').select('id').where('exported_at', 'is', null).execute()).length
  const regions = (events: readonly InstallationSecurityEvent[]) => events.map(({ details }) => details['region'])

  /** Collects what each connection sent until its end. */
  async function syslogServer(make: (onSocket: (socket: Socket) => void) => Server, port = 0) {
    const received: string[] = []
    const server = make((socket) => {
      const chunks: Buffer[] = []
      socket.on('data', (chunk: Buffer) => void chunks.push(chunk))
      socket.on('end', () => void received.push(Buffer.concat(chunks).toString()))
      socket.on('error', () => undefined)
    })
    await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve))
    closing.push(() => void server.close())
    return { received, port: (server.address() as AddressInfo).port }
  }

  /** The messages of octet-counted frames. */
  function messagesOf(text: string): string[] {
    const messages: string[] = []
    for (let rest = text; rest !== ''; ) {
      const [, length = '', begun = ''] = /^(\d+) ([^]*)$/.exec(rest) ?? []
      messages.push(begun.slice(0, Number(length)))
      rest = begun.slice(Number(length))
    }
    return messages
  }
  const eventsIn = (text: string): InstallationSecurityEvent[] =>
    messagesOf(text).map((message) => JSON.parse(message.slice(message.indexOf('{'))))

  it('frames events as RFC 5424 and RFC 6587 say, in ASCII', () => {
    const event = {
      id: 'sec_1',
      at: '2026-11-20T18:07:11.000Z',
      type: 'sign_in.failed',
      actor: null,
      ip: '192.0.2.1',
      user_agent: 'é\u202E\n',
      details: {},
      organization_id: null,
      user_id: null,
    }
    const frame = toSyslogFrame(event, 'hôst 1')
    const [message] = messagesOf(frame)
    expect(message).toMatch(/^<84>1 2026-11-20T18:07:11\.000Z hst1 vedette - sign_in\.failed - \{[ -~]+\}$/)
    expect(JSON.parse(message?.slice(message.indexOf('{')) ?? '')).toEqual(event)
    expect(toSyslogFrame({ ...event, type: 'sign_in.succeeded' }, '')).toMatch(/^\d+ <86>1 \S+ - vedette/)
  })

  it('sends each event once and in order over TCP, whichever instance exports', async () => {
    const { received, port } = await syslogServer((on) => createTcp(on))
    const exports = [one, other].map((on) => exportBy(createSink(`syslog://127.0.0.1:${port}`, { post }), on))
    for (let index = 0; index < 6; index += 1) {
      one.clock.advance(10)
      await record(`r${index}`)
      await exports[index % 2]?.()
    }
    expect(received.flatMap((text) => regions(eventsIn(text)))).toEqual(['r0', 'r1', 'r2', 'r3', 'r4', 'r5'])
    expect(await pending()).toBe(0)
  })

  it('sends over TLS to a server that is trusted, and to no other', async () => {
    const { caFile, certFile, keyFile } = makeAuthority(folder)
    const [ca, cert, key] = [caFile, certFile, keyFile].map((file) => readFileSync(file, 'utf8'))
    const { received, port } = await syslogServer((on) => createTls({ cert, key }, on))
    const url = `syslog+tls://localhost:${port}`
    await record('secret')
    await exportBy(createSink(url, { post }))()
    expect([received.join(''), await pending()]).toEqual(['', 1])
    await exportBy(createSink(url, { post, ca: ca as string }))()
    expect(received.flatMap((text) => (text === '' ? [] : regions(eventsIn(text))))).toEqual(['secret'])
    expect(await pending()).toBe(0)
  })

  it('posts JSON lines to a webhook with its login, and repeats what is not accepted', async () => {
    const requests: { body: string; authorization: string | undefined }[] = []
    let status = 503
    const server = createHttp((request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += chunk))
      request.on('end', () => {
        requests.push({ body, authorization: request.headers.authorization })
        response.writeHead(status).end()
      })
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    closing.push(() => void server.close())
    const { port } = server.address() as AddressInfo
    const environment = { VEDETTE_SECURITY_LOG_URL: `http://siem:p%40ss@127.0.0.1:${port}/in` }
    const sender = await startTestBackend({ environment, databaseUrl: one.databaseUrl, clock: one.clock })
    closing.push(() => void sender.close())
    await record('a')
    await sender.jobs.exportSecurityLog()
    expect(await pending()).toBe(1)
    // The next attempt comes after a pause.
    await sender.jobs.exportSecurityLog()
    expect(requests).toHaveLength(1)
    status = 204
    one.clock.advance(5_000)
    await record('b')
    await sender.jobs.exportSecurityLog()
    const lines = requests[1]?.body.trimEnd().split('\n') ?? []
    expect(regions(lines.map((line) => JSON.parse(line)))).toEqual(['a', 'b'])
    expect(requests[1]?.authorization).toBe(`Basic ${Buffer.from('siem:p@ss').toString('base64')}`)
    expect(await pending()).toBe(0)
  })

  it('that is away delays no request and loses nothing', async () => {
    const port = await freePort()
    const run = exportBy(createSink(`syslog://127.0.0.1:${port}`, { post }))
    for (const region of ['x', 'y']) {
      await record(region)
      await run()
      one.clock.advance(300_000)
    }
    expect(await pending()).toBe(2)
    const { received } = await syslogServer((on) => createTcp(on), port)
    await run()
    expect(received.flatMap((text) => regions(eventsIn(text)))).toEqual(['x', 'y'])
  })

  it('that resets the connection, or reads and never ends, has not received the batch', async () => {
    const early = await syslogServer((on) => createTcp((socket) => (on(socket), socket.resetAndDestroy())))
    const never = await syslogServer((on) => createTcp({ allowHalfOpen: true }, on))
    await record('kept')
    for (const { port } of [early, never]) await exportBy(createSink(`syslog://127.0.0.1:${port}`, { post, limitMs: 200 }))()
    expect(await pending()).toBe(1)
  })

  it(`sends at most ${EXPORTED_AT_ONCE} events at once`, async () => {
    const sizes: number[] = []
    const sink: Sink = { send: async (events) => void sizes.push(events.length) }
    for (let index = 0; index <= EXPORTED_AT_ONCE; index += 1) await record(String(index))
    await exportBy(sink)()
    expect(sizes).toEqual([EXPORTED_AT_ONCE, 1])
    await exportBy(sink)()
    expect(sizes).toHaveLength(2)
  })

  it('passes over no event whose transaction commits late', async () => {
    const sent: unknown[] = []
    const sink: Sink = { send: async (events) => void sent.push(...regions(events)) }
    const run = exportBy(sink)
    const late = new Date(one.clock.now())
    one.clock.advance(1_000)
    await other.pool.db.transaction().execute(async (db) => {
      const event = { type: 'probe_token.created', principal: 'system', ip: null, details: { region: 'late' } } as const
      await recordSecurityEvent(db, event, late)
      await record('early')
      await run()
    })
    await run()
    expect(sent).toEqual(['early', 'late'])
  })

  it('gets refused operations when their hour is over, and again if more are counted late', async () => {
    const sent: unknown[] = []
    const run = exportBy({ send: async (events) => void sent.push(...events.map(({ details }) => details['count'])) })
    const counter = createRefusalCounter({ db: one.pool.db, clock: one.clock })
    const refuse = async () => {
      counter.record({ status: 401, principal: undefined, ip: '192.0.2.1', operation: 'GET /v1/me' })
      await counter.flush()
    }
    await refuse()
    await run()
    expect(sent).toEqual([])
    counter.record({ status: 401, principal: undefined, ip: '192.0.2.1', operation: 'GET /v1/me' })
    one.clock.advance(3_660_000)
    await run()
    expect(sent).toEqual([1])
    await counter.flush()
    await run()
    expect(sent).toEqual([1, 2])
  })
})
