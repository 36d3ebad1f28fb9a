import { hash, randomUUID } from 'node:crypto'
import { generate } from 'otplib/functional'
import { examplesOf } from '../../src/operating/openapi/examples.ts'
import type { PublishedRoute } from '../fuzz/published-routes.ts'
import { encodeId } from '../../src/platform/ids.ts'
import { verificationToken } from '../account-mail.ts'
import type { Answer } from '../answer.ts'
import { createTestAuthenticator } from '../authenticator.ts'
import { type Credentials, PASSWORD, registration, type TestBackend } from '../harness.ts'
import { openTestIncident } from '../incident.ts'
import type { ContractFixture } from './fixture.ts'

/** What an operation is asked with. */
export interface OperationRequest {
  as?: Credentials | undefined
  /** Values of the parameters of the path. */
  path?: Record<string, string>
  query?: string
  body?: unknown
  headers?: Record<string, string>
  /** Another backend than that of the world. */
  on?: TestBackend
}

export type BuildRequest = (world: ContractFixture) => Promise<OperationRequest>

/** The example that is published of a body, with what differs from one installation to another. */
export const example = (name: string, own: object = {}, title = 'example'): object => ({
  ...(examplesOf(name)[title] as object),
  ...own,
})

const asOwner: BuildRequest = async (world) => ({ as: await world.person() })
const inOrganization: BuildRequest = async (world) => ({ as: await world.person(), path: { id: world.organization.id } })
/** An entity that a server has pushed. */
async function onEntity(world: ContractFixture) {
  const { id, as } = await world.server()
  const entities = [{ kind: 'container', name: 'web', values: { cpu_percent: 3 } }]
  const events = [
    { at: new Date(world.backend.clock.now()).toISOString(), kind: 'container', name: 'web', type: 'died', exit_code: 1 },
  ]
  await world.backend.call('POST', '/v1/agent/metrics', { as, body: { ...push(world), entities, entity_events: events } })
  const person = await world.person()
  const { body } = await world.backend.call('GET', `/v1/servers/${id}/entities`, { as: person })
  return { as: person, path: { id, entityId: body.entities[0].id as string } }
}

const onServer: BuildRequest = async (world) => ({ as: await world.person(), path: { id: (await world.server()).id } })
/** A server whose pushes are answered with a source to leave out. */
async function switchedServer(world: ContractFixture) {
  const { backend } = world
  const server = await world.server()
  await backend.call('PATCH', `/v1/servers/${server.id}`, { as: await world.person(), body: { sources_off: ['containers'] } })
  for (let isKnown = false; !isKnown; ) {
    backend.clock.advance(5_000)
    const { body } = await backend.call('POST', '/v1/agent/metrics', { as: server.as, body: push(world) })
    isKnown = body.sources_off !== undefined
  }
  return server
}

const onMonitor: BuildRequest = async (world) => ({ as: await world.person(), path: { id: await world.monitor() } })
const onBrowser: BuildRequest = async (world) => {
  const as = await world.person()
  const body = example('PushSubscriptionBody', { endpoint: `https://192.0.2.1/${randomUUID()}` })
  return { as, path: { id: (await world.backend.call('POST', '/v1/push-subscriptions', { as, body })).body.id } }
}
const onContactMethod: BuildRequest = async (world) => {
  const as = await world.person()
  const body = example('CreateContactMethodBody')
  return { as, path: { id: (await world.backend.call('POST', '/v1/contact-methods', { as, body })).body.id } }
}
/** A person with a passkey, and the authenticator that has it. */
const authenticatorOf = async ({ backend }: ContractFixture) =>
  createTestAuthenticator(`http://localhost:${await backend.listen()}`)
export async function withPasskey(world: ContractFixture, given?: Credentials) {
  const as = given ?? (await world.person())
  const key = await authenticatorOf(world)
  const { body: options } = await world.backend.call('POST', '/v1/auth/passkeys/registration-options', { as, body: {} })
  const body = { name: 'Laptop', credential: key.create(options) }
  return { as, key, path: { id: (await world.backend.call('POST', '/v1/auth/passkeys', { as, body })).body.id } }
}
const onPasskey: BuildRequest = async (world) => {
  const { as, path } = await withPasskey(world)
  return { as, path }
}
/** A code that a chat has shown to somebody. */
async function offerCode({ backend, organization }: ContractFixture): Promise<string> {
  const [code, at] = [randomUUID().slice(0, 8), new Date(backend.clock.now())]
  const about = {
    service: 'slack',
    credential: Buffer.alloc(32),
    chat_user: code,
    id: randomUUID(),
    name: 'ada',
    user_id: null,
  } as const
  const digest = { code_hash: hash('sha256', code, 'buffer'), code_expires_at: new Date(at.getTime() + 60_000) }
  await backend.pool.db
    .insertInto('chat_account')
    .values({ organization: organization.number, ...about, ...digest, created_at: at })
    .execute()
  return code
}
const mailed = () => `${randomUUID()}@example.com`

const push = (world: ContractFixture): object => {
  const at = new Date(world.backend.clock.now()).toISOString()
  return example('Push', { batch_id: randomUUID(), sent_at: at, samples: [{ at, cpu: { percent: 12.5 } }] })
}

/** A GET that answers, and for who has that version already. */
const readAndKnown = (read: BuildRequest): Record<number, BuildRequest> => ({
  200: read,
  304: async (world) => ({ ...(await read(world)), headers: { 'if-none-match': '*' } }),
})

/** What one operation needs that its published example does not have. */
type Own = (world: ContractFixture, userId: string) => object

/** The operations of a resource, asked with what is published as examples, and how one of them is made. */
function resource(one: string, many: string, path: string, own: Own = () => ({})) {
  const made = async (world: ContractFixture, more: object = {}): Promise<OperationRequest> => {
    const as = await world.person()
    const body = example(`Create${one}Body`, { ...own(world, encodeId('user', as.userId)), ...more })
    return { as, path: { id: (await world.backend.call('POST', path, { as, body })).body.id } }
  }
  const deleted = async (world: ContractFixture): Promise<OperationRequest> => {
    const request = await made(world)
    await world.backend.call('DELETE', `${path}/${request.path?.['id']}`, { as: await world.person() })
    return request
  }
  const successes: Record<string, Record<number, BuildRequest>> = {
    [`list${many}`]: {
      200: async (world) => {
        await made(world)
        return asOwner(world)
      },
    },
    [`create${one}`]: {
      201: async (world) => {
        const as = await world.person()
        const body = example(`Create${one}Body`, own(world, encodeId('user', as.userId)))
        return { as, body, headers: { 'idempotency-key': randomUUID() } }
      },
    },
    [`get${one}`]: readAndKnown((world) => made(world)),
    [`update${one}`]: { 200: async (world) => ({ ...(await made(world)), body: example(`Patch${one}Body`) }) },
    [`delete${one}`]: { 204: (world) => made(world) },
    [`listDeleted${many}`]: {
      200: async (world) => {
        await deleted(world)
        return asOwner(world)
      },
    },
    [`restore${one}`]: { 200: (world) => deleted(world) },
  }
  return { made, successes }
}

/** A change set that creates a monitor, and is not applied yet. */
async function onProposal(world: ContractFixture) {
  const as = await world.person()
  const body = example('CreateChangeSetBody', { owner: `git:${randomUUID()}` })
  const { body: made } = await world.backend.call('POST', '/v1/change-sets', { as, body })
  return { as, path: { id: made.id as string } }
}

const RULES = resource('AlertRule', 'AlertRules', '/v1/alert-rules')
const POLICIES = resource('EscalationPolicy', 'EscalationPolicies', '/v1/escalation-policies', (_, userId) => {
  const [step, restrictions] = [{ user_ids: [userId] }, [{ days: ['MO'], from: '09:00', to: '17:00' }]]
  return { steps: [{ ...step, restrictions }, step] }
})
const PROVIDERS = resource('IdentityProvider', 'IdentityProviders', '/v1/identity-providers')
const SCHEDULES = resource('Schedule', 'Schedules', '/v1/schedules', (_, userId) => ({
  layers: [{ user_ids: [userId], starts_at: '2020-01-06T08:00:00.000Z', repeat: 'FREQ=WEEKLY', restrictions: [] }],
  overrides: [{ user_id: userId, starts_at: '2020-01-06T08:00:00.000Z', ends_at: '2020-01-07T08:00:00.000Z' }],
}))
const SLOS = resource('Slo', 'Slos', '/v1/slos', () => ({ channel_ids: [] }))
const SOURCES = resource('AlertSource', 'AlertSources', '/v1/alert-sources')
const { made: onSource } = SOURCES
/** The token of a new source. */
async function sourceToken(world: ContractFixture): Promise<string> {
  const [as, body] = [await world.person(), example('CreateAlertSourceBody')]
  return (await world.backend.call('POST', '/v1/alert-sources', { as, body })).body.token
}
const CERTIFICATES = resource('Certificate', 'Certificates', '/v1/certificates')
const EXPORTS = resource('Export', 'Exports', '/v1/exports').successes
/** Only a few are allowed, and none is restored. */
const exportSuccesses = Object.fromEntries(
  ['listExports', 'createExport', 'getExport', 'updateExport', 'deleteExport'].map((operation) => [
    operation,
    Object.fromEntries(
      Object.entries(EXPORTS[operation] ?? {}).map(([status, build]): [string, BuildRequest] => [
        status,
        async (world) => {
          const oldest = 'delete from metric_export where id in (select id from metric_export order by id desc offset 2)'
          await world.backend.pool.pg.query(oldest)
          return build(world)
        },
      ]),
    ),
  ]),
)
const WINDOWS = resource('MaintenanceWindow', 'MaintenanceWindows', '/v1/maintenance-windows')
const PAGES = resource('StatusPage', 'StatusPages', '/v1/status-pages', () => ({ slug: `page-${randomUUID()}` }))
const CHANNELS = resource('Channel', 'Channels', '/v1/channels')
const { made: onPage } = PAGES
const { made: onChannel } = CHANNELS
export const { made: onPolicy } = POLICIES

/** How each operation is asked so that it succeeds, by status. */
export const SUCCESSES: Readonly<Record<string, Readonly<Record<number, BuildRequest>>>> = {
  getLiveness: { 200: async () => ({}) },
  getReadiness: { 200: async () => ({}) },
  getSetupState: { 200: async () => ({}) },
  completeSetup: {
    201: async (world) => {
      const { on, code } = await world.empty()
      return { on, body: example('SetupBody', { code }) }
    },
  },
  createSession: {
    200: async (world) => ({ body: example('LoginBody', { email: (await world.person()).email, password: PASSWORD }) }),
  },
  refreshSession: {
    200: async (world) => {
      const body = { email: (await world.person()).email, password: PASSWORD, remember: true }
      const cookie = String((await world.backend.call('POST', '/v1/auth/login', { body })).headers['set-cookie'])
      return { headers: { cookie, 'x-requested-with': 'vedette' } }
    },
  },
  requestPasswordReset: { 202: async (world) => ({ body: { email: (await world.person()).email } }) },
  confirmPasswordReset: {
    200: async (world) => {
      const { email } = await world.person()
      return { body: example('PasswordResetConfirmBody', { token: await world.resetToken(email) }) }
    },
  },
  changeEmail: {
    200: async (world) => ({ as: await world.person(), body: example('ChangeEmailBody', { password: PASSWORD }) }),
  },
  requestEmailVerification: { 202: async (world) => ({ as: await world.person() }) },
  verifyEmail: {
    200: async (world) => {
      const as = await world.person()
      await world.backend.call('POST', '/v1/auth/email/verification', { as })
      return { body: { token: await verificationToken(world.backend, as.userId) } }
    },
  },
  deleteCurrentUser: {
    204: async (world) => ({ as: await world.person(), body: { password: PASSWORD } }),
  },
  getCurrentUser: { 200: asOwner },
  getMe: { 200: asOwner },
  updateMe: { 200: async (world) => ({ as: await world.person(), body: example('PatchMeBody') }) },
  getOverview: { 200: asOwner },
  getStates: { 200: asOwner },
  endCurrentSession: { 204: asOwner },
  changePassword: {
    200: async (world) => ({
      as: await world.person(),
      body: example('ChangePasswordBody', { current_password: PASSWORD }),
    }),
  },
  listSessions: { 200: asOwner },
  endSession: {
    204: async (world) => {
      const as = await world.person()
      const { body } = await world.backend.call('GET', '/v1/auth/sessions', { as })
      return { as, path: { id: body.sessions[0].id } }
    },
  },
  listContactMethods: { 200: asOwner },
  createContactMethod: { 201: async (world) => ({ as: await world.person(), body: example('CreateContactMethodBody') }) },
  deleteContactMethod: { 204: onContactMethod },
  testContactMethod: { 200: onContactMethod },
  listChatAccounts: { 200: asOwner },
  connectChatAccount: {
    201: async (world) => {
      const as = await world.person()
      return { as, body: example('ConnectChatAccountBody', { code: await offerCode(world) }) }
    },
  },
  removeChatAccount: {
    204: async (world) => {
      const as = await world.person()
      const body = { code: await offerCode(world) }
      return { as, path: { id: (await world.backend.call('POST', '/v1/chat-accounts', { as, body })).body.id } }
    },
  },
  listPushSubscriptions: { 200: asOwner },
  createPushSubscription: {
    201: async (world) => ({ as: await world.person(), body: example('PushSubscriptionBody') }),
  },
  deletePushSubscription: { 204: onBrowser },
  testPushSubscription: { 200: onBrowser },
  listPasskeys: { 200: asOwner },
  startPasskey: { 200: async (world) => ({ as: await world.person(), body: {} }) },
  createPasskey: {
    201: async (world) => {
      const as = await world.person()
      const { body } = await world.backend.call('POST', '/v1/auth/passkeys/registration-options', { as, body: {} })
      return { as, body: example('CreatePasskeyBody', { credential: (await authenticatorOf(world)).create(body) }) }
    },
  },
  renamePasskey: { 200: async (world) => ({ ...(await onPasskey(world)), body: example('PatchPasskeyBody') }) },
  removePasskey: { 204: async (world) => ({ ...(await onPasskey(world)), body: {} }) },
  startPasskeySignIn: { 200: async () => ({}) },
  createSessionByPasskey: {
    200: async (world) => {
      const { key } = await withPasskey(world)
      const { body } = await world.backend.call('POST', '/v1/auth/passkeys/sign-in-options')
      return { body: example('PasskeySignInBody', { credential: key.get(body) }) }
    },
  },
  getTotpState: { 200: asOwner },
  setUpTotp: {
    201: async (world) => ({ as: await world.person(), body: example('TotpBody') }),
    200: async (world) => {
      const as = await world.person()
      const { body } = await world.backend.call('POST', '/v1/auth/totp', { as, body: {} })
      const code = await generate({ secret: body.secret, epoch: Math.floor(world.backend.clock.now() / 1000) })
      return { as, body: example('TotpBody', { code }, 'withCode') }
    },
  },
  removeTotp: {
    204: async (world) => {
      const as = await world.guarded()
      return { as, body: example('TotpBody', { code: await as.code() }, 'withCode') }
    },
  },
  listOrganizations: { 200: asOwner },
  createOrganization: {
    201: async (world) => ({
      as: await world.person(),
      body: example('OrganizationBody'),
      headers: { 'idempotency-key': randomUUID() },
    }),
  },
  getOrganization: readAndKnown(inOrganization),
  updateOrganization: {
    200: async (world) => ({ ...(await inOrganization(world)), body: example('OrganizationBody') }),
  },
  deleteOrganization: {
    204: async (world) => {
      const organization = await world.backend.organization('Example')
      const as = await world.backend.member(organization, 'owner')
      return { as, path: { id: organization.id }, body: example('DeleteOrganizationBody') }
    },
  },
  updateMembership: {
    200: async (world) => ({ ...(await inOrganization(world)), body: example('PatchMembershipBody') }),
  },
  listMembers: { 200: inOrganization },
  updateMember: {
    200: async (world) => ({ ...(await aboutMember(world)), body: example('PatchMemberBody') }),
  },
  removeMember: { 204: (world) => aboutMember(world) },
  inviteMember: {
    201: async (world) => ({ ...(await inOrganization(world)), body: example('InviteBody', { email: mailed() }) }),
  },
  listInvitations: {
    200: async (world) => {
      await world.invitation()
      return inOrganization(world)
    },
  },
  revokeInvitation: {
    204: async (world) => {
      const { id } = await world.invitation()
      return { as: await world.person(), path: { id: world.organization.id, invitationId: id } }
    },
  },
  readInvitation: { 200: async (world) => ({ body: { token: (await world.invitation()).token } }) },
  acceptInvitation: {
    200: async (world) => ({ body: example('AcceptInvitationBody', { token: (await world.invitation()).token }) }),
  },
  registerServer: {
    201: async (world) => ({ as: await world.key(), body: example('RegisterBody', { machine_id: randomUUID() }) }),
    200: async (world) => {
      const machine = randomUUID()
      const as = await world.key()
      await world.backend.call('POST', '/v1/agent/register', { as, body: registration(machine) })
      return { as, body: example('RegisterBody', { machine_id: machine }), headers: { 'idempotency-key': randomUUID() } }
    },
  },
  updateServerFacts: { 204: async (world) => ({ as: (await world.server()).as, body: example('FactsBody') }) },
  submitMetrics: { 202: async (world) => ({ as: (await switchedServer(world)).as, body: push(world) }) },
  listServers: {
    200: async (world) => {
      await pushOnce(world)
      return {
        as: await world.person(),
        query: 'include=metrics%2Csparkline',
        headers: { 'x-organization-id': world.organization.id },
      }
    },
  },
  getServer: readAndKnown(async (world) => ({ as: await world.person(), path: { id: await pushOnce(world) } })),
  updateServer: { 200: async (world) => ({ ...(await onServer(world)), body: example('PatchServerBody') }) },
  deleteServer: { 204: onServer },
  regenerateServerToken: { 200: onServer },
  getServerMetrics: {
    200: async (world) => ({ as: await world.person(), path: { id: await pushOnce(world) }, query: 'period=15m&points=10' }),
  },
  getServerProcesses: {
    200: async (world) => ({ as: await world.person(), path: { id: await pushOnce(world) }, query: 'at=2026-11-20T18:00:00Z' }),
  },
  getServerForecast: { 200: async (world) => ({ as: await world.person(), path: { id: await pushOnce(world) } }) },
  listEntities: {
    200: async (world) => {
      await onEntity(world)
      return { as: await world.person(), query: 'kind=container&sort=-cpu_percent' }
    },
  },
  listServerEntities: {
    200: async (world) => {
      const { as, path } = await onEntity(world)
      return { as, path: { id: path.id }, query: `kind=container&at=${new Date(world.backend.clock.now()).toISOString()}` }
    },
  },
  getServerEntity: { 200: onEntity },
  getServerEntityMetrics: { 200: async (world) => ({ ...(await onEntity(world)), query: 'period=15m&points=10' }) },
  listRegions: { 200: asOwner },
  claimChecks: { 200: async (world) => ({ as: await world.backend.probe(), body: example('ClaimsBody', { wait_seconds: 0 }) }) },
  submitCheckResults: { 202: async (world) => ({ as: await world.backend.probe(), body: example('ProbeResultsBody') }) },
  listMonitors: {
    200: async (world) => {
      await world.monitor()
      return { as: await world.person(), query: 'include=sparkline%2Cuptime%2Cfacts' }
    },
  },
  createMonitor: {
    201: async (world) => ({
      as: await world.person(),
      body: example('CreateMonitorBody'),
      headers: { 'idempotency-key': randomUUID() },
    }),
  },
  testMonitor: { 200: async (world) => ({ as: await world.person(), body: example('CreateMonitorBody') }) },
  changeMonitors: {
    200: async (world) => ({
      as: await world.person(),
      body: example('BulkMonitorsBody', { update: [{ id: await world.monitor(), interval: 60 }] }),
      headers: { 'idempotency-key': randomUUID() },
    }),
  },
  getMonitor: readAndKnown(onMonitor),
  updateMonitor: { 200: async (world) => ({ ...(await onMonitor(world)), body: example('PatchMonitorBody') }) },
  deleteMonitor: { 204: onMonitor },
  pauseMonitor: { 200: onMonitor },
  resumeMonitor: { 200: onMonitor },
  checkMonitor: { 200: onMonitor },
  listDeletedMonitors: { 200: asOwner },
  restoreMonitor: {
    200: async (world) => {
      const request = await onMonitor(world)
      await world.backend.call('DELETE', `/v1/monitors/${request.path?.['id']}`, { as: await world.person() })
      return request
    },
  },
  listMonitorChecks: { 200: onMonitor },
  listMonitorPings: { 200: onMonitor },
  getPingKey: { 200: asOwner },
  replacePingKey: { 200: async (world) => ({ ...(await asOwner(world)), body: {} }) },
  listMonitorTransitions: {
    200: async (world) => {
      const as = await world.person()
      const id = await world.monitor()
      await world.backend.call('POST', `/v1/monitors/${id}/pause`, { as })
      return { as, path: { id } }
    },
  },
  getMonitorStats: { 200: async (world) => ({ ...(await onMonitor(world)), query: 'period=24h&points=24' }) },
  exportHosts: {
    200: async (world) => {
      await onEntity(world)
      return { as: await world.person(), query: 'tag=web' }
    },
  },
  exportMonitors: {
    200: async (world) => {
      await world.monitor()
      return asOwner(world)
    },
  },
  getUptimeReport: { 200: async (world) => ({ ...(await onMonitor(world)), query: 'objective=99.9' }) },
  ...POLICIES.successes,
  getEscalationRecipients: { 200: (world) => onPolicy(world) },
  ...PROVIDERS.successes,
  findIdentityProviders: { 200: async () => ({ body: example('FindIdentityProvidersBody') }) },
  ...SCHEDULES.successes,
  getOnCall: { 200: (world) => SCHEDULES.made(world) },
  listShifts: { 200: (world) => SCHEDULES.made(world) },
  listShiftsOfAll: {
    200: async (world) => {
      await SCHEDULES.made(world)
      return asOwner(world)
    },
  },
  replaceCalendar: { 200: (world) => SCHEDULES.made(world) },
  removeCalendar: { 204: (world) => SCHEDULES.made(world) },
  ...CERTIFICATES.successes,
  ...SLOS.successes,
  ...SOURCES.successes,
  listAlertSamples: { 200: (world) => onSource(world) },
  addAlertHistory: {
    200: async (world) => {
      const [opened, resolved] = [3_600_000, 1_800_000].map((ago) => new Date(world.backend.clock.now() - ago).toISOString())
      const alert = { id: 'a1', key: 'db-1/disk', title: 'Disk of db-1 is full', opened_at: opened, resolved_at: resolved }
      return { ...(await onSource(world)), body: { alerts: [alert] } }
    },
  },
  confirmAlertSourceTopic: { 200: (world) => onSource(world) },
  rotateAlertSourceToken: { 200: (world) => onSource(world) },
  testAlertSource: { 200: (world) => onSource(world) },
  takeAlerts: { 200: async (world) => ({ path: { token: await sourceToken(world) }, body: example('SentAlerts') }) },
  ...exportSuccesses,
  createReplay: {
    200: async (world) => {
      const to = world.backend.clock.now() - 60_000
      const period = { from: new Date(to - 3_600_000).toISOString(), to: new Date(to).toISOString() }
      return { as: await world.person(), body: { ...period, sets: [{}, { name: 'again' }] } }
    },
  },
  addDefaultAlertRules: { 200: async (world) => ({ as: await world.person() }) },
  previewAlertRule: { 200: async (world) => ({ as: await world.person(), body: example('CreateAlertRuleBody') }) },
  ...RULES.successes,
  ...WINDOWS.successes,
  ...PAGES.successes,
  previewStatusPage: { 200: (world) => onPage(world) },
  previewStatusPageDraft: { 200: async (world) => ({ as: await world.person(), body: example('StatusPagePreviewBody') }) },
  verifyStatusPageDomain: {
    200: async (world) => {
      const request = await onPage(world, { domain: 'status.example.com' })
      const { body } = await world.backend.call('GET', `/v1/status-pages/${request.path?.['id']}`, { as: request.as ?? {} })
      world.backend.txtRecords.set(body.domain_record.name, [body.domain_record.value])
      return request
    },
  },
  listSubscribers: { 200: (world) => onPage(world) },
  createSubscriber: {
    201: async (world) => ({
      ...(await onPage(world)),
      body: example('CreateSubscriberBody'),
      headers: { 'idempotency-key': randomUUID() },
    }),
  },
  deleteSubscriber: {
    204: async (world) => {
      const [{ path }, as] = [await onPage(world), await world.person()]
      const url = `/v1/status-pages/${path?.['id']}/subscribers`
      const { body } = await world.backend.call('POST', url, { as, body: example('CreateSubscriberBody') })
      return { as, path: { ...path, subscriberId: body.id } }
    },
  },
  listStatusPosts: { 200: (world) => onPage(world) },
  createStatusPost: {
    201: async (world) => ({
      ...(await onPage(world)),
      body: example('CreateStatusPostBody'),
      headers: { 'idempotency-key': randomUUID() },
    }),
  },
  draftStatusPost: {
    200: async (world) => ({
      ...(await onPage(world)),
      query: `incident=${await openTestIncident(world.backend, world.organization)}`,
    }),
  },
  getStatusPost: readAndKnown((world) => onPost(world)),
  updateStatusPost: { 200: async (world) => ({ ...(await onPost(world)), body: example('PatchStatusPostBody') }) },
  deleteStatusPost: { 204: (world) => onPost(world) },
  createStatusPostUpdate: {
    201: async (world) => ({
      ...(await onPost(world)),
      body: example('StatusPostUpdateBody'),
      headers: { 'idempotency-key': randomUUID() },
    }),
  },
  correctStatusPostUpdate: {
    200: async (world) => {
      const { path } = await onPost(world)
      const as = await world.person()
      const url = `/v1/status-pages/${path?.['id']}/posts/${path?.['postId']}`
      const updateId = (await world.backend.call('GET', url, { as })).body.updates[0].id
      return { as, path: { ...path, updateId }, body: example('PatchStatusPostUpdateBody') }
    },
  },
  ...CHANNELS.successes,
  // An address of no host, which the rules of targets refuse.
  testNewChannel: {
    200: async (world) => ({
      as: await world.person(),
      body: example('CreateChannelBody', { config: { url: 'http://192.0.2.1/' } }),
    }),
  },
  previewChannel: { 200: async (world) => ({ as: await world.person(), body: example('ChannelPreviewBody') }) },
  testChannel: { 200: (world) => onChannel(world, { config: { url: 'http://192.0.2.1/' } }) },
  listIncidents: {
    200: async (world) => {
      await onIncident(world)
      return asOwner(world)
    },
  },
  getIncident: readAndKnown((world) => onIncident(world)),
  getIncidentStory: { 200: (world) => onIncident(world) },
  listEvents: {
    200: async (world) => {
      const before = await world.backend.call('GET', '/v1/events', { as: await world.person() })
      await onIncident(world)
      return { as: await world.person(), query: `after=${before.body.last_event_id}` }
    },
  },
  acknowledgeIncident: { 200: async (world) => ({ ...(await onIncident(world)), body: example('IncidentStepBody') }) },
  resolveIncident: { 200: async (world) => ({ ...(await onIncident(world)), body: example('IncidentStepBody') }) },
  commentIncident: { 200: async (world) => ({ ...(await onIncident(world)), body: example('IncidentCommentBody') }) },
  listApiKeys: {
    200: async (world) => {
      await world.key()
      return asOwner(world)
    },
  },
  createApiKey: { 201: async (world) => ({ as: await world.person(), body: example('CreateApiKeyBody') }) },
  proposeChanges: { 201: async (world) => ({ as: await world.person(), body: example('CreateChangeSetBody') }) },
  listChangeSets: { 200: asOwner },
  getChangeSet: readAndKnown(onProposal),
  applyChangeSet: { 200: onProposal },
  undoChangeSet: {
    200: async (world) => {
      const given = await onProposal(world)
      await world.backend.call('POST', `/v1/change-sets/${given.path.id}/apply`, { as: given.as })
      return { ...given, body: {} }
    },
  },
  getDrift: { 200: async (world) => ({ as: await world.person(), query: 'owner=git:infra' }) },
  compareConfiguration: { 200: async (world) => ({ as: await world.person(), body: example('CreateChangeSetBody') }) },
  getConfiguration: { 200: asOwner },
  listReclassifications: { 200: onMonitor },
  createReclassification: {
    201: async (world) => ({
      ...(await onMonitor(world)),
      body: example('CreateReclassificationBody'),
      headers: { 'idempotency-key': randomUUID() },
    }),
  },
  deleteReclassification: {
    204: async (world) => {
      const [{ path }, as] = [await onMonitor(world), await world.person()]
      const url = `/v1/monitors/${path?.['id']}/reclassifications`
      const { body } = await world.backend.call('POST', url, { as, body: example('CreateReclassificationBody') })
      return { as, path: { ...path, reclassificationId: body.id } }
    },
  },
  listAnnotations: { 200: asOwner },
  createAnnotation: { 201: async (world) => ({ as: await world.person(), body: example('CreateAnnotationBody') }) },
  listEnrollmentTokens: { 200: asOwner },
  createEnrollmentToken: {
    201: async (world) => ({ as: await world.key(), body: example('CreateEnrollmentTokenBody') }),
  },
  revokeEnrollmentToken: {
    204: async (world) => {
      const as = await world.key()
      const { body } = await world.backend.call('POST', '/v1/enrollment-tokens', { as, body: {} })
      return { as, path: { id: body.id } }
    },
  },
  getApiKey: readAndKnown(onKey),
  updateApiKey: { 200: async (world) => ({ ...(await onKey(world)), body: example('PatchApiKeyBody') }) },
  revokeApiKey: {
    204: onKey,
  },
  listAuditEvents: {
    200: async (world) => {
      await world.server()
      return asOwner(world)
    },
  },
  listSecurityEvents: { 200: asOwner },
}

async function onKey(world: ContractFixture): Promise<OperationRequest> {
  const as = await world.person()
  const { body } = await world.backend.call('POST', '/v1/api-keys', { as, body: example('CreateApiKeyBody') })
  return { as, path: { id: body.id } }
}

async function onPost(world: ContractFixture): Promise<OperationRequest> {
  const { path } = await onPage(world)
  const as = await world.person()
  const body = example('CreateStatusPostBody')
  const made = await world.backend.call('POST', `/v1/status-pages/${path?.['id']}/posts`, { as, body })
  return { as, path: { ...path, postId: made.body.id } }
}

const onIncident: BuildRequest = async (world) => ({
  as: await world.person(),
  path: { id: await openTestIncident(world.backend, world.organization) },
})

async function aboutMember(world: ContractFixture): Promise<OperationRequest> {
  const { userId } = await world.person('viewer')
  return { as: await world.person(), path: { id: world.organization.id, memberId: encodeId('user', userId) } }
}

/** A server that has pushed, by its id. */
async function pushOnce(world: ContractFixture): Promise<string> {
  const { id, as } = await world.server()
  await world.backend.call('POST', '/v1/agent/metrics', { as, body: push(world) })
  return id
}

export function urlOf({ path }: PublishedRoute, { path: values = {}, query = '' }: OperationRequest): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '') + (query && `?${query}`)
}

/** What is answered to this, on whichever backend it is for. */
export function send(world: ContractFixture, route: PublishedRoute, request: OperationRequest): Promise<Answer> {
  const { as = {}, body, headers = {}, on = world.behindProxy } = request
  // The fields that only tests use are not headers.
  const credentials = Object.entries(as).filter(([name]) => name === 'authorization' || name === 'x-api-key')
  return on.call(route.method, urlOf(route, request), { as: Object.fromEntries(credentials), body, headers })
}
