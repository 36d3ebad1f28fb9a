import { type Static, Type } from 'typebox'
import type { CheckDefinition } from './checks/definition.ts'
import { CheckResult } from './checks/result.ts'
import { ControlTarget, MAX_CONTROL_TARGETS } from './regions.ts'
import { Ref, Timestamp } from '../wire/wire.ts'

/** How long a claim request may wait for due checks. */
export const MAX_CLAIM_WAIT_SECONDS = 25
/** Checks in one response, and results in one request. */
export const MAX_PROBE_BATCH = 500

/** Unknown fields are ignored: a probe may be newer than the backend. */
export const ClaimsBody = Type.Object(
  {
    /** The calling process, new at each start: several of one region share its checks. */
    worker_id: Type.String({ format: 'uuid', examples: ['0b3b1e0c-5a6f-4f0e-9c3c-6f2f3f6b3a51'] }),
    wait_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_CLAIM_WAIT_SECONDS,
        description: 'how long to wait for due checks; default 0',
        examples: [MAX_CLAIM_WAIT_SECONDS],
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PROBE_BATCH, description: `default ${MAX_PROBE_BATCH}` })),
    control_targets: Type.Optional(Type.Array(Ref(ControlTarget), { maxItems: MAX_CONTROL_TARGETS })),
  },
  { $id: 'ClaimsBody', description: 'A request for due checks' },
)
export type ClaimsBody = Static<typeof ClaimsBody>

const Milliseconds = (example: number) => Type.Integer({ examples: [example] })
const CLAIM = '1.17.1795252216000'

/** A claimed check. Times count from `server_time`; the due time of an overdue check is negative. */
export const ClaimedCheck = Type.Object(
  {
    /** Returned with the result. */
    claim: Type.String({ examples: [CLAIM] }),
    due_in_ms: Milliseconds(1_250),
    /** The check must not begin later: the next one is due. */
    next_due_in_ms: Milliseconds(31_250),
    /** The check must not begin later: another worker may have claimed it. */
    lease_ms: Milliseconds(16_250),
    /** Open, so that a probe accepts kinds that are newer than this schema. */
    definition: Type.Unsafe<CheckDefinition>({
      type: 'object',
      additionalProperties: true,
      description: '`type` and the fields of a monitor of that type, with secrets in plain text',
      examples: [{ type: 'tcp', url: 'tcp://db.example.com:5432', timeout: 10, options: {}, credentials: {}, assertions: [] }],
    }),
  },
  { $id: 'ClaimedCheck', description: 'A claimed check; times count from `server_time`' },
)
export type ClaimedCheck = Static<typeof ClaimedCheck>

export const ClaimsAnswer = Type.Object(
  {
    region: Type.String({ examples: ['eu-west'] }),
    server_time: Timestamp,
    /** How many checks may run at once. */
    in_flight: Type.Integer({ examples: [64] }),
    checks: Type.Array(Ref(ClaimedCheck)),
  },
  { $id: 'ClaimsAnswer', description: 'Checks that were claimed for the calling probe' },
)
export type ClaimsAnswer = Static<typeof ClaimsAnswer>

/** A result with the claim of its check; times by the backend's clock. */
export const ProbeResult = Type.Object(
  {
    ...CheckResult.properties,
    claim: Type.String({
      minLength: 5,
      maxLength: 60,
      pattern: '^\\d+\\.\\d+\\.\\d+$',
      'x-form': 'the claim of a check',
      examples: [CLAIM],
    }),
    ended_at: Timestamp,
  },
  { $id: 'ProbeResult', description: 'The result of one check with its claim' },
)
export type ProbeResult = Static<typeof ProbeResult>

export const ProbeResultsBody = Type.Object(
  { results: Type.Array(Ref(ProbeResult), { maxItems: MAX_PROBE_BATCH }) },
  { $id: 'ProbeResultsBody', description: 'Results of checks, in any order' },
)
export type ProbeResultsBody = Static<typeof ProbeResultsBody>

/**
 * Refused: the check was claimed again, its monitor was changed, or the time is out of bounds. Do not submit these results again.
 */
export const ProbeResultsAnswer = Type.Object(
  { accepted: Type.Integer({ minimum: 0, examples: [1] }), refused: Type.Integer({ minimum: 0 }) },
  { $id: 'ProbeResultsAnswer', description: 'Numbers of accepted and refused results' },
)
export type ProbeResultsAnswer = Static<typeof ProbeResultsAnswer>
