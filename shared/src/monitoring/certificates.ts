import { type Static, Type } from 'typebox'
import { IdOf } from '../wire/ids.ts'
import { MAX_NAME_LENGTH, MAX_TAG_LENGTH, MAX_TAGS } from '../wire/limits.ts'
import { InstantText, LaterTimestamp, Nullable, PageAnswer, PageQuery, Ref, Timestamp, VisibleText } from '../wire/wire.ts'
import { ChainCertificate } from './checks/result.ts'

/** Certificates by hand, of one organization. */
export const MAX_MANUAL_CERTIFICATES = 1_000
/** Regions of monitors and files of hosts that the details of a certificate name; `seen_total` counts all. */
export const MAX_SEEN = 100
const CERTIFICATE_SORTS = ['not_after', '-not_after', 'name', '-name'] as const
export type CertificateSort = (typeof CERTIFICATE_SORTS)[number]

const Name = VisibleText(MAX_NAME_LENGTH, { description: 'what it is for', examples: ['Code signing of the desktop app'] })
const End = InstantText('when it expires, ISO 8601', '2027-03-31T23:59:59.000Z')

export const CreateCertificateBody = Type.Object(
  { name: Name, not_after: End },
  {
    $id: 'CreateCertificateBody',
    description: 'A certificate that no check sees: code signing, SAML, VPN, APNs',
    additionalProperties: false,
  },
)
export type CreateCertificateBody = Static<typeof CreateCertificateBody>

export const PatchCertificateBody = Type.Object(
  { name: Type.Optional(Name), not_after: Type.Optional(End) },
  {
    $id: 'PatchCertificateBody',
    description: 'Changes only the fields that are given',
    examples: [{ not_after: '2028-03-31T23:59:59.000Z' }],
    additionalProperties: false,
    minProperties: 1,
  },
)
export type PatchCertificateBody = Static<typeof PatchCertificateBody>

const Text = (example: string, description: string) => ({ ...Nullable(Type.String({ examples: [example] })), description })
const OF_CHECKS = 'null: by hand, or not known'

/** Exported for the OpenAPI document, which takes every schema with an id. */
export const CertificateSource = Type.Enum(['check', 'file', 'manual'], {
  $id: 'CertificateSource',
  description: '`check`: checks saw it; `file`: only files of hosts have it; `manual`: added by hand',
})

const Fields = {
  id: IdOf('certificate'),
  source: Ref(CertificateSource),
  name: Type.String({ description: 'its first name, or what a person called it', examples: ['shop.example.com'] }),
  names: Type.Array(Type.String({ examples: ['shop.example.com'] }), {
    description: 'DNS names and addresses, the first 50',
  }),
  subject: Text('shop.example.com', OF_CHECKS),
  issuer: Text("E7, Let's Encrypt", OF_CHECKS),
  sha256: Text('4f1c0e9b7a3d52868c1f0b6e2a94d7c35e80f1a2b3c4d5e6f708192a3b4c5d6e', OF_CHECKS),
  key_type: Text('ec', OF_CHECKS),
  key_bits: { ...Nullable(Type.Integer({ examples: [256] })), description: OF_CHECKS },
  signature: Text('ecdsa-with-SHA384', OF_CHECKS),
  not_before: { ...Nullable(Timestamp), description: OF_CHECKS },
  not_after: LaterTimestamp,
  ends_at: { ...LaterTimestamp, description: 'the first end among it and the chains that were sent with it' },
  weak: {
    ...Nullable(Type.String({ examples: ['RSA key of 1024 bits'] }), null),
    description: 'why it or one of its chain is weak; null: none is',
  },
  name_mismatch: Type.Boolean({ description: 'a monitor got it that checks another name', examples: [false] }),
  revoked_at: {
    ...Nullable(Timestamp, null),
    description: 'when its authority revoked it, by an OCSP response that came with it; null: nobody said so',
  },
  monitors: Type.Integer({ minimum: 0, description: 'how many monitors see it', examples: [1] }),
  servers: Type.Integer({ minimum: 0, description: 'how many hosts have it in a file', examples: [0] }),
  first_seen_at: { ...Nullable(Timestamp), description: 'null: by hand' },
  last_seen_at: { ...Nullable(LaterTimestamp), description: 'within the hour; null: by hand, or no longer seen' },
  changed_at: { ...Nullable(Timestamp, null), description: 'when it replaced another; null: it did not' },
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const Certificate = Type.Object(Fields, { $id: 'Certificate', description: 'A certificate as in lists' })
export type Certificate = Static<typeof Certificate>

export const CertificateSeen = Type.Object(
  {
    monitor: {
      ...Nullable(Type.Object({ id: IdOf('monitor'), name: Type.String({ examples: ['Shop'] }) })),
      description: 'with `region`; null: in a file',
    },
    region: Nullable(Type.String({ examples: ['eu-central'] })),
    server: {
      ...Nullable(Type.Object({ id: IdOf('server'), name: Type.String({ examples: ['web-1'] }) }), null),
      description: 'with `path`; null: seen by a check',
    },
    path: Nullable(Type.String({ examples: ['/etc/ssl/shop.pem'] }), null),
    entry: { ...Nullable(Type.String({ examples: ['tomcat'] }), null), description: 'which one of a file that has several' },
    since: { ...Timestamp, description: 'when the region saw it there first, or the agent reported it' },
    seen_at: { ...LaterTimestamp, description: 'within the hour; of a file the last push of its host' },
    ends_at: { ...LaterTimestamp, description: 'the first end among it and the chain that was sent there' },
    weak: Nullable(Type.String({ examples: ['RSA key of 1024 bits'] }), null),
    name_mismatch: Type.Boolean({ examples: [false] }),
    chain_length: Type.Integer({ minimum: 1, description: 'certificates that were sent, its own included', examples: [2] }),
  },
  { $id: 'CertificateSeen', description: 'Where a certificate is seen' },
)
export type CertificateSeen = Static<typeof CertificateSeen>

export const CertificateDetails = Type.Object(
  {
    ...Fields,
    chain: Type.Array(Ref(ChainCertificate), {
      description: 'what was sent after it, with the end of each; of several chains the one that ends first',
    }),
    seen: Type.Array(Ref(CertificateSeen), { description: `the first ${MAX_SEEN} by the names of monitors, then of hosts` }),
    seen_total: Type.Integer({ minimum: 0, examples: [1] }),
  },
  { $id: 'CertificateDetails', description: 'A certificate with its chain and where it is seen' },
)
export type CertificateDetails = Static<typeof CertificateDetails>

export const CertificateListQuery = Type.Object(
  {
    ...PageQuery,
    sort: Type.Optional(
      Type.Enum([...CERTIFICATE_SORTS], {
        default: 'not_after',
        description: '`not_after`: by `ends_at`, the soonest first; with `-` the reverse',
      }),
    ),
    q: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH, description: 'Part of a name or of the issuer, case-insensitive' }),
    ),
    tag: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MAX_TAG_LENGTH }), {
        maxItems: MAX_TAGS,
        description: 'Only those that monitors or hosts with this tag have; repeat it to require several tags',
      }),
    ),
    server_id: Type.Optional(Type.String({ maxLength: 64, description: 'Only those in files of this server' })),
  },
  { additionalProperties: false },
)
export type CertificateListQuery = Static<typeof CertificateListQuery>

export const CertificateList = Type.Object(
  { certificates: Type.Array(Ref(Certificate)), ...PageAnswer },
  { $id: 'CertificateList', description: 'A page of certificates, the soonest end first' },
)
export type CertificateList = Static<typeof CertificateList>
