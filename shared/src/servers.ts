import { type Static, Type } from 'typebox'
import { IdOf } from './ids.ts'
import { MetricSnapshot } from './metrics/answer.ts'
import { Filesystem, NetworkInterface, Process } from './metrics/sample.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Timestamp } from './wire.ts'

const Name = (maxLength: number) => Type.String({ minLength: 1, maxLength })

export const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  $id: 'Tags',
  maxItems: 20,
  uniqueItems: true,
  description: 'Words by which servers and monitors are found',
})

export const IpAddresses = Type.Array(Name(64), { $id: 'IpAddresses', maxItems: 64 })

export const ContainerFacts = Type.Object(
  {
    runtime: Type.String({ minLength: 1, maxLength: 64, description: 'docker, podman, kubernetes, lxc, …' }),
    cgroup_version: Nullable(Type.Integer({ minimum: 1, maximum: 2 })),
    memory_limit_bytes: Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'null: none' })),
    cpu_limit_cores: Nullable(Type.Number({ minimum: 0, maximum: 65_536, description: 'null: none' })),
  },
  { $id: 'ContainerFacts', description: 'The container that the agent runs in. Samples are of the host nevertheless' },
)
export type ContainerFacts = Static<typeof ContainerFacts>

/** What an agent may tell of its host beside the required fields; all optional, newest state only. */
const Facts = {
  cpu_model: Type.Optional(Name(256)),
  cpu_cores: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_536 })),
  memory_bytes: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  boot_time: Type.Optional(Timestamp),
  ip_addresses: Type.Optional(Ref(IpAddresses)),
  container: Type.Optional(Ref(ContainerFacts)),
  /** Samples that the agent could not keep until they were delivered, and damaged records of its spool, since it was installed. */
  dropped_samples: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  damaged_records: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  tags: Type.Optional(Ref(Tags)),
}

const Identity = {
  hostname: Name(255),
  os: Name(255),
  kernel: Name(255),
  arch: Name(64),
  agent_version: Name(64),
}

/** Unknown fields are ignored: an agent may be newer than its backend. */
export const RegisterBody = Type.Object(
  {
    ...Identity,
    machine_id: Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'stable per host: the same machine in the same organization is the same server',
    }),
    ...Facts,
  },
  { $id: 'RegisterBody', description: 'A host as its agent sees it. Unknown fields are ignored' },
)
export type RegisterBody = Static<typeof RegisterBody>

export const RegisterAnswer = Type.Object(
  {
    server_id: IdOf('server'),
    token: Type.String({ description: "the server's token, shown this once" }),
    sample_interval_seconds: Type.Integer(),
    push_interval_seconds: Type.Integer(),
  },
  { $id: 'Registration', description: 'The server that the host is now, and the token with which it pushes' },
)
export type RegisterAnswer = Static<typeof RegisterAnswer>

/** Only what changed; what is left out stays as it was. */
export const FactsBody = Type.Partial(Type.Object({ ...Identity, ...Facts }), {
  $id: 'FactsBody',
  description: 'Only what changed; what is left out stays as it was. Unknown fields are ignored',
})
export type FactsBody = Static<typeof FactsBody>

export const SERVER_STATUSES = ['online', 'offline'] as const
export type ServerStatus = (typeof SERVER_STATUSES)[number]
export const ServerStatusName = Type.Enum([...SERVER_STATUSES], { $id: 'ServerStatus' })

const ServerFields = {
  id: IdOf('server'),
  hostname: Type.String(),
  display_name: Nullable(Type.String({ description: 'null: it is called by its host name' })),
  os: Type.String(),
  kernel: Type.String(),
  status: Ref(ServerStatusName),
  agent_version: Type.String(),
  agent_outdated: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'whether a newer version of the agent is known here; null for a version that is not of ours',
  }),
  tags: Ref(Tags),
  last_seen_at: Type.String({ format: 'date-time', description: 'the last accepted push; before the first one `registered_at`' }),
  registered_at: Timestamp,
}

export const Sparkline = Type.Object(
  {
    from: Timestamp,
    step_seconds: Type.Integer(),
    cpu_percent: Type.Array(Nullable(Type.Number())),
    memory_percent: Type.Array(Nullable(Type.Number())),
  },
  { $id: 'Sparkline', description: '24 hourly means, oldest first; null where the hour has no sample' },
)

export const ServerItem = Type.Object(
  {
    ...ServerFields,
    metrics: Type.Optional(Type.Union([Ref(MetricSnapshot), Type.Null()], { description: 'with `include=metrics`' })),
    sparkline: Type.Optional(Ref(Sparkline)),
  },
  { $id: 'ServerItem', description: 'A server in a list; `metrics` and `sparkline` where `include` asks for them' },
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
    ip_addresses: Ref(IpAddresses),
    container: Type.Union([Ref(ContainerFacts), Type.Null()], { description: 'null: the agent told of none' }),
    dropped_samples: Type.Union([Type.Integer(), Type.Null()], {
      description: 'as the agent counts them; null while it has told of none',
    }),
    damaged_records: Type.Union([Type.Integer(), Type.Null()], {
      description: 'as the agent counts them; null while it has told of none',
    }),
    sample_interval_seconds: Type.Integer(),
    push_interval_seconds: Type.Integer(),
    filesystems: Type.Array(Ref(Filesystem), { description: 'as the batch of the newest sample told them' }),
    interfaces: Type.Array(Ref(NetworkInterface), { description: 'as the batch of the newest sample told them' }),
    processes: Type.Array(Ref(Process), {
      description:
        'those that use most CPU and most memory, as the newest batch told them; empty where the agent keeps them to itself',
    }),
    uptime_seconds: Type.Union([Type.Integer(), Type.Null()], { description: 'at the newest batch; null where it is not told' }),
    logged_in_users: Type.Union([Type.Integer(), Type.Null()], {
      description: 'how many different users have a session; null where it is not told',
    }),
    failed_units: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: 'names of the systemd units that failed, at most 32; null where it is not told',
    }),
    reboot_required: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'whether an update waits for a restart of the host; null where it is not told',
    }),
    metrics: Type.Union([Ref(MetricSnapshot), Type.Null()], { description: 'null before the first sample' }),
  },
  { $id: 'ServerDetails', description: 'A server with what is known of its host and its newest sample' },
)
export type ServerDetails = Static<typeof ServerDetails>

export const ProcessesQuery = Type.Object(
  {
    at: Type.Optional(
      Type.String({ format: 'date-time', description: 'The instant that the list is to be near to; now when nothing is said' }),
    ),
  },
  { additionalProperties: false },
)

export const ServerProcesses = Type.Object(
  {
    server_id: IdOf('server'),
    sampled_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'the newest sample of the batch that brought the list; null where no list is kept',
    }),
    processes: Type.Array(Ref(Process)),
  },
  { $id: 'ServerProcesses', description: 'The processes that used most CPU and most memory at the push nearest to an instant' },
)
export type ServerProcesses = Static<typeof ServerProcesses>

export const SERVER_SORTS = ['name', 'created_at', 'cpu', 'memory', 'disk', 'last_seen_at'] as const
export type ServerSort = (typeof SERVER_SORTS)[number]

export const ServerListQuery = Type.Object(
  {
    ...PageQuery,
    status: Type.Optional(Type.Enum([...SERVER_STATUSES], { description: 'Only servers that are online, or offline' })),
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Part of the display name or the host name; case does not count',
      }),
    ),
    tag: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: 20,
        description: 'A tag that the server has; repeatable, and then it has all of them',
      }),
    ),
    sort: Type.Optional(
      Type.Enum(
        SERVER_SORTS.flatMap((name) => [name, `-${name}` as const]),
        { description: 'What the list is ordered by; with `-` before it descending. Without it: newest first' },
      ),
    ),
    include: Type.Optional(
      Type.String({
        pattern: '^(metrics|sparkline)(,(metrics|sparkline))?$',
        description: 'What each item has beside its fields: `metrics`, `sparkline`, or both with a comma',
      }),
    ),
  },
  { additionalProperties: false },
)

export const ServerList = Type.Object(
  { servers: Type.Array(Ref(ServerItem)), ...PageAnswer },
  { $id: 'ServerList', description: 'A page of servers' },
)

export const PatchServerBody = Type.Object(
  { display_name: Type.Optional(Nullable(Name(255))), tags: Type.Optional(Ref(Tags)) },
  { $id: 'PatchServerBody', additionalProperties: false, minProperties: 1 },
)
export type PatchServerBody = Static<typeof PatchServerBody>

export const RegeneratedToken = Type.Object(
  { server_id: IdOf('server'), token: Type.String({ description: 'shown this once' }), created_at: Timestamp },
  { $id: 'RegeneratedToken', description: 'The new token; the old one is dead already' },
)
export type RegenerateAnswer = Static<typeof RegeneratedToken>
