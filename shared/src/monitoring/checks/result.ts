import { type Static, type TSchema, Type } from 'typebox'
import { CHECK_PHASES, type CheckPhase, OUTCOMES } from '../../wire/statuses.ts'
import { Nullable, Ref, Timestamp } from '../../wire/wire.ts'
import {
  MAX_ANSWER_BYTES,
  MAX_CERTIFICATE_NAME_LENGTH,
  MAX_CHAIN_CERTIFICATES,
  MAX_CHECK_MESSAGE_LENGTH,
  MAX_FACT_LENGTH,
  MAX_FACTS,
  MAX_KEPT_RESPONSE_BYTES,
  MAX_STATUS_LINE_LENGTH,
  MAX_SUBJECT_NAMES,
} from './limits.ts'

export const OutcomeName = Type.Enum([...OUTCOMES], { $id: 'Outcome' })

/**
 * Why a check is not up. `status`: a response outside 200–399 without assertions. `internal`: a fault of the probe, only with
 * `inconclusive`.
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

/** SHA-256 of the DER bytes. */
const Fingerprint = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256 of the certificate, hexadecimal',
  examples: ['4f1c0e9b7a3d52868c1f0b6e2a94d7c35e80f1a2b3c4d5e6f708192a3b4c5d6e'],
})

/** One certificate of the chain that a target sent. */
export const ChainCertificate = Type.Object(
  {
    sha256: Fingerprint,
    subject: { ...CertificateName, examples: ["E7, Let's Encrypt"] },
    issuer: { ...CertificateName, examples: ['ISRG Root X1'] },
    key_type: Type.String({ maxLength: 32, description: '`rsa`, `ec`, `ed25519` and so on; `unknown`', examples: ['ec'] }),
    key_bits: Nullable(
      Type.Integer({ minimum: 0, maximum: 65_536, 'x-unit': 'bits', description: 'of the key; null: unknown', examples: [256] }),
    ),
    signature: Type.String({
      maxLength: 64,
      description: 'the algorithm of its signature, as OpenSSL calls it; empty: unknown',
      examples: ['ecdsa-with-SHA384'],
    }),
    not_before: Timestamp,
    not_after: Timestamp,
  },
  { $id: 'ChainCertificate', description: 'One certificate of the chain that a target sent' },
)
export type ChainCertificate = Static<typeof ChainCertificate>

/** The certificate of the target, accepted or not. */
export const CertificateFacts = Type.Object(
  {
    expires_at: Timestamp,
    issuer: CertificateName,
    /** Its DNS names and addresses; the first 50. */
    subject_names: Type.Array(CertificateName, { maxItems: MAX_SUBJECT_NAMES }),
    sha256: Type.Optional(Fingerprint),
    name_mismatch: Type.Optional(Type.Boolean({ description: 'it is for another host than the one that was checked' })),
    revoked_at: Type.Optional({
      ...Timestamp,
      description: 'when its authority revoked it, by the OCSP response that the target sent with it',
    }),
    /** A probe leaves it out while the target sends the same one. */
    chain: Type.Optional(
      Type.Array(Ref(ChainCertificate), {
        maxItems: MAX_CHAIN_CERTIFICATES,
        description: 'what the target sent, in its order: its own certificate first',
      }),
    ),
  },
  { $id: 'CertificateFacts', description: 'A certificate, accepted or not, with what was sent after it' },
)
export type CertificateFacts = Static<typeof CertificateFacts>

/** An excerpt of the target's response with masked secrets, as evidence of an incident. */
export const CheckAnswer = Type.Object({
  status_line: Type.String({ maxLength: MAX_STATUS_LINE_LENGTH }),
  /** The first 1 KiB; null when the response ended after its head. */
  body: Nullable(Type.String({ maxLength: MAX_ANSWER_BYTES })),
  /** So much of the body as the definition keeps, where that is more than the excerpt. */
  whole: Type.Optional(Type.String({ maxLength: MAX_KEPT_RESPONSE_BYTES })),
})
export type CheckAnswer = Static<typeof CheckAnswer>

/** What a check of one kind reports in addition to its times, by the names of its kind's table. */
export const CheckFacts = Type.Unsafe<Record<string, number | string>>({
  type: 'object',
  additionalProperties: { type: ['number', 'string'], maxLength: MAX_FACT_LENGTH },
  maxProperties: MAX_FACTS,
  $id: 'CheckFacts',
  description: 'What a kind of check reports in addition to its times, as `packet_loss` of `icmp`; empty for http',
})
export type CheckFacts = Static<typeof CheckFacts>

/** Their sum is the response time of the other examples. */
export const PHASE_EXAMPLES: Readonly<Record<CheckPhase, number>> = {
  dns: 1.2,
  connect: 11.9,
  tls: 24,
  first_byte: 46.7,
  transfer: 0.4,
}

/** One field for each phase, with its example. */
export const phaseTimes = <Schema extends TSchema>(schema: Schema, examples?: Readonly<Record<CheckPhase, number>>) =>
  Object.fromEntries(
    CHECK_PHASES.map((phase) => [`${phase}_ms`, examples ? { ...schema, examples: [examples[phase]] } : schema]),
  ) as Record<`${CheckPhase}_ms`, Schema>

// No check takes ten minutes; values have three decimals.
const Milliseconds = Nullable(Type.Number({ minimum: 0, maximum: 600_000, examples: [84.2] }))

/**
 * The observation of one check and its outcome. Times are milliseconds with three decimals on the monotonic clock, without the
 * probe's own delay, added up over redirects.
 */
export const CheckResult = Type.Object(
  {
    outcome: Ref(OutcomeName),
    /** Of the last response, even if it ended after its head. */
    status_code: Nullable(Type.Integer({ minimum: 100, maximum: 999, examples: [200] })),
    /** The sum of the phases; null without a complete response. */
    response_ms: Milliseconds,
    /** Null for a phase that was not reached or does not exist (TLS over http). */
    ...phaseTimes(Milliseconds, PHASE_EXAMPLES),
    error: Type.Union([Ref(CheckError), Type.Null()], { examples: [null] }),
    /** The address of the last connection. */
    address: Nullable(Type.String({ maxLength: 64, examples: ['192.0.2.80'] })),
    http_version: Type.Union([Type.Enum(['1.0', '1.1', '2']), Type.Null()], { examples: ['1.1'] }),
    certificate: Type.Union([Ref(CertificateFacts), Type.Null()], { examples: [null] }),
    /** More than 5 ms of the times may be the probe's own delay: excluded from averages. */
    delayed: Type.Boolean(),
    /** Start of the check. */
    checked_at: Timestamp,
    facts: Type.Optional(Ref(CheckFacts)),
    /** For a degraded or down check with a response. */
    answer: Type.Optional(CheckAnswer),
  },
  { additionalProperties: false, $id: 'CheckResult' },
)
export type CheckResult = Static<typeof CheckResult>
