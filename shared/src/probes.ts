import { type Static, Type } from 'typebox'
import type { CheckDefinition } from './checks/definition.ts'
import { CheckResult } from './checks/result.ts'
import { Ref, Timestamp } from './wire.ts'

/** How long a request for work may be held until something is due. */
export const MAX_CLAIM_WAIT_SECONDS = 25
/** Checks in one answer, and results in one request. */
export const MAX_PROBE_BATCH = 500

/** Unknown fields are ignored: a probe may be newer than its backend. */
export const ClaimsBody = Type.Object(
  {
    /** The asking process, new at each start: several of one region share its checks. */
    worker_id: Type.String({ format: 'uuid' }),
    wait_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_CLAIM_WAIT_SECONDS,
        description: 'answer without checks only after so long; default 0',
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PROBE_BATCH, description: `default ${MAX_PROBE_BATCH}` })),
  },
  { $id: 'ClaimsBody', description: 'How a probe asks for checks to make' },
)
export type ClaimsBody = Static<typeof ClaimsBody>

const Milliseconds = Type.Integer()

/** A check that is the probe's to make. Times count from `server_time`; what is due already is negative. */
export const ClaimedCheck = Type.Object(
  {
    /** Comes back with the result. */
    claim: Type.String(),
    due_in_ms: Milliseconds,
    /** Not to be begun later: the next one is due. */
    next_due_in_ms: Milliseconds,
    /** Not to be begun later: it may be somebody else's. */
    lease_ms: Milliseconds,
    /** Open, so that a probe takes kinds that are newer than this description. */
    definition: Type.Unsafe<CheckDefinition>({
      type: 'object',
      additionalProperties: true,
      description: 'what to check: `type`, and the fields of a monitor of that type, secrets in plain',
    }),
  },
  { $id: 'ClaimedCheck', description: "A check that is the probe's to make; times count from `server_time`" },
)
export type ClaimedCheck = Static<typeof ClaimedCheck>

export const ClaimsAnswer = Type.Object(
  {
    region: Type.String(),
    server_time: Timestamp,
    /** How many checks may be under way at once. */
    in_flight: Type.Integer(),
    checks: Type.Array(Ref(ClaimedCheck)),
  },
  { $id: 'ClaimsAnswer', description: "Checks that are the asking probe's to make" },
)
export type ClaimsAnswer = Static<typeof ClaimsAnswer>

/** A result with the claim under which the check was made, its times by the backend's clock. */
export const ProbeResult = Type.Object(
  {
    ...CheckResult.properties,
    claim: Type.String({ minLength: 5, maxLength: 60, pattern: '^\\d+\\.\\d+\\.\\d+$' }),
    ended_at: Timestamp,
  },
  { $id: 'ProbeResult', description: 'What one check saw, under the claim that it was made under' },
)
export type ProbeResult = Static<typeof ProbeResult>

export const ProbeResultsBody = Type.Object(
  { results: Type.Array(Ref(ProbeResult), { maxItems: MAX_PROBE_BATCH }) },
  { $id: 'ProbeResultsBody', description: 'Results of checks, in any order' },
)
export type ProbeResultsBody = Static<typeof ProbeResultsBody>

/** Refused: the check went to somebody else, the monitor was changed meanwhile, or the time is out of bounds. Not to be sent again. */
export const ProbeResultsAnswer = Type.Object(
  { accepted: Type.Integer({ minimum: 0 }), refused: Type.Integer({ minimum: 0 }) },
  { $id: 'ProbeResultsAnswer', description: 'What became of the results' },
)
export type ProbeResultsAnswer = Static<typeof ProbeResultsAnswer>
