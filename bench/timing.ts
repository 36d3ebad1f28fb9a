/**
 * Whether the time of a refusal tells anything: one JSON line.
 *
 *   npm run bench:timing -- [--tries 2000]
 *
 * Over one kept connection, one request at a time: logins with a wrong password of a known and of an unknown e-mail (`login`),
 * and reads with a key that begins like a real one and with one that does not (`key`), both with a checksum that is right, so
 * that they are looked up. The two of a pair come one after the other in an order that a coin decides, so that what else the
 * machine does meets both alike.
 *
 * `ratio` is the median of the first by that of the second. Goal: medians less than 5 % and less than 1 ms apart.
 */
import { readFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createSecretToken, withChecksum } from '../backend/src/auth/secret-token.ts'
import { OWNER, registerServers, startBackend } from './backend.ts'
import { median, round2 } from './processes.ts'

const { values } = parseArgs({ options: { tries: { type: 'string', default: '2000' } } })
const tries = Number(values.tries)
/** Not counted: until the code is compiled and the connections are open. */
const WARM_UP = 50
/** Characters of a key that its record shows. */
const SHOWN = 14

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Milliseconds until a request is refused with 401. Throws for any other answer. */
function refusedAfterMs(url: string, headers: Record<string, string>, body?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const asked = request(url, { agent, method: body === undefined ? 'GET' : 'POST', headers }, (answer) => {
      answer.resume().once('end', () => {
        if (answer.statusCode === 401) resolve(performance.now() - startedAt)
        else reject(new Error(`${url} answered ${answer.statusCode}`))
      })
    })
    asked.once('error', reject).end(body)
  })
}

interface Compared {
  ratio: number
  differenceMs: number
  medianMs: [number, number]
}

async function compare(one: (index: number) => Promise<number>, other: (index: number) => Promise<number>): Promise<Compared> {
  const ones: number[] = []
  const others: number[] = []
  for (let index = 0; index < WARM_UP + tries; index += 1) {
    const isFirst = Math.random() < 0.5
    const a = isFirst ? await one(index) : 0
    const b = await other(index)
    const both = [isFirst ? a : await one(index), b] as const
    if (index < WARM_UP) continue
    ones.push(both[0])
    others.push(both[1])
  }
  const medians: [number, number] = [median(ones), median(others)]
  const differenceMs = Math.abs(medians[0] - medians[1])
  const round4 = (value: number) => Math.round(value * 10_000) / 10_000
  return {
    ratio: round4(medians[0] / medians[1]),
    differenceMs: round4(differenceMs),
    medianMs: [round2(medians[0]), round2(medians[1])],
  }
}

const backend = await startBackend('serve')
try {
  const login = (email: string) =>
    refusedAfterMs(
      `${backend.url}/v1/auth/login`,
      { 'content-type': 'application/json' },
      JSON.stringify({ email, password: 'not the passphrase of the bench' }),
    )
  // Of the same length as the known one: a longer body takes longer to send.
  const unknown = (index: number) => `${String(index).padStart(OWNER.email.indexOf('@'), 'x')}@example.com`
  // Waits until the key is there, and makes it one that was used.
  await registerServers(backend, 1)
  const real = (await readFile(join(backend.dataDir, 'bench.key'), 'utf8')).trim()
  const guess = () => createSecretToken('apiKey').secret
  const similar = () => withChecksum(real.slice(0, SHOWN) + guess().slice(SHOWN, -6))
  const read = (key: string) => refusedAfterMs(`${backend.url}/v1/servers`, { 'x-api-key': key })

  const logins = await compare(
    () => login(OWNER.email),
    (index) => login(unknown(index)),
  )
  const keys = await compare(
    () => read(similar()),
    () => read(guess()),
  )
  console.log(JSON.stringify({ tries, login: logins, key: keys }))
} finally {
  agent.destroy()
  await backend.stop()
}
