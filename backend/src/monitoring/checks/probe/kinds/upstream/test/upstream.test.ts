import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../../../../../../../../scripts/test-tools.ts'
import { createProber, type Prober } from '../../../index.ts'
import { checkKind, faultsOf, type KindCheck } from '../../../test/kinds.ts'
import { readDocument } from '../formats.ts'
import { createUpstreamKind } from '../index.ts'
import { bytesOf, KeptPages } from '../kept-pages.ts'

const page = (name: string) => readFileSync(join(import.meta.dirname, 'pages', name), 'utf8')
let prober: Prober
const closing: (() => unknown)[] = []
beforeEach(() => {
  prober = createProber(
    { allowPrivateTargets: 'all' },
    { kinds: [createUpstreamKind()], now: () => Date.parse('2026-11-30T10:30:00Z') },
  )
})
afterEach(async () => {
  prober.close()
  await Promise.all(closing.splice(0).map((close) => close()))
})

type Answer = (request: IncomingMessage, response: ServerResponse) => void
/** Serves these documents by path and notes what is requested. */
async function serve(documents: Record<string, string | Answer>) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    const found = documents[request.url ?? '']
    if (typeof found === 'function') return found(request, response)
    response.statusCode = found === undefined ? 404 : 200
    response.end(found ?? '<html>not found</html>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}
const check = (url: string, components: string[] = [], more: KindCheck = {}) =>
  checkKind(prober, 'upstream', url, { options: { components }, ...more })

test.each<[string, string, string[], string, string | undefined]>([
  ['/api/v2/summary.json', 'statuspage.json', [], 'degraded', 'the provider reports a partial outage: Actions, Pages, Packages'],
  ['/api/v2/summary.json', 'statuspage.json', ['Git Operations'], 'up', undefined],
  ['/api/v2/summary.json', 'statuspage.json', ['Packages'], 'down', 'the provider reports a major outage: Packages'],
  ['/api/v2/summary.json', 'statuspage.json', ['Pages'], 'up', undefined],
  ['/api/v2/summary.json', 'vedette.json', ['Search'], 'degraded', 'the provider reports degraded performance: Search'],
  ['/summary.json', 'instatus-summary.json', [], 'degraded', 'the provider reports degraded performance'],
  ['/index.json', 'cstate.json', ['Mail'], 'down', 'the provider reports a major outage: Mail'],
  ['/api/v1/components', 'sorry.json', ['Website'], 'up', undefined],
  ['/api/v2.0.0/current', 'slack.json', ['Messaging'], 'down', 'the provider reports a major outage'],
  ['/incidents.json', 'google-cloud.json', ['Cloud SQL'], 'degraded', 'the provider reports a partial outage'],
  ['/history.atom', 'history.atom', [], 'degraded', 'the provider reports degraded performance'],
  ['/feed', 'azure.rss', [], 'up', undefined],
  ['/rss/all.rss', 'aws.rss', [], 'down', 'the provider reports a major outage'],
  ['/', 'generic.rss', [], 'degraded', 'the provider reports degraded performance'],
])('finds %s of a page (%s) with the components %j: %s', async (path, name, components, outcome, message) => {
  const { url } = await serve({ [path]: page(name) })
  const result = await check(url, components)
  const error = message === undefined ? null : { code: 'status', message }
  expect([result.outcome, result.error]).toEqual([outcome, error])
})

test('what it found is in the facts', async () => {
  const { url } = await serve({ '/api/v2/summary.json': page('statuspage.json') })
  expect((await check(url, ['Actions'])).facts).toEqual({
    impact: 'partial_outage',
    incident: 'Delayed starts of jobs',
    updated_at: '2026-11-30T10:15:00.000Z',
    components: 'Packages (major_outage), Actions (partial_outage), Pages (maintenance), Git Operations',
  })
  const assertions: KindCheck['assertions'] = [{ type: 'impact', operator: 'not_equals', value: 'maintenance' }]
  expect(await check(url, ['Pages'], { assertions })).toMatchObject({ outcome: 'down', error: { code: 'assertion' } })
})

test('a page in a folder, and a document of its own', async () => {
  const { url, requests } = await serve({
    '/status/shop/api/v2/summary.json': page('vedette.json'),
    '/news/status.rss': page('generic.rss'),
  })
  expect(await check(`${url}/status/shop`)).toMatchObject({ outcome: 'up' })
  expect(await check(`${url}/news/status.rss`)).toMatchObject({ outcome: 'degraded' })
  expect(requests).toEqual(['/status/shop/api/v2/summary.json', '/news/status.rss'])
})

test('the place and the tag of the document are remembered', async () => {
  const seen: (string | undefined)[] = []
  let body = page('slack.json')
  const { url, requests } = await serve({
    '/api/v2.0.0/current': ({ headers }, response) => {
      seen.push(headers['if-none-match'])
      const tag = `"${body.length}"`
      response.setHeader('etag', tag)
      response.statusCode = headers['if-none-match'] === tag ? 304 : 200
      response.end(response.statusCode === 304 ? undefined : body)
    },
  })
  const first = await check(url)
  expect(first).toMatchObject({ outcome: 'down', facts: { incident: 'Cannot send messages' } })
  const tries = requests.length
  expect(tries).toBeGreaterThan(1)
  expect(await check(url)).toMatchObject({ outcome: 'down', facts: first.facts })
  body = body.replace('"outage"', '"maintenance"')
  expect(await check(url)).toMatchObject({ outcome: 'up', facts: { impact: 'maintenance' } })
  expect(requests.length).toBe(tries + 2)
  expect(seen).toEqual([undefined, expect.stringMatching(/^"\d+"$/), expect.stringMatching(/^"\d+"$/)])
})

test('of more pages than are kept, read in turn, some are still found where they were', async () => {
  prober.close()
  const now = () => Date.parse('2026-11-30T10:30:00Z')
  const reading = readDocument(page('cstate.json'), now())
  if (!reading) throw new Error('the page was not read')
  const roomForTwo = 2 * bytesOf('x'.repeat(100), { place: 'index.json', etag: undefined, reading })
  prober = createProber({ allowPrivateTargets: 'all' }, { kinds: [createUpstreamKind(new KeptPages(roomForTwo))], now })
  const { url, requests } = await serve(
    Object.fromEntries(['/a', '/b', '/c', '/d'].map((path) => [`${path}/index.json`, page('cstate.json')])),
  )
  const countRound = async () => {
    requests.length = 0
    for (const path of ['/a', '/b', '/c', '/d']) expect(await check(`${url}${path}`)).toMatchObject({ outcome: 'degraded' })
    return requests.length
  }
  // The document is in the third place.
  expect([await countRound(), await countRound(), await countRound()]).toEqual([12, 8, 8])
})

test('a page that moved to another form is found again', async () => {
  const documents: Record<string, string> = { '/index.json': page('cstate.json') }
  const { url } = await serve(documents)
  expect(await check(url)).toMatchObject({ outcome: 'degraded' })
  delete documents['/index.json']
  documents['/api/v2/summary.json'] = page('vedette.json')
  expect(await check(url)).toMatchObject({ outcome: 'up' })
})

test('the components of Instatus are in a document of their own', async () => {
  const { url } = await serve({
    '/summary.json': page('instatus-summary.json'),
    '/v2/components.json': page('instatus-components.json'),
  })
  expect(await check(url, ['Sending'])).toMatchObject({
    outcome: 'down',
    error: { message: 'the provider reports a major outage: Sending' },
  })
  expect(await check(url, ['Inbox'])).toMatchObject({ outcome: 'up' })
})

describe('says nothing of a provider', () => {
  test('whose page has no form that is understood', async () => {
    const { url, requests } = await serve({ '/': '<html></html>' })
    expect(await check(url)).toMatchObject({
      outcome: 'inconclusive',
      error: { code: 'internal', message: 'the page has no status in a form that is understood' },
    })
    expect(requests.length).toBeLessThanOrEqual(10)
  })
  test('whose page has no such component', async () => {
    const { url } = await serve({ '/api/v2/summary.json': page('vedette.json') })
    expect(await check(url, ['Other'])).toMatchObject({
      outcome: 'inconclusive',
      error: { message: 'the page has no component Other' },
    })
  })
  test('whose page is not reached, answers with an error or not at all', async () => {
    expect(await check(`http://127.0.0.1:${await freePort()}`)).toMatchObject({ outcome: 'inconclusive' })
    const failing = await serve({
      '/api/v2/summary.json': (_, response) => void response.writeHead(500).end(page('vedette.json')),
    })
    expect(await check(failing.url)).toMatchObject({ outcome: 'inconclusive' })
    const silent = await serve({ '/api/v2/summary.json': () => {} })
    expect(await check(silent.url, [], { timeout: 1 })).toMatchObject({ outcome: 'inconclusive' })
  })
  test('whose page redirects inside', async () => {
    const closed = createProber({ allowPrivateTargets: ['127.0.0.1/32'] }, { kinds: [createUpstreamKind()] })
    closing.push(() => closed.close())
    const { url } = await serve({
      '/api/v2/summary.json': (_, response) => void response.writeHead(302, { location: 'http://127.0.0.3/' }).end(),
    })
    const result = await checkKind(closed, 'upstream', url)
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'blocked' } })
  })
})

test.each([
  [{ components: ['a', 'b'] }, []],
  [{ components: 'a' }, ['options.components']],
  [{ components: [''] }, ['options.components']],
  [{ components: ['x'.repeat(201)] }, ['options.components']],
  [{ components: Array.from({ length: 51 }, (_, index) => `${index}`) }, ['options.components']],
])('the options %j have faults at %j', (options, paths) => {
  expect(faultsOf('upstream', 'https://status.test', { options })).toEqual(
    paths.map((path) => expect.stringMatching(`^${path}: `)),
  )
})

test('a page that fails for a while is no page with less: nothing is known meanwhile, and nothing of it stays', async () => {
  let isFailing = false
  const { url } = await serve({
    '/api/v2/summary.json': (_request, response) => {
      response.statusCode = isFailing ? 503 : 200
      response.end(isFailing ? '' : page('statuspage.json'))
    },
    '/history.atom': page('history.atom'),
  })
  const wanted = ['Packages']
  isFailing = true
  await check(url, wanted)
  isFailing = false
  expect((await check(url, wanted)).outcome).toBe('down')
  isFailing = true
  expect(await check(url, wanted)).toMatchObject({
    outcome: 'inconclusive',
    error: { message: expect.stringContaining('the page answered with status 503') },
  })
  isFailing = false
  expect((await check(url, wanted)).outcome).toBe('down')
})
