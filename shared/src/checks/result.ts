import { type Static, Type } from 'typebox'
import { Nullable, Ref, Timestamp } from '../wire.ts'
import {
  MAX_ANSWER_BYTES,
  MAX_CERTIFICATE_NAME_LENGTH,
  MAX_CHECK_MESSAGE_LENGTH,
  MAX_STATUS_LINE_LENGTH,
  MAX_SUBJECT_NAMES,
} from './limits.ts'

export const OUTCOMES = ['up', 'degraded', 'down', 'inconclusive'] as const
export type Outcome = (typeof OUTCOMES)[number]
export const OutcomeName = Type.Enum([...OUTCOMES], { $id: 'Outcome' })

/**
 * Why a check is not up. `status` is an answer outside 200–399 where there are no assertions; `internal` is a
 * fault of the prober itself and comes with `inconclusive` only.
 */
export const CHECK_ERROR_CODES = [
  'dns',
  'connect',
  'tls',
  'timeout',
  'status',
  'assertion',
  'protocol',
  'blocked',
  'internal',
] as const
export type CheckErrorCode = (typeof CHECK_ERROR_CODES)[number]

export const CheckError = Type.Object(
  { code: Type.Enum([...CHECK_ERROR_CODES]), message: Type.String({ maxLength: MAX_CHECK_MESSAGE_LENGTH }) },
  { $id: 'CheckError', description: 'Why a check is not up' },
)
export type CheckError = Static<typeof CheckError>

const CertificateName = Type.String({ maxLength: MAX_CERTIFICATE_NAME_LENGTH })

/** The certificate that the target itself showed, whether it was accepted or not. */
export const CertificateFacts = Type.Object({
  expires_at: Timestamp,
  issuer: CertificateName,
  /** DNS names and addresses that it is for; the first 50. */
  subject_names: Type.Array(CertificateName, { maxItems: MAX_SUBJECT_NAMES }),
})
export type CertificateFacts = Static<typeof CertificateFacts>

/** What a target said, secrets masked: for the evidence of an incident. */
export const CheckAnswer = Type.Object({
  status_line: Type.String({ maxLength: MAX_STATUS_LINE_LENGTH }),
  /** The first 1 KiB; null where the answer broke off behind its head. */
  body: Nullable(Type.String({ maxLength: MAX_ANSWER_BYTES })),
})
export type CheckAnswer = Static<typeof CheckAnswer>

// Ten minutes are more than any check may take; three decimals are written.
const Milliseconds = Nullable(Type.Number({ minimum: 0, maximum: 600_000 }))

/**
 * What one check saw and what that means. Times are milliseconds with three decimals, measured on the monotonic clock without
 * the prober's own delay, and added up over redirects.
 */
export const CheckResult = Type.Object(
  {
    outcome: Ref(OutcomeName),
    /** Of the last answer; also where the answer broke off behind its head. */
    status_code: Nullable(Type.Integer({ minimum: 100, maximum: 999 })),
    /** The sum of the phases; null when no answer arrived whole. */
    response_ms: Milliseconds,
    /** A phase that was not reached, or does not exist (TLS over http), is null. */
    dns_ms: Milliseconds,
    connect_ms: Milliseconds,
    tls_ms: Milliseconds,
    first_byte_ms: Milliseconds,
    transfer_ms: Milliseconds,
    error: Type.Union([Ref(CheckError), Type.Null()]),
    /** The address that the last connection went to. */
    address: Nullable(Type.String({ maxLength: 64 })),
    http_version: Type.Union([Type.Enum(['1.0', '1.1', '2']), Type.Null()]),
    certificate: Type.Union([CertificateFacts, Type.Null()]),
    /** More than 5 ms of the times may be the prober's own: not for averages. */
    delayed: Type.Boolean(),
    /** When it began. */
    checked_at: Timestamp,
    /** Of a check that is degraded or down, where anything was answered. */
    answer: Type.Optional(CheckAnswer),
  },
  { additionalProperties: false, $id: 'CheckResult' },
)
export type CheckResult = Static<typeof CheckResult>
