import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { openTestIncident } from '../../../../test/incident.ts'
import { pagesOf } from '../../../../test/status-pages.ts'
import { parseId } from '../../../platform/ids.ts'

let backend: TestBackend
beforeAll(async () => {
  // With a mail server a page takes subscribers.
  backend = await startTestBackend({ environment: { VEDETTE_SMTP_URL: 'smtp://127.0.0.1:9' } })
})
afterAll(() => backend.close())

/** Shorter ones are parts of words. */
const LEAST = 5

/** Every text that the database holds of an organization, also inside of JSON. */
async function textsOf(organization: number): Promise<Set<string>> {
  const { db } = backend.pool
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'organization' and table_name in
      (select relname from pg_class where not relispartition)`.execute(db)
  const texts = new Set<string>()
  const collect = (value: unknown): void => {
    if (typeof value === 'string' && value.length >= LEAST) texts.add(value)
    else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) collect(inner)
  }
  for (const { name } of tables) {
    const { rows } = await sql<{ row: unknown }>`
      select to_jsonb(t) as row from ${sql.table(name)} as t where organization = ${organization}`.execute(db)
    for (const { row } of rows) collect(row)
  }
  return texts
}

it('lets nothing of its organization leave but what is chosen [STATUS-34]', async () => {
  const organization = await backend.organization('Organization with a name of its own')
  const as = await backend.member(organization, 'owner')
  const send = (url: string, body: object) => backend.call('POST', url, { as, body })
  const pages = pagesOf(backend, organization, as)
  const { body: monitor } = await send('/v1/monitors', {
    name: 'Internal name of the monitor',
    url: 'https://internal.host.example.com/path?token=abcdef',
    headers: { 'X-Secret-Header': 'value of the header' },
    tags: ['internal-tag'],
    assertions: [{ type: 'body', operator: 'contains', value: 'words of the body' }],
  })
  const { id } = monitor as { id: string }
  expect(id, JSON.stringify(monitor)).toMatch(/^mon_/)
  await send('/v1/monitors', { name: 'Monitor that is on no page', url: 'https://hidden.example.com/' })
  await send('/v1/channels', { name: 'Channel of the night shift', type: 'email', config: { to: 'night@internal.example.com' } })
  await send('/v1/alert-rules', {
    name: 'Rule that wakes people',
    target: { type: 'monitor', id },
    condition: { metric: 'status', operator: 'equals', value: 'down' },
  })
  const now = backend.clock.now()
  await send('/v1/maintenance-windows', {
    name: 'Window of the secret migration',
    target: { type: 'monitor', id },
    starts_at: new Date(now).toISOString(),
    ends_at: new Date(now + 3_600_000).toISOString(),
  })
  await backend.server(organization)
  const incident = await openTestIncident(backend, organization)
  await send(`/v1/incidents/${incident}/comments`, { comment: 'Comment among colleagues' })
  const chosen = ['Shop status', 'A description for visitors', 'Public section', 'Public name', 'Shop is slow', 'We are on it.']
  const [title, description, section, name, post, text] = chosen as [string, string, string, string, string, string]
  const made = await pages.page({
    name: 'Name of the page for members',
    title,
    description,
    sections: [{ name: section, monitors: [id], names: { [id]: name }, show: ['uptime', 'response'] }],
    templates: [{ name: 'Template of ours', title: 'Prepared title', text: 'Prepared text' }],
  })
  const posted = await send(`/v1/status-pages/${made.id}/posts`, {
    type: 'incident',
    title: post,
    text,
    monitors: [id],
    incident_id: incident,
  })
  expect([posted.status, posted.body]).toEqual([201, posted.body])
  await pages.settle()

  const month = new Date(now).toISOString().slice(0, 7)
  const below = ['', '/embed', `/history/${month}`, '/feed.atom', '/feed.rss', '/maintenance.ics', '/subscribe']
  const json = ['summary', 'status', 'components', 'incidents'].map((each) => `/api/v2/${each}.json`)
  const paths = [...below, ...json].map((path) => `/status/${made.slug}${path}`)
  const badges = ['status', 'uptime', 'response'].map((each) => `/badge/${id}/${each}.svg`)
  const answers: Record<string, string> = {}
  for (const path of [...paths, ...badges]) {
    const { status, body } = await pages.visit(path, { 'accept-encoding': 'identity' })
    expect([path, status]).toEqual([path, 200])
    answers[path] = typeof body === 'string' ? body : JSON.stringify(body)
  }
  // What a page says of itself is no secret: words as `operational` or `investigating`.
  const other = await backend.organization('Another')
  const others = pagesOf(backend, other, await backend.member(other, 'owner'))
  const empty = await others.page({ title: 'Nothing', slug: `empty-${other.number}` })
  const ownWords = (await Promise.all(below.slice(0, 3).map((path) => others.textOf(`/status/${empty.slug}${path}`)))).join()
  // Feeds name posts and their page by their own ids.
  const ids = [parseId('post', posted.body.id), parseId('statusPage', made.id)]
  // Documents of Statuspage say since when a component is on the page.
  const { created_at: createdAt } = (await backend.call('GET', `/v1/status-pages/${made.id}`, { as })).body as {
    created_at: string
  }
  const published = [...chosen, made.slug, id, posted.body.id, made.id, createdAt, ...ids].join('\n')
  const states = new Set([
    'investigating',
    'incident',
    'public',
    'uptime',
    'response',
    'minor',
    'major',
    'critical',
    'degraded',
    'local',
    'channel',
    'email',
  ])
  const secrets = [...(await textsOf(organization.number))].filter(
    (one) => !published.includes(one) && !ownWords.includes(one) && !states.has(one),
  )
  expect(secrets.length).toBeGreaterThan(60)
  for (const expected of ['Internal name of the monitor', 'Template of ours', 'Name of the page for members'])
    expect(secrets).toContain(expected)
  const leaked = Object.entries(answers).flatMap(([path, answer]) =>
    secrets.filter((secret) => answer.includes(secret)).map((secret) => `${path}: ${secret}`),
  )
  expect(leaked).toEqual([])
})
