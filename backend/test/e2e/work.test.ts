import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { startTestBackend, TEST_SECRET, type TestBackend } from '../harness.ts'
import { startTestSmtp, type TestSmtp } from '../smtp.ts'
import { makeWorkbench, type Program, readiness } from './workbench.ts'
import { VEDETTE } from '../../../scripts/test-tools.ts'

const PUBLIC_URL = 'https://status.example.org'
/** Each process sends five at once: two of them cannot have all of these under way. */
const MANY = 12
const AT_ONCE = 5

const bench = makeWorkbench()
afterAll(() => bench.cleanUp())

let backend: TestBackend
let smtp: TestSmtp
/** So many mails wait for each other before the server takes any. */
let held: (() => void)[] = []
let holds = 0
beforeEach(async () => {
  held = []
  holds = 0
  const onRcptTo = (_address: unknown, _session: unknown, done: () => void) => {
    held.push(done)
    if (held.length >= holds) for (const release of held.splice(0)) release()
    if (held.length === 0) holds = 0
  }
  smtp = await startTestSmtp({ onRcptTo })
  // Serves without jobs, on the clock of the processes that work.
  const environment = { VEDETTE_SMTP_URL: smtp.url, VEDETTE_PUBLIC_URL: PUBLIC_URL }
  backend = await startTestBackend({ startMs: Date.now(), environment })
})
afterEach(async () => {
  await backend.close()
  await smtp.close()
})

async function startWork(more: Record<string, string> = {}): Promise<Program> {
  const environment = {
    DATABASE_URL: backend.databaseUrl,
    VEDETTE_DATA_DIR: join(bench.makeFolder(), 'data'),
    VEDETTE_SECRET_KEYS: TEST_SECRET,
    VEDETTE_SMTP_URL: smtp.url,
    VEDETTE_PUBLIC_URL: PUBLIC_URL,
    ...more,
  }
  const program = bench.run([process.execPath, VEDETTE, 'work'], environment)
  await readiness(program)
  return program
}

async function stop(program: Program): Promise<void> {
  process.kill(program.pid, 'SIGTERM')
  expect(await program.ended).toMatchObject({ code: 0, output: expect.stringContaining('stopped') })
}

test('two processes that work mail each link once', async () => {
  const organization = await backend.organization()
  const emails: string[] = []
  for (let count = 0; count < MANY; count += 1) {
    const { userId } = await backend.member(organization, 'viewer')
    const { db } = backend.pool
    const user = await db.selectFrom('app_user').select('email').where('id', '=', userId).executeTakeFirstOrThrow()
    emails.push(user.email)
  }
  // All wait before the processes start: each takes as many as it can, and waits until the other has taken its part.
  for (const email of emails)
    expect((await backend.call('POST', '/v1/auth/password-reset', { body: { email } })).status).toBe(202)
  holds = 2 * AT_ONCE
  const workers = await Promise.all([startWork(), startWork()])
  await expect.poll(() => smtp.mails.length, { timeout: 20_000 }).toBe(MANY)
  // In order: whatever one of them still had to send is sent then.
  await Promise.all(workers.map(stop))
  expect(smtp.mails.flatMap(({ to }) => to).sort()).toEqual(emails.sort())
  expect(smtp.mails[0]?.text).toContain(`${PUBLIC_URL}/password-reset#token=`)
})

test('a mail that was under way when its process was stopped is sent by another process', async () => {
  const organization = await backend.organization()
  const as = await backend.apiKey(organization, 'admin')
  // Nothing of the first one is ever taken.
  holds = Number.POSITIVE_INFINITY
  const first = await startWork()
  const body = { email: 'guest@example.com', role: 'viewer' }
  const { status } = await backend.call('POST', `/v1/organizations/${organization.id}/members/invite`, { as, body })
  expect(status).toBe(201)
  await expect.poll(() => held.length, { timeout: 20_000 }).toBe(1)
  await stop(first)
  expect(smtp.mails).toEqual([])
  holds = 0
  const second = await startWork()
  await expect.poll(() => smtp.mails.flatMap(({ to }) => to), { timeout: 20_000 }).toEqual([body.email])
  await stop(second)
  expect(smtp.mails).toHaveLength(1)
  expect(await backend.pool.db.selectFrom('mail_outbox').select('id').execute()).toEqual([])
})

test('two processes that work clean up what is past its time, and nothing else', async () => {
  const { db } = backend.pool
  const organization = await backend.organization()
  const { userId } = await backend.member(organization, 'viewer')
  const now = Date.now()
  const [old, recent] = [new Date(now - 25 * 3_600_000), new Date(now - 3_600_000)]
  const session = { user_id: userId, created_at: old, expires_at: recent, ended_at: null, ip: '192.0.2.1' }
  await db
    .insertInto('session')
    .values({ id: randomUUID(), ...session })
    .execute()
  await db
    .insertInto('password_reset')
    .values({ user_id: userId, hash: Buffer.alloc(32), created_at: old, expires_at: recent })
    .execute()
  const answer = { request: Buffer.alloc(32), status: 201, made_id: 'srv_x', location: null, body: null }
  await db
    .insertInto('idempotency_key')
    .values([old, recent].map((created_at, index) => ({ credential: 'key:x', key: `key ${index}`, ...answer, created_at })))
    .execute()
  const minute = Math.floor(now / 60_000)
  await db
    .insertInto('rate_limit')
    .values([minute - 10, minute + 10].map((at) => ({ subject: randomUUID(), minute: at, used: 1, held: 0 })))
    .execute()

  const workers = await Promise.all([startWork(), startWork()])
  const left = async () => ({
    sessions: (await db.selectFrom('session').select('id').execute()).length,
    resets: (await db.selectFrom('password_reset').select('user_id').execute()).length,
    answers: (await db.selectFrom('idempotency_key').select('key').execute()).map(({ key }) => key),
    counts: (await db.selectFrom('rate_limit').select('minute').execute()).map((row) => row.minute - minute),
  })
  await expect.poll(left, { timeout: 20_000 }).toEqual({ sessions: 1, resets: 0, answers: ['key 1'], counts: [10] })
  await Promise.all(workers.map(stop))
})

test('a process that works does not make up where links lead, and says so', async () => {
  const worker = await startWork({ VEDETTE_PUBLIC_URL: '' })
  // By another stream than the line that says that it is ready.
  await expect.poll(() => worker.output()).toMatch(/without VEDETTE_PUBLIC_URL/)
  await stop(worker)
})

test('a process that works is refused with the secret of another installation', async () => {
  await stop(await startWork())
  const other = { VEDETTE_SECRET_KEYS: 'another secret that has more than 32 bytes too' }
  await expect(startWork(other)).rejects.toThrow(/another secret/)
})
