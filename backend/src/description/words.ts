import { EXAMPLES } from '@vedette/shared/examples'
import type { Words } from '../platform/http/index.ts'
import { REFUSALS } from './refusals.ts'

const TEXT = `Hosts with their metrics and monitors with their checks, for dashboards, integrations and agents; with the organizations, members and keys that they take.

**Values.** Sizes are bytes, times milliseconds or seconds as the name says, shares percent from 0 to 100. What a host cannot give is
null, never 0. Instants are ISO 8601 in UTC with milliseconds. An id is a prefix and 26 characters; one that is malformed is answered
like one that is unknown.

**Requests.** Bodies are JSON in UTF-8, up to 1 MiB. An unknown field or query parameter is a 400 that names it; only bodies below
\`/v1/agent\` and \`/v1/probe\` may hold fields that are not known here. Operations of GET take HEAD as well. A method that a path does not take is a 405, and
\`Allow\` names those that it takes.

**Refusals** have one form: branch on \`error.code\`, never on the message. Credentials are judged before permissions, permissions before
the body, the body before existence.

**Limits** are requests a minute of one credential, or of one address where there are no valid credentials: by default 10 below
\`/v1/auth\`, 1,000 below \`/v1/agent\` and \`/v1/probe\`, and elsewhere below \`/v1\` 100 that read and 30 that write. Every response tells them in its headers.

**Growth.** \`/v1\` only grows: ignore fields that you do not know.`

const number = (description: string, example: number) => ({
  description,
  required: true,
  schema: { type: 'integer', minimum: 0 },
  example,
})
const seconds = { type: 'integer', minimum: 1 }

export const WORDS: Words = {
  info: {
    title: 'Vedette',
    description: TEXT,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    contact: { name: 'Whoever operates this installation' },
  },
  tags: [
    { name: 'setup', description: 'The first owner of a new installation' },
    { name: 'auth', description: 'Sign in and out, passwords, sessions and the second factor of people' },
    { name: 'organizations', description: 'What all else belongs to, with its members and invitations' },
    { name: 'servers', description: 'Hosts with an agent, and what they measured' },
    { name: 'monitors', description: 'What is checked, what the checks found, and what they add up to' },
    { name: 'alerts', description: 'When to tell, whom, and what was found' },
    { name: 'agent', description: 'What agents send: registration, samples, facts of the host' },
    { name: 'probes', description: 'What probes of other regions send: they ask for checks and bring what those saw' },
    { name: 'api keys', description: 'Credentials of integrations and agents' },
    { name: 'audit', description: 'Who did what' },
    { name: 'health', description: 'For load balancers and supervisors; no limits are counted' },
  ],
  securitySchemes: {
    session: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The `token` of a login; 12 hours' },
    api_key: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'An API key, `vdt_key_…`, of a scope that the operation takes',
    },
    server_token: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: "A server's token, `vdt_srv_…`, which speaks for that server alone",
    },
    probe_token: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'The token of a region, `vdt_prb_…`, which takes its checks and brings their results',
    },
  },
  headers: {
    RequestId: {
      description: 'Names the request in the log',
      required: true,
      schema: { type: 'string', format: 'uuid' },
      example: '6d2b2573-e844-45fd-8401-90f94946808a',
    },
    RateLimitLimit: number('Requests a minute that the group of this request admits', 100),
    RateLimitRemaining: number('Requests that are left in this minute', 99),
    RateLimitReset: number('Unix time in seconds at which the minute ends', 1_795_252_260),
    RetryAfter: { description: 'Seconds after which to try again', required: true, schema: seconds, example: 42 },
    RetryAfterUnderWay: {
      description: 'Seconds after which to try again, where the first request with this `Idempotency-Key` is still under way',
      schema: seconds,
      example: 1,
    },
    Location: {
      description: 'Path of what was made',
      required: true,
      schema: { type: 'string' },
      example: '/v1/servers/srv_01m7ynqn7regvvxphj8vj2pz1s',
    },
    IdempotentReplayed: {
      description: 'On a repeat: this is the answer to the first request with this `Idempotency-Key`',
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
        'With a session: the organization that the request acts in, one that the user belongs to (else 403). Without it the one ' +
        'that they joined first. API keys belong to one, and do not read it',
      schema: { type: 'string' },
      example: 'org_01m7ynqmvgetqbsqnfm6y3d0bt',
    },
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'Makes the request safe to repeat for 24 hours: the same key of the same credential with the same request makes nothing ' +
        'again. It is answered like the first one; where that answer held a secret, with 409',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]*$' },
      example: 'b1f6c2f4-7d53-4f2f-8c55-3a8a6a0c9a11',
    },
  },
  refusals: REFUSALS,
  examples: EXAMPLES,
}
