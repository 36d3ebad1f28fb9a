import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from './harness.ts'

const FEW = 2
/** What restarts the process asks for liveness. Pings count by the job, and with an unknown token by the address. */
const UNLIMITED = new Set(['/healthz'])
let backend: TestBackend
beforeAll(async () => {
  const groups = ['auth', 'read', 'write', 'agent', 'ping', 'page', 'scrape'].map((group) => `${group}=${FEW}`)
  const environment = { VEDETTE_RATE_LIMITS: groups.join(','), VEDETTE_SMTP_URL: 'smtp://127.0.0.1:9' }
  backend = await startTestBackend({ environment })
})
afterAll(() => backend.close())

/** What needs no credentials. */
const publicRoutes = () => [
  ...backend.vedette.pages,
  ...backend.vedette.routes.filter(({ access, url }) => access === 'open' && url.startsWith('/v1')),
]

it('every route that needs no credentials has a limit by address', async () => {
  const routes = publicRoutes()
  expect(routes.map(({ url }) => url)).toEqual(
    expect.arrayContaining(['/status/:slug/*', '/badge/*', '/status-domain-check', '/ping/*']),
  )
  const unlimited: string[] = []
  for (const [index, { method, url }] of routes.entries()) {
    const path = url.replaceAll(/:\w+|\*/g, 'x')
    const ip = `198.51.${100 + Math.floor(index / 250)}.${1 + (index % 250)}`
    const call = () => backend.callDirectly(method, path, { ip, ...(method === 'POST' && { body: {} }) })
    for (let count = 0; count < FEW; count += 1) await call()
    const { status, headers } = await call()
    if (status !== 429 || !(Number(headers['retry-after']) > 0)) unlimited.push(url)
  }
  expect(new Set(unlimited)).toEqual(UNLIMITED)
})

it('a page says so to people, and in the envelope to programs', async () => {
  const ip = '192.0.2.1'
  const call = (headers: Record<string, string>) => backend.callDirectly('GET', '/status/shop', { ip, headers })
  for (let count = 0; count < FEW; count += 1) expect((await call({})).status).toBe(404)
  const forPeople = await call({ accept: 'text/html,*/*' })
  expect([forPeople.status, forPeople.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8'])
  expect(String(forPeople.body)).toMatch(/Too many came from your address\. Try again in \d+ s\./)
  expect(Number(forPeople.headers['retry-after'])).toBeGreaterThan(0)
  const forGermans = await call({ accept: 'text/html', 'accept-language': 'de' })
  expect(String(forGermans.body)).toMatch(/<html lang="de">.*Zu viele Anfragen.*Versuche es in \d+ s noch einmal\./)
  expect((await call({})).body.error.code).toBe('rate_limited')
  expect((await backend.callDirectly('GET', '/status/shop', { ip: '192.0.2.2' })).status).toBe(404)
})
