import { type Static, Type } from 'typebox'
import { IdOf } from './ids.ts'
import { MetricSnapshot } from './metrics/answer.ts'
import { Filesystem, NetworkInterface } from './metrics/sample.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Timestamp } from './wire.ts'

const Name = (maxLength: number) => Type.String({ minLength: 1, maxLength })

export const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 20, uniqueItems: true })

/** What an agent may tell of its host beside the required fields; all optional, newest state only. */
const Facts = {
  cpu_model: Type.Optional(Name(256)),
  cpu_cores: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_536 })),
  memory_bytes: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  boot_time: Type.Optional(Timestamp),
  ip_addresses: Type.Optional(Type.Array(Name(64), { maxItems: 64 })),
  tags: Type.Optional(Tags),
}

const Identity = {
  hostname: Name(255),
  os: Name(255),
  kernel: Name(255),
  arch: Name(64),
  agent_version: Name(64),
}

/** Unknown fields are ignored: an agent may be newer than its backend. */
export const RegisterBody = Type.Object({
  ...Identity,
  /** Stable per host: the same machine in the same organization is the same server. */
  machine_id: Name(128),
  ...Facts,
})
export type RegisterBody = Static<typeof RegisterBody>

/** `token` is shown this once. */
export const RegisterAnswer = Type.Object(
  {
    server_id: IdOf('server'),
    token: Type.String(),
    sample_interval_seconds: Type.Integer(),
    push_interval_seconds: Type.Integer(),
  },
  { $id: 'Registration' },
)
export type RegisterAnswer = Static<typeof RegisterAnswer>

/** Only what changed; what is left out stays as it was. */
export const FactsBody = Type.Partial(Type.Object({ ...Identity, ...Facts }))
export type FactsBody = Static<typeof FactsBody>

export const SERVER_STATUSES = ['online', 'offline'] as const
export type ServerStatus = (typeof SERVER_STATUSES)[number]

const ServerFields = {
  id: IdOf('server'),
  hostname: Type.String(),
  display_name: Nullable(Type.String()),
  os: Type.String(),
  kernel: Type.String(),
  status: Type.Enum([...SERVER_STATUSES]),
  agent_version: Type.String(),
  tags: Type.Array(Type.String()),
  last_seen_at: Timestamp,
  registered_at: Timestamp,
}

/** 24 hourly means, oldest first, null where the hour has no sample. */
const Sparkline = Type.Object({
  from: Timestamp,
  step_seconds: Type.Integer(),
  cpu_percent: Type.Array(Nullable(Type.Number())),
  memory_percent: Type.Array(Nullable(Type.Number())),
})

export const ServerItem = Type.Object(
  {
    ...ServerFields,
    metrics: Type.Optional(Type.Union([Ref(MetricSnapshot), Type.Null()])),
    sparkline: Type.Optional(Sparkline),
  },
  { $id: 'ServerItem' },
)
export type ServerItem = Static<typeof ServerItem>

export const ServerDetails = Type.Object(
  {
    ...ServerFields,
    arch: Type.String(),
    machine_id: Type.String(),
    cpu_model: Nullable(Type.String()),
    cpu_cores: Nullable(Type.Integer()),
    memory_bytes: Nullable(Type.Integer()),
    boot_time: Nullable(Timestamp),
    ip_addresses: Type.Array(Type.String()),
    sample_interval_seconds: Type.Integer(),
    push_interval_seconds: Type.Integer(),
    /** Stamped with the newest sample of the batch that brought them. */
    filesystems: Type.Array(Filesystem),
    interfaces: Type.Array(NetworkInterface),
    metrics: Type.Union([Ref(MetricSnapshot), Type.Null()]),
  },
  { $id: 'ServerDetails' },
)
export type ServerDetails = Static<typeof ServerDetails>

export const SERVER_SORTS = ['name', 'created_at', 'cpu', 'memory', 'disk', 'last_seen_at'] as const
export type ServerSort = (typeof SERVER_SORTS)[number]

export const ServerListQuery = Type.Object(
  {
    ...PageQuery,
    status: Type.Optional(Type.Enum([...SERVER_STATUSES])),
    q: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'part of the name or host name; case does not count' }),
    ),
    tag: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: 20,
        description: 'repeatable; all of them must be there',
      }),
    ),
    sort: Type.Optional(Type.Enum(SERVER_SORTS.flatMap((name) => [name, `-${name}` as const]))),
    include: Type.Optional(Type.String({ pattern: '^(metrics|sparkline)(,(metrics|sparkline))?$' })),
  },
  { additionalProperties: false },
)

export const ServerList = Type.Object({ servers: Type.Array(Ref(ServerItem)), ...PageAnswer }, { $id: 'ServerList' })

export const PatchServerBody = Type.Object(
  { display_name: Type.Optional(Nullable(Name(255))), tags: Type.Optional(Tags) },
  { additionalProperties: false, minProperties: 1 },
)
export type PatchServerBody = Static<typeof PatchServerBody>

/** `token` is shown this once; the old one is dead already. */
export const RegeneratedToken = Type.Object(
  { server_id: IdOf('server'), token: Type.String(), created_at: Timestamp },
  { $id: 'RegeneratedToken' },
)
