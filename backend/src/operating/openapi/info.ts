import type { OpenApiTexts } from '../../platform/http/index.ts'
import { ERROR_RESPONSES } from './error-responses.ts'
import { examplesOf } from './examples.ts'

const TEXT = `Server metrics, uptime monitors, alerts and incidents, with the organizations, members and API keys that they belong to.

**Values.** Sizes are in bytes, times in milliseconds or seconds as the name says, ratios in percent from 0 to 100. A value that could not
be measured is null, never 0. Timestamps are ISO 8601 in UTC with milliseconds. An id is a prefix and 26 characters; a malformed id is
answered like an unknown one.

**Requests.** Bodies are JSON in UTF-8, up to 1 MiB. An unknown field or query parameter is a 400 that names it; only bodies below
\`/v1/agent\` and \`/v1/probe\` may contain unknown fields. Every GET operation also accepts HEAD. A method that a path does not support
is a 405 with the supported methods in \`Allow\`.

**Errors** have one form: branch on \`error.code\`, never on the message. Credentials are checked first, then permissions, then the body,
then whether the resource exists.

**Rate limits** count requests per minute of one credential, or of one address without valid credentials. The defaults are 10 below
\`/v1/auth\`, 1,000 below \`/v1/agent\` and \`/v1/probe\`, 300 below \`/v1/prometheus/api\`, 60 of the
others below \`/v1/prometheus\`, and elsewhere below \`/v1\` 100 reads and
30 writes, 600 reads of a session of the dashboard; 60 pings of each heartbeat; 6 requested checks of a monitor; 6,000 requests
outside of \`/v1\` of an address. Every response states them in its headers.

**Pings** of heartbeats are not described here: \`GET\`, \`HEAD\` and \`POST\` of \`/ping/<token>\`, also with \`/start\`, \`/fail\`,
\`/log\` or an exit code, and of \`/ping/<ping key>/<name>\` are those of Healthchecks and answer in text, \`OK\` or \`not found\`;
\`/api/push/<token>\` is that of Uptime Kuma.

**PromQL** is answered below \`/v1/prometheus/api/v1\`, as the HTTP API of Prometheus describes it and not here.

**Versions.** \`/v1\` only grows: ignore fields that you do not know.`

const number = (description: string, example: number) => ({
  description,
  required: true,
  schema: { type: 'integer', minimum: 0 },
  example,
})
const seconds = { type: 'integer', minimum: 1 }

export const OPENAPI_INFO: OpenApiTexts = {
  info: {
    title: 'Vedette',
    description: TEXT,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    contact: { name: 'The operator of this installation' },
  },
  tags: [
    { name: 'setup', description: 'The first owner of a new installation' },
    { name: 'auth', description: 'Sign-in, passwords, sessions and second factors of users' },
    { name: 'organizations', description: 'Organizations with their members and invitations' },
    { name: 'servers', description: 'Hosts with an agent, and their metrics' },
    { name: 'monitors', description: 'Uptime monitors, their checks and statistics' },
    { name: 'alerts', description: 'Alert rules, notification channels, incidents and events' },
    { name: 'status pages', description: 'Public pages of the status of monitors' },
    { name: 'agent', description: 'Requests of agents: registration, metrics, facts about the host' },
    { name: 'probes', description: 'Requests of probes in other regions: they claim checks and submit results' },
    { name: 'api keys', description: 'Credentials of integrations and agents' },
    { name: 'audit', description: 'The audit log' },
    { name: 'configuration', description: 'Changes of the configuration that are seen before and can be taken back' },
    { name: 'health', description: 'For load balancers and supervisors; without rate limits' },
  ],
  securitySchemes: {
    session: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The `token` of a login, valid for 12 hours' },
    api_key: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'An API key, `vdt_key_…`, with a scope that permits the operation',
    },
    server_token: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: "A server's token, `vdt_srv_…`, valid for that server only",
    },
    enrollment_token: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'An enrollment token, `vdt_enr_…`, with which hosts register',
    },
    probe_token: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'The token of a region, `vdt_prb_…`, which claims its checks and submits their results',
    },
  },
  headers: {
    RequestId: {
      description: 'Id of the request in the log',
      required: true,
      schema: { type: 'string', format: 'uuid' },
      example: '6d2b2573-e844-45fd-8401-90f94946808a',
    },
    RateLimitLimit: number('Requests per minute of the limit that applies; in a 429 the limit that refused', 100),
    RateLimitRemaining: number('Requests left in this minute; 0 in a 429', 99),
    RateLimitReset: number(
      'Unix time in seconds at which the minute ends; in a 429 when the limit that refused admits again',
      1_795_252_260,
    ),
    WwwAuthenticate: {
      description: 'The scheme of sessions; keys and tokens are sent in `X-API-Key`',
      required: true,
      schema: { type: 'string', enum: ['Bearer'] },
      example: 'Bearer',
    },
    RetryAfter: { description: 'Seconds to wait before a retry', required: true, schema: seconds, example: 42 },
    RetryAfterUnderWay: {
      description: 'Seconds to wait before a retry, while the first request with this `Idempotency-Key` is still running',
      schema: seconds,
      example: 1,
    },
    Location: {
      description: 'Path of the new resource',
      required: true,
      schema: { type: 'string' },
      example: '/v1/servers/srv_01m7ynqmvhef3v0qj0h7d9m2cs',
    },
    ContentLanguage: {
      description: 'The language of what the server says in the answer, where it is not English',
      required: false,
      schema: { type: 'string', enum: ['de'] },
      example: 'de',
    },
    ETag: {
      description: 'Weak tag of this version: for `If-Match` of a change, and `If-None-Match` of the next GET',
      schema: { type: 'string' },
      example: 'W/"5fQ2mZk1pXc9aRtB.9sLw0eHn3uVy7KdG"',
    },
    IdempotentReplayed: {
      description: 'Present on a repeat: the response is that of the first request with this `Idempotency-Key`',
      schema: { type: 'string', enum: ['true'] },
      example: 'true',
    },
  },
  parameters: {
    OrganizationId: {
      name: 'X-Organization-Id',
      in: 'header',
      required: false,
      description:
        'With a session: the organization that the request acts in. The user must be a member of it (else 403). Without the header ' +
        'it is the organization that the user joined first. With an API key or a server token it must be its organization (else 403)',
      schema: { type: 'string' },
      example: 'org_01m7ynqmvhef3v0qj0h7d9m2cs',
    },
    IfMatch: {
      name: 'If-Match',
      in: 'header',
      required: false,
      description: 'Refuses the change with 412 unless the resource is still at the version with this `ETag`',
      schema: { type: 'string', maxLength: 1_000 },
      example: 'W/"5fQ2mZk1pXc9aRtB.9sLw0eHn3uVy7KdG"',
    },
    AcceptLanguage: {
      name: 'Accept-Language',
      in: 'header',
      required: false,
      description: 'The language of what the server says in the answer: German where it is preferred, else English',
      schema: { type: 'string', maxLength: 1_000 },
      example: 'de-DE,de;q=0.9,en;q=0.8',
    },
    IfNoneMatch: {
      name: 'If-None-Match',
      in: 'header',
      required: false,
      description: 'Answers 304 without a body if the resource is unchanged',
      schema: { type: 'string', maxLength: 1_000 },
      example: 'W/"5fQ2mZk1pXc9aRtB.9sLw0eHn3uVy7KdG"',
    },
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'Makes the request safe to repeat for 24 hours: a repeat with the same key, credential and request creates nothing and ' +
        'gets the first response; if that response contained a secret, a repeat gets a 409',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]*$' },
      example: 'b1f6c2f4-7d53-4f2f-8c55-3a8a6a0c9a11',
    },
  },
  refusals: ERROR_RESPONSES,
  examplesOf,
}
