import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { costOf } from '../../../../test/cost-of.ts'
import { createOutage } from '../../../../test/outage.ts'
import { parseId } from '../../../platform/ids.ts'
import { readOpenIncidents } from '../overview.ts'
import { listIncidents } from '../service.ts'
import { readStory } from '../stories/read-story.ts'

const SILENT = 116

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
let outage: Awaited<ReturnType<typeof createOutage>>
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  admin = await backend.apiKey(organization, 'admin')
  outage = await createOutage(backend, organization, admin, SILENT)
})
afterAll(() => backend?.close())

it('116 silent servers and 9 monitors that are down are ten lines, the story first, at a few statements', async () => {
  const tenant = { number: organization.number, id: organization.id }
  const query = { group: 'story', status: ['open', 'acknowledged'], sort: 'severity' } as const
  const list = await costOf(backend.pool.db, (db) =>
    listIncidents({ db, clock: backend.clock }, tenant, { ...query, status: [...query.status] }, { page: 1, limit: 50 }),
  )
  const overview = await costOf(backend.pool.db, (db) => readOpenIncidents(db, organization.number, 20))
  const storyId = parseId('incident', outage.ids[0] as string) as string
  const story = await costOf(backend.pool.db, (db) => readStory({ db, clock: backend.clock }, tenant, storyId))
  expect([list.answer.total, overview.answer.total, overview.answer.incidents.length]).toEqual([10, SILENT + 9, 10])
  for (const { incidents } of [list.answer, overview.answer])
    expect(incidents.find(({ story_id: id }) => id !== null)).toMatchObject({
      incident_count: SILENT,
      affected: { total: SILENT },
    })
  expect(story.answer).toMatchObject({ incident_count: SILENT, title: `${SILENT} servers with the tag site:berlin are offline` })
  expect(story.answer.events.map(({ kind, count }) => [kind, count])).toContainEqual(['opened', SILENT])
  console.log(
    `opened in ${Math.round(outage.openedInMs)} ms;`,
    ...Object.entries({ list, overview, story }).map(
      ([name, { statements, ms }]) => `${name}: ${statements} statements, ${ms.toFixed(1)} ms;`,
    ),
  )
  expect([list.statements, overview.statements, story.statements]).toEqual([2, 2, 5])
})

it('the story is above the single incidents of its severity, in the list and the overview', async () => {
  const list = await backend.call('GET', '/v1/incidents?group=story&status=open&sort=severity', { as: admin })
  const overview = await backend.call('GET', '/v1/overview', { as: admin })
  for (const { incidents } of [list.body, overview.body.open_incidents]) expect(incidents[0].incident_count).toBe(SILENT)
})
