import { composeExample, type NamedSchemas } from './compose-example.ts'
import { SCHEMAS } from './schemas.ts'

type Fields = Readonly<Record<string, unknown>>

const named: NamedSchemas = new Map(SCHEMAS.map((schema) => [schema.$id, schema]))

/** Answers to which a query or the settings of an installation add fields: a second example has them all. */
const GROWING = new Set([
  'BulkMonitorsAnswer',
  'EntityList',
  'Incident',
  'IncidentList',
  'MonitorList',
  'MonitorStats',
  'ServerList',
  'ServerMetrics',
  'SloDetails',
  'SloStatus',
  'UptimeReport',
])

const at = '2026-11-21T09:11:14.000Z'
const columns = { at_ms: [1_795_252_264_000, 1_795_252_274_000], cpu: { percent: [10, null], cores: [4, 4] } }
const batch = { batch_id: '0197b3f0-8c7a-7c3e-9b7e-0d1c2b3a4f50', sent_at: at, agent_version: '0.1.0', columns }
const keyHandle = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8'

/**
 * What else a body or an answer may be, where its schema cannot say which fields go together: by the name of the schema and a
 * title the fields in which it differs from the composed example. Undefined leaves a field out.
 */
const OTHERS: Readonly<Record<string, Readonly<Record<string, Fields>>>> = {
  // The fields of `config` follow from the type, and null has a meaning.
  CreateChannelBody: { chat: { name: 'Operators', type: 'telegram', config: { bot_token: '123:abc', chat_id: '-42' } } },
  PatchChannelBody: { newSecret: { enabled: undefined, config: { secret: null } } },
  CreateContactMethodBody: { email: { type: 'email', config: undefined } },
  // The secret is answered once.
  Channel: {
    made: { config: { url: 'https://hooks.example.com/vedette', secret: 'whsec_bm90IGEgc2VjcmV0IGJ1dCBhbiBleGFtcGxlIQ==' } },
  },
  // What is null without an answer, and what is there instead.
  ChannelTest: {
    refused: {
      delivered: false,
      status_code: 404,
      answer: 'no such hook',
      error: { code: 'refused', message: 'the service answered 404: no such hook' },
    },
  },
  MonitorDetails: {
    idle: {
      status: 'idle',
      active_hours: [{ time_zone: 'Europe/Berlin', days: ['MO'], from: '08:00', to: '18:00' }],
      reason: 'outside of its active hours, until 2026-11-30T07:00:00.000Z',
      active_at: '2026-11-30T07:00:00.000Z',
    },
  },
  CheckTrial: {
    failing: {
      outcome: 'down',
      error: { code: 'connect', message: 'shop.example.com refused the connection' },
      status_code: null,
      response_ms: null,
      connect_ms: null,
      tls_ms: null,
      first_byte_ms: null,
      transfer_ms: null,
      address: null,
      http_version: null,
      certificate_expires_at: null,
    },
  },
  // GitHub has no issuer.
  CreateIdentityProviderBody: {
    github: { name: 'GitHub', kind: 'github', issuer: undefined, client_id: 'Iv1.0123456789abcdef' },
  },
  // A maintenance requires its times.
  CreateStatusPostBody: {
    maintenance: {
      type: 'maintenance',
      title: 'New database',
      text: 'The shop is read-only for up to an hour.',
      impact: undefined,
      starts_at: '2026-12-01T02:00:00.000Z',
      ends_at: '2026-12-01T03:00:00.000Z',
    },
  },
  // The answers of two operations.
  Health: { ready: { status: 'ready' } },
  // Without mail somebody has to pass on the link.
  NewInvitation: {
    withoutMail: {
      accept_url: 'https://vedette.example.com/invitations/accept?token=q8Yt2LxVbN5mKc0sRz7TjWfGaUe1Ox3iPv4kHqD9B6M',
    },
  },
  // Only some users need it.
  LoginBody: { withSecondFactor: { totp_code: '123456' } },
  // The fields say which step of the set-up it is.
  TotpBody: { withCode: { code: '123456' }, withPassword: { password: 'correct horse battery' } },
  // The standard for browsers defines the rest of it: here of a new passkey, in the composed one of a sign-in.
  PasskeyOptions: {
    new: {
      rpId: undefined,
      userVerification: undefined,
      rp: { id: 'vedette.example.com', name: 'Vedette' },
      user: { id: 'AZ9vsh8ndE-c4Tq8Kz3rLg', name: 'ada@example.com', displayName: 'ada@example.com' },
      pubKeyCredParams: [{ alg: -7, type: 'public-key' }],
      attestation: 'none',
      excludeCredentials: [{ id: keyHandle, transports: ['internal'], type: 'public-key' }],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required', requireResidentKey: true },
      extensions: { credProps: true },
      hints: [],
    },
  },
  // The token is shown once.
  AlertSource: { later: { token: undefined } },
  // Either `samples` or `columns`, of one batch or of several.
  Push: {
    byColumns: { samples: undefined, columns },
    several: { batches: [batch], batch_id: undefined, sent_at: undefined, agent_version: undefined, samples: undefined },
    withEntities: {
      samples: undefined,
      columns,
      entities: [
        { kind: 'container', name: 'shop/web', attributes: { image: 'shop:1.4' }, values: { cpu_percent: 3.25, running: 1 } },
      ],
      entities_at: at,
      entity_events: [{ at, kind: 'container', name: 'shop/web', type: 'died', exit_code: 1, lines: ['no such file'] }],
    },
    withApiKey: { boot_id: undefined, server_id: 'srv_01m7ynqmvhef3v0qj0h7d9m2cs' },
  },
}

/** Examples of a body or an answer by their titles. */
export function examplesOf(name: string): Fields {
  const schema = named.get(name)
  const example = schema && composeExample(schema, named)
  if (!schema || example === undefined) return {}
  const others = Object.entries(OTHERS[name] ?? {}).map(([title, fields]) => [title, change(example as Fields, fields)])
  const withAll = GROWING.has(name) && { withAll: composeExample(schema, named, true) }
  return { example, ...withAll, ...Object.fromEntries(others) }
}

function change(example: Fields, fields: Fields): Fields {
  return Object.fromEntries(Object.entries({ ...example, ...fields }).filter(([, value]) => value !== undefined))
}
