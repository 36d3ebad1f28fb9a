import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'

describe('what an API key says of series', () => {
  let backend: TestBackend
  let organization: TestOrganization
  let owner: Credentials
  beforeAll(async () => {
    backend = await startTestBackend()
    organization = await backend.organization()
    owner = await backend.member(organization, 'owner')
  })
  afterAll(() => backend.close())

  const make = (body: object) =>
    backend.call('POST', '/v1/api-keys', { as: owner, body: { name: 'k', scopes: ['ingest'], ...body } })
  const patch = (id: string, body: object, headers: Record<string, string> = {}, as: Credentials = owner) =>
    backend.call('PATCH', `/v1/api-keys/${id}`, { as, body, headers })
  const read = (id: string, as: Credentials = owner) => backend.call('GET', `/v1/api-keys/${id}`, { as })
  const fieldsOf = ({ job_kind, dedup_label, drop_labels }: Record<string, unknown>) => ({ job_kind, dedup_label, drop_labels })
  const SERIES = { job_kind: 'node', dedup_label: '__replica__', drop_labels: ['pod', 'service.instance.id'] }
  const NONE = { job_kind: null, dedup_label: null, drop_labels: [] }

  it('is given with it, listed, changed and taken away', async () => {
    const plain = await make({})
    expect(fieldsOf(plain.body)).toEqual(NONE)
    const { body } = await make({ scopes: ['ingest', 'agent'], ...SERIES })
    expect(fieldsOf(body)).toEqual(SERIES)
    const { api_keys: listed } = (await backend.call('GET', '/v1/api-keys', { as: owner })).body
    expect(fieldsOf(listed.find(({ id }: { id: string }) => id === body.id))).toEqual(SERIES)

    const changed = await patch(body.id, { drop_labels: ['pod'] })
    expect([changed.status, fieldsOf(changed.body)]).toEqual([200, { ...SERIES, drop_labels: ['pod'] }])
    expect(fieldsOf((await patch(body.id, NONE)).body)).toEqual(NONE)
    expect((await read(body.id)).body).toEqual((await patch(body.id, NONE)).body)
    const { audit_events: events } = (await backend.call('GET', '/v1/audit-events?action=api_key.updated', { as: owner })).body
    expect(events.map(({ details }: { details: object }) => details)).toEqual([
      { name: 'k', ...NONE },
      { name: 'k', drop_labels: ['pod'] },
    ])
  })

  it('is changed only where nobody else has changed it since', async () => {
    const { id } = (await make({})).body
    const etag = (await read(id)).headers['etag'] as string
    const [first, second] = [
      await patch(id, { drop_labels: ['a'] }, { 'if-match': etag }),
      await patch(id, { drop_labels: ['b'] }, { 'if-match': etag }),
    ]
    expect([first.status, second.status]).toEqual([200, 412])
    // What was read may be sent back, with a later use of the key.
    const whole = { ...(await read(id)).body, last_used_at: null, drop_labels: ['c'] }
    expect((await patch(id, whole)).body.drop_labels).toEqual(['c'])
    expect((await patch(id, { ...whole, name: 'other' })).body.error.details).toEqual([{ path: 'name', message: 'is read-only' }])
  })

  const LONG = 'l'.repeat(129)
  it.each([
    ['ingest', { job_kind: 'node' }, 'job_kind', 'needs a key with the scope agent, which registers servers'],
    ['agent', { job_kind: 'windows' }, 'job_kind', /must be/],
    ['read', { dedup_label: 'replica' }, 'dedup_label', 'needs a key with the scope ingest or agent'],
    ['read', { drop_labels: ['pod'] }, 'drop_labels', 'needs a key with the scope ingest or agent'],
    ['ingest', { dedup_label: '__name__' }, 'dedup_label', 'must not be __name__, the name of the metric'],
    ['ingest', { drop_labels: ['pod', '__name__'] }, 'drop_labels.1', 'must not be __name__, the name of the metric'],
    ['ingest', { dedup_label: '' }, 'dedup_label', 'must not be empty'],
    ['ingest', { dedup_label: LONG }, 'dedup_label', /128/],
    ['ingest', { drop_labels: [LONG] }, 'drop_labels.0', /128/],
    ['ingest', { drop_labels: ['a', 'a'] }, 'drop_labels', 'must not repeat an item: 0 equals 1'],
    ['ingest', { drop_labels: Array.from({ length: 17 }, (_, index) => `l${index}`) }, 'drop_labels', /16/],
  ])('is refused for scope %s: %j', async (scope, fields, path, words) => {
    const answers = [await make({ scopes: [scope], ...fields }), await patch((await make({ scopes: [scope] })).body.id, fields)]
    for (const { status, body } of answers)
      expect([status, body.error.details]).toEqual([400, [{ path, message: expect.stringMatching(words) }]])
  })

  it('takes 16 labels of 128 characters', async () => {
    const drop_labels = Array.from({ length: 16 }, (_, index) => String(index).padStart(128, 'l'))
    expect((await make({ dedup_label: 'l'.repeat(128), drop_labels })).status).toBe(201)
  })

  it('is not for other organizations', async () => {
    const { id } = (await make({})).body
    const elsewhere = await backend.member(await backend.organization(), 'owner')
    expect([(await read(id, elsewhere)).status, (await patch(id, NONE, {}, elsewhere)).status]).toEqual([404, 404])
  })
})
