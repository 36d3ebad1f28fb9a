import { randomUUID } from 'node:crypto'
import { expect, vi } from 'vitest'
import { encodeId } from '../../src/platform/ids.ts'
import type { Answer } from '../answer.ts'
import { verificationToken } from '../account-mail.ts'
import { type Credentials, PASSWORD, startTestBackend, type TestOrganization } from '../harness.ts'
import { OWN_LOCKS } from '../database-locks.ts'
import { example, onPolicy, type OperationRequest, type BuildRequest, SUCCESSES, withPasskey } from './successful-requests.ts'
import { queuedToken } from '../queued-mail.ts'
import type { ContractFixture } from './fixture.ts'

type SendRequest = (request: OperationRequest) => Promise<Answer>
type Own = (world: ContractFixture, sendRequest: SendRequest) => Promise<Answer>

const succeeding = (operationId: string, status: number): BuildRequest => SUCCESSES[operationId]?.[status] as BuildRequest

/** Sends the request of that success with other fields in the body. */
const withBody =
  (operationId: string, status: number, body: object): Own =>
  async (world, sendRequest) => {
    const given = await succeeding(operationId, status)(world)
    return sendRequest({ ...given, body: { ...(given.body as object), ...body } })
  }

/** Sends a request twice under one `Idempotency-Key`; the second one with other fields in the body, if it has a body. */
const repeated =
  (operationId: string, status: number, body?: object): Own =>
  async (world, sendRequest) => {
    const given = { ...(await succeeding(operationId, status)(world)), headers: { 'idempotency-key': randomUUID() } }
    await sendRequest(given)
    return sendRequest(body ? { ...given, body: { ...(given.body as object), ...body } } : given)
  }

/** The organizations of a user demand a second factor. */
const demandOf = ({ backend }: ContractFixture, userId: string | undefined) =>
  backend.pool.pg.query(
    `update organization set require_second_factor = true
    where number in (select organization from membership where user_id = $1)`,
    [userId],
  )

/** Of an export that is made from the setting. */
const ofSetting =
  (operationId: string, status: number): Own =>
  async (world, sendRequest) => {
    const request = await succeeding(operationId, status)(world)
    await world.backend.pool.pg.query('update metric_export set is_managed = true')
    const answer = await sendRequest(request)
    await world.backend.pool.pg.query('update metric_export set is_managed = false')
    return answer
  }

/** Sends the request of that success to a backend whose public URL is an address. */
const onAddress =
  (operationId: string, status: number): Own =>
  async (world, sendRequest) => {
    const { databaseUrl, clock } = world.backend
    const environment = { VEDETTE_PUBLIC_URL: 'https://192.0.2.1' }
    const on = await startTestBackend({ databaseUrl, clock, environment, throughProxy: true })
    const answer = await sendRequest({ ...(await succeeding(operationId, status)(world)), on })
    await on.close()
    return answer
  }

/** Restores one where the organization has as many others as it may have. */
const beyondBound =
  (operationId: string, table: string, bound = 1_000): Own =>
  async (world, sendRequest) => {
    const request = await succeeding(operationId, 200)(world)
    const { pg } = world.backend.pool
    const other = `jsonb_build_object('id', gen_random_uuid(), 'name', 'one of many', 'deleted_at', null)`
    await pg.query(
      `insert into ${table} select (jsonb_populate_record(null::${table}, to_jsonb(one) || ${other})).*
        from (select * from ${table} where deleted_at is not null limit 1) as one cross join generate_series(1, ${bound})`,
    )
    const answer = await sendRequest(request)
    await pg.query(`delete from ${table} where name = 'one of many'`)
    return answer
  }

/** Of a certificate that a check saw. */
const ofSeenCertificate =
  (operationId: string, status: number): Own =>
  async (world, sendRequest) => {
    const request = await succeeding(operationId, status)(world)
    const newest = '(select id from certificate order by id desc limit 1)'
    await world.backend.pool.pg.query(`update certificate set fingerprint = '\\x01' where id = ${newest}`)
    const answer = await sendRequest(request)
    await world.backend.pool.pg.query('delete from certificate where fingerprint is not null')
    return answer
  }

/** Sends a request while another transaction has deleted what it needs, and has not committed yet. */
async function whileDeleting(
  { backend }: ContractFixture,
  statement: string,
  value: unknown,
  sendRequest: () => Promise<Answer>,
): Promise<Answer> {
  const client = await backend.pool.pg.connect()
  try {
    await client.query('begin')
    await client.query(statement, [value])
    const answer = sendRequest()
    await vi.waitFor(
      async () => {
        const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        expect((await backend.pool.pg.query(waiting)).rowCount).toBe(1)
      },
      { interval: 10, timeout: 20_000 },
    )
    await client.query('commit')
    return await answer
  } finally {
    client.release()
  }
}

/** Sends a request with an API key whose organization is deleted at the same time. */
const whileOrganizationGoes =
  (operationId: string, status: number, body: object = {}): Own =>
  async (world, sendRequest) => {
    const organization = await world.backend.organization()
    const as = await world.backend.apiKey(organization, 'admin')
    // Not the scope that an owner only may give.
    const succeeded = await succeeding(operationId, status)(world)
    const given = { ...succeeded, as, body: { ...(succeeded.body as object), ...body } }
    return whileDeleting(world, 'delete from organization where number = $1', organization.number, () => sendRequest(given))
  }

/** An organization whose plan has room for nobody and nothing more. */
async function full(world: ContractFixture): Promise<TestOrganization> {
  const organization = await world.backend.organization('Full')
  for (let count = 0; count < 5; count += 1) {
    await world.backend.member(organization, 'viewer')
    await world.backend.server(organization)
  }
  return organization
}

async function onFreePlan({ backend }: ContractFixture, { number }: TestOrganization): Promise<void> {
  await backend.pool.db.updateTable('organization').set({ plan: 'free' }).where('number', '=', number).execute()
}

/** A monitor of an organization on the free plan, and who may change it. */
async function monitorOnFree(world: ContractFixture): Promise<{ as: Credentials; id: string }> {
  const organization = await world.backend.organization()
  await onFreePlan(world, organization)
  const as = await world.backend.apiKey(organization, 'admin')
  const body = { name: 'Shop', url: 'https://shop.example.com/' }
  return { as, id: (await world.backend.call('POST', '/v1/monitors', { as, body })).body.id }
}

/** Sends a monitor with more frequent checks than the free plan allows. */
const onFree =
  (operationId: string, status: number): Own =>
  async (world, sendRequest) => {
    const { as } = await monitorOnFree(world)
    const { body } = await succeeding(operationId, status)(world)
    const one = { name: 'Shop', url: 'https://shop.example.com/', interval: 30 }
    return sendRequest({ as, body: operationId === 'changeMonitors' ? { create: [one] } : { ...(body as object), ...one } })
  }

/** Sends the request of that success twice. */
const twice =
  (operationId: string, status: number): Own =>
  async (world, sendRequest) => {
    const given = await succeeding(operationId, status)(world)
    await sendRequest(given)
    return sendRequest(given)
  }

/** Sends the request of that success as somebody who may only read. */
const asReader =
  (operationId: string, status: number): Own =>
  async (world, sendRequest) =>
    sendRequest({ ...(await succeeding(operationId, status)(world)), as: await world.backend.apiKey(world.organization, 'read') })

/** Applies a change set with more frequent checks than the free plan allows. */
const applyingOnFree: Own = async (world, sendRequest) => {
  const { as } = await monitorOnFree(world)
  const spec = { name: 'Often', url: 'https://shop.example.com/', interval: 30 }
  const body = { owner: 'git:infra', resources: [{ kind: 'monitor', ref: 'often', spec }] }
  return sendRequest({ as, path: { id: (await world.backend.call('POST', '/v1/change-sets', { as, body })).body.id } })
}

/** Takes back a change to less frequent checks, made on a plan that allowed more. */
const undoingOnFree: Own = async (world, sendRequest) => {
  const organization = await world.backend.organization()
  const as = await world.backend.apiKey(organization, 'admin')
  const made = await world.backend.call('POST', '/v1/monitors', {
    as,
    body: { name: 'Often', url: 'https://shop.example.com/', interval: 30 },
  })
  await world.backend.call('PATCH', `/v1/monitors/${made.body.id}`, { as, body: { interval: 3_600 } })
  await onFreePlan(world, organization)
  const { body } = await world.backend.call('GET', '/v1/change-sets', { as })
  return sendRequest({ as, path: { id: body.change_sets[0].id }, body: {} })
}

/** Lists monitors: they are read before the organization is deleted, their plan afterwards. */
const whileListing: Own = async ({ backend }, sendRequest) => {
  const organization = await backend.organization()
  const as = await backend.apiKey(organization, 'admin')
  await backend.call('POST', '/v1/monitors', { as, body: { name: 'Shop', url: 'https://shop.example.com/' } })
  const [first, second] = [await backend.pool.pg.connect(), await backend.pool.pg.connect()]
  const waitsFor = (table: string) =>
    vi.waitFor(
      async () => {
        const waiting = `select from ${OWN_LOCKS} where relation = $1::regclass and not granted`
        expect((await backend.pool.pg.query(waiting, [table])).rowCount).toBe(1)
      },
      { interval: 10, timeout: 20_000 },
    )
  try {
    await first.query('begin; lock table monitor in access exclusive mode')
    const answer = sendRequest({ as })
    await waitsFor('monitor')
    await second.query('begin; lock table organization in access exclusive mode')
    await first.query('commit')
    await waitsFor('organization')
    await second.query('delete from organization where number = $1', [organization.number])
    await second.query('commit')
    return await answer
  } finally {
    first.release()
    second.release()
  }
}

/** Somebody who is the only owner of an organization, about themselves. */
async function onlyOwner({ backend }: ContractFixture): Promise<OperationRequest> {
  const organization = await backend.organization()
  const as = await backend.member(organization, 'owner')
  const others = 'delete from membership where organization = $1 and user_id <> $2'
  await backend.pool.pg.query(others, [organization.number, as.userId])
  return { as, path: { id: organization.id, memberId: encodeId('user', as.userId) } }
}

async function invitationTo({ backend }: ContractFixture, organization: TestOrganization, email: string): Promise<string> {
  const answer = await backend.call('POST', `/v1/organizations/${organization.id}/members/invite`, {
    as: await backend.apiKey(organization, 'admin'),
    body: { email, role: 'viewer' },
  })
  return queuedToken(backend, answer.body.id)
}

/** Refusals that an operation has for a reason of its own. */
export const OPERATION_ERRORS: Readonly<Record<string, Readonly<Record<number, Own>>>> = {
  completeSetup: {
    401: withBody('completeSetup', 201, { code: 'wrong' }),
    409: async (world, sendRequest) => sendRequest({ ...(await succeeding('completeSetup', 201)(world)), on: world.behindProxy }),
  },
  createSession: { 401: withBody('createSession', 200, { password: 'wrong' }) },
  refreshSession: {
    401: async (_world, sendRequest) => sendRequest({ headers: { 'x-requested-with': 'vedette' } }),
    403: async (_world, sendRequest) => sendRequest({}),
  },
  confirmPasswordReset: {
    401: async (world, sendRequest) => {
      const { email } = await world.guarded()
      return sendRequest({ body: { token: await world.resetToken(email), new_password: 'a new and better phrase' } })
    },
    404: withBody('confirmPasswordReset', 200, { token: 'none' }),
  },
  changeEmail: {
    409: async (world, sendRequest) => {
      const { backend } = world
      const mute = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
      try {
        const [as, other] = [await world.person(), await world.person()]
        const { email } = other
        return await sendRequest({ on: mute, as, body: { email, password: PASSWORD } })
      } finally {
        await mute.close()
      }
    },
  },
  requestEmailVerification: {
    409: async (world, sendRequest) => {
      const as = await world.person()
      await world.backend.pool.pg.query('update app_user set email_verified_at = created_at where id = $1', [as.userId])
      return sendRequest({ as })
    },
  },
  verifyEmail: {
    404: withBody('verifyEmail', 200, { token: 'none' }),
    409: async (world, sendRequest) => {
      const [as, other] = [await world.person(), await world.person()]
      const body = { email: other.email, password: PASSWORD }
      await world.backend.call('POST', '/v1/auth/email', { as, body })
      return sendRequest({ body: { token: await verificationToken(world.backend, as.userId) } })
    },
  },
  deleteCurrentUser: {
    409: async (world, sendRequest) => {
      const { as = {} } = await onlyOwner(world)
      return sendRequest({ as, body: { password: PASSWORD } })
    },
  },
  endCurrentSession: {
    404: async (world, sendRequest) => {
      const as = await world.person()
      // What notes the use of a session must not wait for the lock.
      await world.backend.call('GET', '/v1/auth/me', { as: { authorization: as.authorization ?? '' } })
      return whileDeleting(world, 'delete from session where user_id = $1', as.userId, () => sendRequest({ as }))
    },
  },
  // Senders name all types, and only what is none is refused.
  takeAlerts: {
    415: async (world, sendRequest) => {
      const given = await succeeding('takeAlerts', 200)(world)
      return sendRequest({ ...given, headers: { 'content-type': 'nonsense' } })
    },
  },
  createAlertSource: {
    404: whileOrganizationGoes('createAlertSource', 201),
    409: repeated('createAlertSource', 201, { name: 'Other' }),
  },
  rotateAlertSourceToken: { 409: repeated('rotateAlertSourceToken', 200) },
  confirmAlertSourceTopic: {
    409: async (world, sendRequest) => {
      const given = await succeeding('confirmAlertSourceTopic', 200)(world)
      const confirm = { topic: 'arn:aws:sns:eu-central-1:123456789012:alerts', url: 'https://not-allowed.example/' }
      await world.backend.pool.pg.query('update alert_source set confirm = $1', [JSON.stringify(confirm)])
      return sendRequest(given)
    },
  },
  startPasskey: { 409: onAddress('startPasskey', 200) },
  createPasskey: { 409: onAddress('createPasskey', 201) },
  startPasskeySignIn: { 409: onAddress('startPasskeySignIn', 200) },
  createSessionByPasskey: {
    401: async (world, sendRequest) => {
      const given = await succeeding('createSessionByPasskey', 200)(world)
      await sendRequest(given)
      return sendRequest(given)
    },
    409: onAddress('createSessionByPasskey', 200),
  },
  removePasskey: {
    409: async (world, sendRequest) => {
      const { as, path } = await withPasskey(world, (await onlyOwner(world)).as)
      await demandOf(world, as.userId)
      return sendRequest({ as, path, body: {} })
    },
  },
  setUpTotp: { 409: async (world, sendRequest) => sendRequest({ as: await world.person(), body: { code: '123456' } }) },
  removeTotp: {
    404: async (world, sendRequest) => sendRequest({ as: await world.person(), body: { code: '123456' } }),
    409: async (world, sendRequest) => {
      const { as = {} } = await onlyOwner(world)
      const { pg: database } = world.backend.pool
      const now = new Date(world.backend.clock.now())
      const owner = [as.userId, now]
      await database.query(
        `insert into user_totp (user_id, secret, last_step, created_at, enabled_at) values ($1, '', 0, $2, $2)`,
        owner,
      )
      await demandOf(world, as.userId)
      return sendRequest({ as, body: { password: PASSWORD } })
    },
  },
  updateOrganization: {
    409: async (world, sendRequest) => {
      const { as = {}, path = {} } = await onlyOwner(world)
      return sendRequest({ as, path: { id: path['id'] ?? '' }, body: { require_second_factor: true } })
    },
  },
  createOrganization: { 409: repeated('createOrganization', 201, { name: 'Other' }) },
  updateMember: { 409: async (world, sendRequest) => sendRequest({ ...(await onlyOwner(world)), body: { role: 'viewer' } }) },
  removeMember: { 409: async (world, sendRequest) => sendRequest(await onlyOwner(world)) },
  inviteMember: {
    402: async (world, sendRequest) => {
      const organization = await full(world)
      await onFreePlan(world, organization)
      const as = await world.backend.apiKey(organization, 'admin')
      return sendRequest({ as, path: { id: organization.id }, body: { email: 'ada@example.com', role: 'viewer' } })
    },
    409: async (world, sendRequest) => {
      const { email } = await world.person()
      return sendRequest({ ...(await succeeding('inviteMember', 201)(world)), body: { email, role: 'viewer' } })
    },
  },
  readInvitation: { 404: withBody('readInvitation', 200, { token: 'none' }) },
  acceptInvitation: {
    401: async (world, sendRequest) => {
      const { email } = await world.person()
      const token = await invitationTo(world, await world.backend.organization('Other'), email)
      return sendRequest({ body: { token, password: 'wrong' } })
    },
    402: async (world, sendRequest) => {
      const organization = await full(world)
      const token = await invitationTo(world, organization, `${randomUUID()}@example.com`)
      await onFreePlan(world, organization)
      return sendRequest({ body: { token, password: 'a long and rare passphrase' } })
    },
    404: withBody('acceptInvitation', 200, { token: 'none' }),
    409: async (world, sendRequest) => {
      const { email, userId } = await world.person()
      await world.backend.pool.pg.query('update app_user set email_verified_at = created_at where id = $1', [userId])
      const token = await invitationTo(world, await world.backend.organization('Other'), email)
      return sendRequest({ body: { token, password: 'a long and rare passphrase', replace_unverified: true } })
    },
  },
  registerServer: {
    402: async (world, sendRequest) => {
      const organization = await full(world)
      await onFreePlan(world, organization)
      const as = await world.backend.apiKey(organization, 'agent')
      return sendRequest({ ...(await succeeding('registerServer', 201)(world)), as })
    },
    404: whileOrganizationGoes('registerServer', 201),
    409: repeated('registerServer', 201),
  },
  acknowledgeIncident: { 409: repeated('acknowledgeIncident', 200, { comment: 'Other' }) },
  resolveIncident: { 409: repeated('resolveIncident', 200, { comment: 'Other' }) },
  commentIncident: { 409: repeated('commentIncident', 200, { comment: 'Other' }) },
  regenerateServerToken: { 409: repeated('regenerateServerToken', 200) },
  checkMonitor: {
    409: async (world, sendRequest) => {
      const request = await succeeding('checkMonitor', 200)(world)
      await world.backend.call('POST', `/v1/monitors/${request.path?.['id']}/pause`, { as: await world.person() })
      return sendRequest(request)
    },
  },
  listMonitors: { 404: whileListing },
  createMonitor: {
    402: onFree('createMonitor', 201),
    404: whileOrganizationGoes('createMonitor', 201),
    409: repeated('createMonitor', 201, { name: 'Other' }),
  },
  changeMonitors: {
    402: onFree('changeMonitors', 200),
    404: whileOrganizationGoes('changeMonitors', 200, { delete: [], update: [] }),
    409: repeated('changeMonitors', 200, { delete: [] }),
  },
  restoreMonitor: {
    402: async (world, sendRequest) => {
      const organization = await world.backend.organization()
      const as = await world.backend.apiKey(organization, 'admin')
      const body = { name: 'Shop', url: 'https://shop.example.com/', interval: 30 }
      const { id } = (await world.backend.call('POST', '/v1/monitors', { as, body })).body
      await world.backend.call('DELETE', `/v1/monitors/${id}`, { as })
      await onFreePlan(world, organization)
      return sendRequest({ as, path: { id } })
    },
  },
  updateMonitor: {
    402: async (world, sendRequest) => {
      const { as, id } = await monitorOnFree(world)
      return sendRequest({ as, path: { id }, body: { interval: 30 } })
    },
  },
  restoreAlertRule: { 409: beyondBound('restoreAlertRule', 'alert_rule') },
  restoreAlertSource: { 409: beyondBound('restoreAlertSource', 'alert_source') },
  restoreChannel: { 409: beyondBound('restoreChannel', 'channel') },
  restoreEscalationPolicy: { 409: beyondBound('restoreEscalationPolicy', 'escalation_policy') },
  restoreIdentityProvider: { 409: beyondBound('restoreIdentityProvider', 'identity_provider') },
  restoreMaintenanceWindow: { 409: beyondBound('restoreMaintenanceWindow', 'maintenance_window') },
  restoreSchedule: { 409: beyondBound('restoreSchedule', 'schedule', 2_000) },
  restoreSlo: { 409: beyondBound('restoreSlo', 'slo') },
  restoreStatusPage: { 409: beyondBound('restoreStatusPage', 'status_page') },
  createAlertRule: {
    404: whileOrganizationGoes('createAlertRule', 201),
    409: repeated('createAlertRule', 201, { name: 'Other' }),
  },
  addDefaultAlertRules: {
    409: async (world, sendRequest) => {
      const organization = await world.backend.organization()
      const as = await world.backend.member(organization, 'owner')
      const { pg } = world.backend.pool
      await pg.query(`delete from alert_rule where organization = $1 and metric <> 'status'`, [organization.number])
      await pg.query(
        `insert into alert_rule
          select (jsonb_populate_record(null::alert_rule, to_jsonb(one) || jsonb_build_object('id', gen_random_uuid()))).*
          from (select * from alert_rule where organization = $1 limit 1) as one cross join generate_series(1, 1000)`,
        [organization.number],
      )
      return sendRequest({ as })
    },
  },
  createEscalationPolicy: {
    409: repeated('createEscalationPolicy', 201, { name: 'Other' }),
  },
  deleteEscalationPolicy: {
    409: async (world, sendRequest) => {
      const given = await onPolicy(world)
      const rule = { name: 'rule', target: { type: 'monitor' }, escalation_policy_id: given.path?.['id'] }
      const condition = { metric: 'status', operator: 'equals', value: 'down' }
      await world.backend.call('POST', '/v1/alert-rules', { as: given.as ?? {}, body: { ...rule, condition } })
      return sendRequest(given)
    },
  },
  createIdentityProvider: {
    404: whileOrganizationGoes('createIdentityProvider', 201),
    409: repeated('createIdentityProvider', 201, { name: 'Other' }),
  },
  createSchedule: {
    // The members of its example are of another organization.
    404: whileOrganizationGoes('createSchedule', 201, { layers: [], overrides: [] }),
    409: repeated('createSchedule', 201, { name: 'Other' }),
  },
  replaceCalendar: { 409: repeated('replaceCalendar', 200) },
  proposeChanges: {
    404: whileOrganizationGoes('proposeChanges', 201),
    409: repeated('proposeChanges', 201, { prune: true }),
  },
  applyChangeSet: {
    402: applyingOnFree,
    403: asReader('applyChangeSet', 200),
    409: twice('applyChangeSet', 200),
  },
  undoChangeSet: {
    402: undoingOnFree,
    403: asReader('undoChangeSet', 200),
    409: twice('undoChangeSet', 200),
  },
  createAnnotation: {
    404: whileOrganizationGoes('createAnnotation', 201),
    409: repeated('createAnnotation', 201, { text: 'Other' }),
  },
  createCertificate: {
    404: whileOrganizationGoes('createCertificate', 201),
    409: repeated('createCertificate', 201, { name: 'Other' }),
  },
  updateCertificate: { 409: ofSeenCertificate('updateCertificate', 200) },
  deleteCertificate: { 409: ofSeenCertificate('deleteCertificate', 204) },
  updateExport: { 409: ofSetting('updateExport', 200) },
  deleteExport: { 409: ofSetting('deleteExport', 204) },
  createExport: { 404: whileOrganizationGoes('createExport', 201), 409: repeated('createExport', 201, { name: 'Other' }) },
  createSlo: { 404: whileOrganizationGoes('createSlo', 201), 409: repeated('createSlo', 201, { name: 'Other' }) },
  createMaintenanceWindow: {
    404: whileOrganizationGoes('createMaintenanceWindow', 201),
    409: repeated('createMaintenanceWindow', 201, { name: 'Other' }),
  },
  createStatusPage: {
    404: whileOrganizationGoes('createStatusPage', 201),
    409: repeated('createStatusPage', 201, { name: 'Other' }),
  },
  updateStatusPage: {
    409: async (world, sendRequest) => {
      const as = await world.person()
      const make = async () => {
        const body = { name: 'Page', slug: `page-${randomUUID()}`, title: 'Page' }
        return (await world.backend.call('POST', '/v1/status-pages', { as, body })).body
      }
      const [first, second] = [await make(), await make()]
      return sendRequest({ as, path: { id: first.id }, body: { slug: second.slug } })
    },
  },
  createStatusPost: { 409: repeated('createStatusPost', 201, { title: 'Other' }) },
  createReclassification: { 409: repeated('createReclassification', 201, { comment: 'Other' }) },
  createSubscriber: { 409: repeated('createSubscriber', 201) },
  createStatusPostUpdate: { 409: repeated('createStatusPostUpdate', 201, { text: 'Other' }) },
  verifyStatusPageDomain: {
    409: async (world, sendRequest) => {
      const as = await world.person()
      const body = { name: 'Page', slug: `page-${randomUUID()}`, title: 'Page', domain: 'missing.example.com' }
      const { body: made } = await world.backend.call('POST', '/v1/status-pages', { as, body })
      return sendRequest({ as, path: { id: made.id } })
    },
  },
  createChannel: { 404: whileOrganizationGoes('createChannel', 201), 409: repeated('createChannel', 201) },
  createEnrollmentToken: {
    404: whileOrganizationGoes('createEnrollmentToken', 201),
    409: repeated('createEnrollmentToken', 201),
  },
  createApiKey: { 404: whileOrganizationGoes('createApiKey', 201), 409: repeated('createApiKey', 201) },
  createContactMethod: {
    409: async (world, sendRequest) => {
      const given = await succeeding('createContactMethod', 201)(world)
      for (let index = 0; index < 10; index += 1) await sendRequest(given)
      return sendRequest(given)
    },
  },
  createPushSubscription: {
    409: async (world, sendRequest) => {
      const { as } = await succeeding('createPushSubscription', 201)(world)
      const add = (index: number) => ({ as, body: example('PushSubscriptionBody', { endpoint: `https://192.0.2.1/${index}` }) })
      for (let index = 0; index < 20; index += 1) await sendRequest(add(index))
      return sendRequest(add(20))
    },
  },
  submitMetrics: {
    409: async (world, sendRequest) => {
      const given = await succeeding('submitMetrics', 202)(world)
      let answer: Answer | undefined
      for (const boot_id of ['a', 'b', 'a']) {
        const { samples } = given.body as { samples: { at: string }[] }
        const at = new Date(Date.parse(samples[0]?.at ?? '') - boot_id.charCodeAt(0) * 1000).toISOString()
        const body = { ...(given.body as object), batch_id: randomUUID(), boot_id, samples: [{ at, cpu: { percent: 1 } }] }
        answer = await sendRequest({ ...given, body })
      }
      return answer as Answer
    },
  },
}
