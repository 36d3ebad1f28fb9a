import { randomUUID } from 'node:crypto'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parseId } from '../../src/platform/ids.ts'
import { startTestBackend, TEST_SECRET } from '../harness.ts'
import { startTestSmtp } from '../smtp.ts'
import { makeWorkbench, type Program, readiness } from './workbench.ts'
import { VEDETTE } from '../../../scripts/test-tools.ts'

/** TEST_SUBSCRIBERS=10000 TEST_STALL_MS=200 TEST_HANGS_EVERY=20 is the goal of ten minutes. */
const SUBSCRIBERS = Number(process.env['TEST_SUBSCRIBERS'] ?? 200)
const STALL_MS = Number(process.env['TEST_STALL_MS'] ?? 5)
/** One connection in so many is never answered; each takes the limit of a mail, too long for every run. */
const HANGS_EVERY = Number(process.env['TEST_HANGS_EVERY'] ?? Number.POSITIVE_INFINITY)
const LIMIT_MS = 700_000
const IS_MEASURED = process.env['TEST_SUBSCRIBERS'] !== undefined

const MAIL_END = '\r\n.\r\n'
const bench = makeWorkbench()
const closers: (() => Promise<void>)[] = []
afterAll(async () => {
  await bench.cleanUp()
  for (const close of closers) await close()
})

interface Stalling {
  url: string
  /** Holds all answers, and resolves when one is held of every client that has a mail under way. */
  freeze(): Promise<void>
  thaw(): void
}

/** Before a mail server: each of its answers is late, and some connections get none. */
async function startStalling(port: number): Promise<Stalling> {
  const clients = new Map<Socket, { held: Buffer[]; hasSent: boolean; isInMail: boolean; end: string }>()
  let [connections, isFrozen] = [0, false]
  const hear = (client: Socket, chunk: Buffer) => {
    const state = clients.get(client)
    if (state) {
      state.hasSent = false
      state.isInMail &&= state.end !== MAIL_END
    }
    return client.writable && client.write(chunk)
  }
  const proxy = createServer((client) => {
    const state = { held: [] as Buffer[], hasSent: false, isInMail: false, end: '' }
    client.on('error', () => undefined)
    connections += 1
    if (connections % HANGS_EVERY === 0) return
    clients.set(client, state)
    client.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1')
      state.hasSent = true
      state.isInMail ||= /^MAIL FROM:/im.test(text)
      // The content and its end may come apart.
      state.end = (state.end + text).slice(-MAIL_END.length)
    })
    const server = connect(port, '127.0.0.1')
    server.on('error', () => undefined)
    client.pipe(server)
    const answer = (chunk: Buffer) => {
      if (isFrozen) return state.held.push(chunk)
      return hear(client, chunk)
    }
    server.on('data', (chunk: Buffer) => setTimeout(() => answer(chunk), STALL_MS))
    server.on('close', () => client.destroy())
    client.on('close', () => {
      clients.delete(client)
      server.destroy()
    })
  })
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve))
  closers.push(() => new Promise((resolve) => void proxy.close(() => resolve())))
  return {
    url: `smtp://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    freeze: async () => {
      isFrozen = true
      // A pool has connections without a mail. A worker that has an answer and has not sent what follows must not be killed: it takes
      // the mail from the queue before it sends the content.
      const waiting = () => [...clients.values()].filter(({ held, hasSent, isInMail }) => hasSent || isInMail || held.length > 0)
      const areHeld = () => waiting().length > 0 && waiting().every(({ held }) => held.length > 0)
      await expect.poll(areHeld, { timeout: LIMIT_MS, interval: 20 }).toBe(true)
    },
    thaw: () => {
      isFrozen = false
      for (const [client, state] of clients) {
        for (const chunk of state.held.splice(0)) hear(client, chunk)
      }
    },
  }
}

async function end(program: Program | undefined, signal: NodeJS.Signals): Promise<void> {
  if (!program) throw new Error('no worker is left')
  process.kill(program.pid, signal)
  await program.ended
}

test(
  'a post is mailed to every subscriber once, though the mail server stalls and two workers are killed',
  async () => {
    const smtp = await startTestSmtp()
    closers.push(() => smtp.close())
    const stalling = await startStalling(smtp.port)
    const backend = await startTestBackend({ startMs: Date.now() })
    closers.push(() => backend.close())
    const organization = await backend.organization()
    const as = await backend.apiKey(organization, 'admin')
    const page = (
      await backend.call('POST', '/v1/status-pages', { as, body: { name: 'x', slug: 'stalls', title: 'Shop', published: true } })
    ).body
    const environment = {
      DATABASE_URL: backend.databaseUrl,
      VEDETTE_DATA_DIR: join(bench.makeFolder(), 'data'),
      VEDETTE_SECRET_KEYS: TEST_SECRET,
      VEDETTE_SMTP_URL: stalling.url,
      VEDETTE_PUBLIC_URL: 'https://status.example.org',
    }
    const startWork = async (): Promise<Program> => {
      const program = bench.run([process.execPath, VEDETTE, 'work'], environment)
      await readiness(program)
      return program
    }
    // In the measured run one at a time, each started after the last was killed. Else all send from the beginning, so that the living
    // take over from the killed.
    const starting = Promise.all(Array.from({ length: IS_MEASURED ? 1 : 3 }, startWork))
    const at = new Date()
    const addresses = Array.from({ length: SUBSCRIBERS }, (_, index) => `person${index}@example.com`)
    const common = {
      organization: organization.number,
      page_id: parseId('statusPage', page.id) as string,
      type: 'email' as const,
    }
    for (let start = 0; start < SUBSCRIBERS; start += 1_000) {
      const rows = addresses.slice(start, start + 1_000).map((email) => ({ ...common, id: randomUUID(), email, config: '{}' }))
      const state = { monitors: [], confirmed_at: at, created_at: at }
      await backend.pool.db
        .insertInto('status_subscriber')
        .values(rows.map((row) => ({ ...row, ...state })))
        .execute()
    }
    const workers = await starting
    const body = { type: 'incident', title: 'Slow', text: 'We look.' }
    const posting = performance.now()
    const post = await backend.call('POST', `/v1/status-pages/${page.id}/posts`, { as, body })
    const postMs = Math.round(performance.now() - posting)
    expect(post.status).toBe(201)
    const started = performance.now()
    const sent = () => smtp.mails.length
    for (const share of [0.3, 0.6]) {
      await expect.poll(sent, { timeout: LIMIT_MS, interval: 20 }).toBeGreaterThan(SUBSCRIBERS * share)
      // While the server stalls. The measured run is killed at any moment.
      if (!IS_MEASURED) await stalling.freeze()
      await end(workers.shift(), 'SIGKILL')
      stalling.thaw()
      if (IS_MEASURED) workers.push(await startWork())
    }
    const waiting = async () => (await backend.pool.db.selectFrom('subscriber_mail').select('id').execute()).length
    await expect.poll(waiting, { timeout: LIMIT_MS, interval: 200 }).toBe(0)
    const seconds = (performance.now() - started) / 1000
    // The content of the last ones may be on its way.
    await expect.poll(sent, { timeout: 20_000 }).toBeGreaterThanOrEqual(SUBSCRIBERS)
    await end(workers.shift(), 'SIGTERM')
    const counts = new Map<string, number>()
    for (const to of smtp.mails.flatMap((mail) => mail.to)) counts.set(to, (counts.get(to) ?? 0) + 1)
    if (IS_MEASURED) console.info(JSON.stringify({ SUBSCRIBERS, STALL_MS, postMs, seconds }))
    expect(addresses.filter((address) => counts.get(address) !== 1)).toEqual([])
    expect(counts.size).toBe(SUBSCRIBERS)
  },
  LIMIT_MS,
)
