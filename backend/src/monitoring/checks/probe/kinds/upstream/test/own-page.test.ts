import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../../../../test/harness.ts'
import { pagesOf } from '../../../../../../../test/status-pages.ts'
import { createProber, type Prober } from '../../../index.ts'
import { checkKind } from '../../../test/kinds.ts'

/** A page of an installation, read by a check of another one. */
let backend: TestBackend
let prober: Prober
async function pass({ url = '', headers }: IncomingMessage, response: ServerResponse): Promise<void> {
  const sent = { 'accept-encoding': 'identity', 'if-none-match': headers['if-none-match'] ?? '' }
  const { status, headers: found, body } = await backend.call('GET', url, { headers: sent })
  for (const name of ['etag', 'content-type']) if (found[name] !== undefined) response.setHeader(name, String(found[name]))
  response.writeHead(status).end(status === 304 ? undefined : typeof body === 'string' ? body : JSON.stringify(body))
}
const server = createServer((request, response) => void pass(request, response))
beforeAll(async () => {
  backend = await startTestBackend()
  prober = createProber({ allowPrivateTargets: 'all' }, { now: () => backend.clock.now() })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(async () => {
  prober.close()
  server.close()
  await backend.close()
})

it('is as the worst of the chosen components', async () => {
  const organization = await backend.organization()
  const pages = pagesOf(backend, organization, await backend.member(organization, 'member'))
  const [checkout, search] = [await pages.monitor({ name: 'Checkout' }), await pages.monitor({ name: 'Search' })]
  await pages.checked(checkout, 'uud')
  await pages.checked(search, 'uuu')
  const sections = [{ name: 'Shop', monitors: [checkout.wireId, search.wireId] }]
  const { slug } = await pages.page({ sections })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/status/${slug}`
  const check = (...components: string[]) => checkKind(prober, 'upstream', url, { options: { components } })
  expect(await check('Search')).toMatchObject({ outcome: 'up', facts: { impact: 'operational' } })
  expect(await check('checkout', 'Search')).toMatchObject({
    outcome: 'down',
    error: { message: 'the provider reports a major outage: Checkout' },
    facts: { components: expect.stringContaining('Checkout (major_outage)') },
  })
  expect(await check('Payments')).toMatchObject({ outcome: 'inconclusive' })
  backend.clock.advance(300_000)
  await pages.checked(checkout, 'uuu')
  backend.clock.advance(60_000)
  while ((await backend.vedette.copies.run()) === 0);
  expect(await check('Checkout')).toMatchObject({ outcome: 'up' })
})
