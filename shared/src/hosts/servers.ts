import { type Static, Type } from 'typebox'
import { CertificateFacts } from '../monitoring/checks/result.ts'
import { DependsOn } from '../monitoring/dependencies.ts'
import { TargetDescription } from '../wire/description.ts'
import { IdOf } from '../wire/ids.ts'
import { MAX_DISPLAY_NAME_LENGTH, MAX_TAG_LENGTH, MAX_TAGS } from '../wire/limits.ts'
import {
  MAX_CERTIFICATE_ENTRY_LENGTH,
  MAX_CERTIFICATE_PATH_LENGTH,
  MAX_HOST_CERTIFICATES,
  MAX_UNREADABLE_CERTIFICATES,
  MAX_UNREADABLE_REASON_LENGTH,
} from './certificate-limits.ts'
import { OPTIONAL_SOURCES, type OptionalSource } from './entities/sources.ts'
import { ServerHealth } from './health.ts'
import { HEALTH_STATUSES } from './health-codes.ts'
import { MetricSnapshot } from './metrics/answer.ts'
import { Filesystem, NetworkInterface, Process } from './metrics/sample.ts'
import { SERVER_SORTS, SERVER_STATUSES } from '../wire/statuses.ts'
import { ManagedField } from '../wire/managed.ts'
import { Counts, Nullable, PageAnswer, PageQuery, Ref, Secret, Timestamp, Untagged, VisibleText } from '../wire/wire.ts'

const optionalFlag = () => Type.Optional(Type.Boolean())

const Name = (maxLength: number, ...examples: string[]) =>
  Type.String({ minLength: 1, maxLength, ...(examples.length > 0 && { examples }) })

export const Tags = Type.Array(VisibleText(MAX_TAG_LENGTH), {
  $id: 'Tags',
  maxItems: MAX_TAGS,
  uniqueItems: true,
  description: 'Labels to filter servers and monitors by',
  examples: [['prod']],
})

export const IpAddresses = Type.Array(Name(64), {
  $id: 'IpAddresses',
  maxItems: 64,
  examples: [['192.0.2.10', '2001:db8::10']],
})

export const ContainerFacts = Type.Object(
  {
    runtime: Type.String({ minLength: 1, maxLength: 64, description: 'docker, podman, kubernetes, lxc, …' }),
    cgroup_version: Nullable(Type.Integer({ minimum: 1, maximum: 2 })),
    memory_limit_bytes: Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'null: none' })),
    cpu_limit_cores: Nullable(Type.Number({ minimum: 0, maximum: 65_536, description: 'null: none' })),
  },
  { $id: 'ContainerFacts', description: 'The container that the agent runs in. Samples still measure the host' },
)
export type ContainerFacts = Static<typeof ContainerFacts>

export const SourcesOff = Type.Array(Type.Enum([...OPTIONAL_SOURCES]), {
  $id: 'SourcesOff',
  maxItems: OPTIONAL_SOURCES.length,
  uniqueItems: true,
  description: 'Sources that the agent does not read, although its configuration allows it to',
  examples: [['containers']],
})

export const FoundSources = Type.Object(
  Object.fromEntries(OPTIONAL_SOURCES.map((source) => [source, optionalFlag()])) as Record<
    OptionalSource,
    ReturnType<typeof optionalFlag>
  >,
  {
    $id: 'FoundSources',
    description: 'What the agent found on the host: whether its configuration lets it read it. Omitted: not found',
    examples: [{ containers: false, gpus: true }],
  },
)
export type FoundSources = Static<typeof FoundSources>

/** Optional facts about a host; only the newest values are stored. */
const Facts = {
  cpu_model: Type.Optional(Name(256)),
  cpu_cores: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_536 })),
  memory_bytes: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  boot_time: Type.Optional(Timestamp),
  ip_addresses: Type.Optional(Ref(IpAddresses)),
  container: Type.Optional(Ref(ContainerFacts)),
  /** Samples that the agent dropped before delivery, and damaged records of its spool, since its installation. */
  dropped_samples: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  damaged_records: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  tags: Type.Optional(Ref(Tags)),
  sources: Type.Optional(Ref(FoundSources)),
}

const Identity = {
  hostname: Name(255, 'web-1'),
  os: Name(255, 'Debian GNU/Linux 12 (bookworm)'),
  kernel: Name(255, '6.1.0-28-amd64'),
  arch: Name(64, 'x64'),
  agent_version: Name(64, '0.1.0'),
}

/** Unknown fields are ignored: an agent may be newer than its backend. */
export const RegisterBody = Type.Object(
  {
    ...Identity,
    machine_id: Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'stable per host: identifies the server within the organization',
      examples: ['5f2c8f6f0d0f4f7e'],
    }),
    ...Facts,
  },
  { $id: 'RegisterBody', description: 'A host as its agent reports it. Unknown fields are ignored' },
)
export type RegisterBody = Static<typeof RegisterBody>

/** How often an agent samples and pushes. */
export const Intervals = {
  sample_interval_seconds: Type.Integer({ examples: [10] }),
  push_interval_seconds: Type.Integer({ examples: [60] }),
}
const TOKEN = 'vdt_srv_FL8LxvN2cQ0d7mWb4TzYp1RkHs9GjUe3AoXi5MnZq6Vy0EtBa'

export const RegisterAnswer = Type.Object(
  {
    server_id: IdOf('server'),
    token: Secret({ description: "the server's token, shown only once", examples: [TOKEN] }),
    ...Intervals,
  },
  { $id: 'Registration', description: 'The server of the host and its token for pushes' },
)
export type RegisterAnswer = Static<typeof RegisterAnswer>

const CertificatePath = Type.String({
  minLength: 1,
  maxLength: MAX_CERTIFICATE_PATH_LENGTH,
  examples: ['/etc/letsencrypt/live/shop/fullchain.pem'],
})

export const HostCertificate = Type.Object(
  {
    path: CertificatePath,
    entry: Type.Optional(
      Type.String({
        maxLength: MAX_CERTIFICATE_ENTRY_LENGTH,
        description: 'which one of a file that has several: its alias or subject',
        examples: ['tomcat'],
      }),
    ),
    certificate: Ref(CertificateFacts),
  },
  { $id: 'HostCertificate', description: 'A certificate in a file of a host, with what follows it there' },
)
export type HostCertificate = Static<typeof HostCertificate>

export const UnreadableCertificate = Type.Object(
  {
    path: CertificatePath,
    reason: Type.String({ maxLength: MAX_UNREADABLE_REASON_LENGTH, examples: ['it needs a password'] }),
  },
  { $id: 'UnreadableCertificate', description: 'A file that the agent should read certificates of, and why it cannot' },
)
export type UnreadableCertificate = Static<typeof UnreadableCertificate>

/** Whole lists: what is no longer in them is gone. */
const CertificateLists = {
  certificates: Type.Optional(
    Type.Array(Ref(HostCertificate), { maxItems: MAX_HOST_CERTIFICATES, description: 'all that its files have now' }),
  ),
  unreadable_certificates: Type.Optional(Type.Array(Ref(UnreadableCertificate), { maxItems: MAX_UNREADABLE_CERTIFICATES })),
}

export const FactsBody = Type.Partial(Type.Object({ ...Identity, ...Facts, ...CertificateLists }), {
  $id: 'FactsBody',
  description: 'Only what changed; omitted fields stay unchanged. Unknown fields are ignored',
  examples: [{ kernel: '6.1.0-29-amd64', agent_version: '0.1.1' }],
})
export type FactsBody = Static<typeof FactsBody>

export const ServerStatusName = Type.Enum([...SERVER_STATUSES], { $id: 'ServerStatus' })

const ServerFields = {
  id: IdOf('server'),
  hostname: Type.String({ examples: ['web-1'] }),
  display_name: Nullable(Type.String({ description: 'null: the host name is used' })),
  os: Type.String({ examples: ['Debian GNU/Linux 12 (bookworm)'] }),
  kernel: Type.String({ examples: ['6.1.0-28-amd64'] }),
  status: Ref(ServerStatusName),
  health: Ref(ServerHealth),
  agent_version: Type.String({ examples: ['0.1.0'] }),
  agent_outdated: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'whether a newer agent version is available; null for an unknown version',
  }),
  tags: Ref(Tags),
  last_seen_at: {
    ...Timestamp,
    description: 'the time of the last accepted push; `registered_at` before the first push',
  },
  registered_at: Timestamp,
}

export const Sparkline = Type.Object(
  {
    from: Timestamp,
    step_seconds: Type.Integer({ examples: [3_600] }),
    cpu_percent: Type.Array(Nullable(Type.Number({ examples: [12.5] }))),
    memory_percent: Type.Array(Nullable(Type.Number({ examples: [25] }))),
  },
  { $id: 'Sparkline', description: '24 hourly means, oldest first; null for an hour without samples' },
)

export const ServerItem = Type.Object(
  {
    ...ServerFields,
    metrics: Type.Optional(Type.Union([Ref(MetricSnapshot), Type.Null()], { description: 'with `include=metrics`' })),
    sparkline: Type.Optional(Ref(Sparkline)),
  },
  {
    $id: 'ServerItem',
    description: 'A server in a list; `metrics`, `sparkline` and the texts of `health` only if `include` names them',
  },
)
export type ServerItem = Static<typeof ServerItem>

export const ServerDetails = Type.Object(
  {
    ...ServerFields,
    arch: Type.String({ examples: ['x64'] }),
    machine_id: Type.String({ examples: ['5f2c8f6f0d0f4f7e'] }),
    managed: ManagedField,
    cpu_model: Nullable(Type.String({ examples: ['AMD EPYC 7763 64-Core Processor'] })),
    cpu_cores: Nullable(Type.Integer({ examples: [4] })),
    memory_bytes: Nullable(Type.Integer({ examples: [8_589_934_592] })),
    boot_time: Nullable(Timestamp),
    ip_addresses: Ref(IpAddresses),
    container: Type.Union([Ref(ContainerFacts), Type.Null()], { description: 'null: no container reported', examples: [null] }),
    dropped_samples: Type.Union([Type.Integer(), Type.Null()], {
      description: 'counted by the agent; null while not reported',
    }),
    damaged_records: Type.Union([Type.Integer(), Type.Null()], {
      description: 'counted by the agent; null while not reported',
    }),
    ...Intervals,
    filesystems: Type.Array(Ref(Filesystem), { description: 'from the batch of the newest sample' }),
    interfaces: Type.Array(Ref(NetworkInterface), { description: 'from the batch of the newest sample' }),
    processes: Type.Array(Ref(Process), {
      description:
        'those with the highest CPU and memory use, from the newest batch; empty where process reporting is switched off',
    }),
    uptime_seconds: Type.Union([Type.Integer(), Type.Null()], {
      description: 'at the newest batch; null if not reported',
      examples: [644_973],
    }),
    logged_in_users: Type.Union([Type.Integer(), Type.Null()], {
      description: 'number of distinct users with a session; null if not reported',
    }),
    failed_units: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: 'names of failed systemd units, at most 32; null if not reported',
      examples: [['certbot.service']],
    }),
    reboot_required: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'whether an update requires a restart of the host; null if not reported',
    }),
    missing_processes: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: 'names of the watched processes that do not run, at most 32; null if not reported',
    }),
    sources: Type.Union([Ref(FoundSources), Type.Null()], { description: 'null: not reported' }),
    sources_off: Ref(SourcesOff),
    unreadable_certificates: Type.Array(Ref(UnreadableCertificate), {
      description: 'files of `certificate_files` that the agent cannot read, at most 50',
    }),
    depends_on: Ref(DependsOn),
    ...TargetDescription.answer,
    metrics: Type.Union([Ref(MetricSnapshot), Type.Null()], { description: 'null before the first sample' }),
  },
  { $id: 'ServerDetails', description: 'A server with its host facts, host state and newest sample' },
)
export type ServerDetails = Static<typeof ServerDetails>

export const ProcessesQuery = Type.Object(
  {
    at: Type.Optional(Type.String({ format: 'date-time', description: 'Returns the list nearest to this instant; default now' })),
  },
  { additionalProperties: false },
)

export const ServerProcesses = Type.Object(
  {
    server_id: IdOf('server'),
    sampled_at: Type.Union([Timestamp, Type.Null()], {
      description: 'the newest sample of the batch with the list; null without a stored list',
    }),
    processes: Type.Array(Ref(Process)),
  },
  { $id: 'ServerProcesses', description: 'The processes with the highest CPU and memory use at the push nearest to an instant' },
)
export type ServerProcesses = Static<typeof ServerProcesses>

export const ServerListQuery = Type.Object(
  {
    ...PageQuery,
    status: Type.Optional(Type.Enum([...SERVER_STATUSES], { description: 'Only servers with this status' })),
    health: Type.Optional(Type.Enum([...HEALTH_STATUSES], { description: 'Only servers with this health' })),
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Part of the display name or the host name, case-insensitive',
      }),
    ),
    tag: Type.Optional(
      Type.Array(Name(MAX_TAG_LENGTH), {
        maxItems: MAX_TAGS,
        description: 'Only servers with this tag; repeat it to require several tags',
      }),
    ),
    untagged: Untagged,
    sort: Type.Optional(
      Type.Enum(
        SERVER_SORTS.flatMap((name) => [name, `-${name}` as const]),
        {
          description:
            'Sort order; a leading `-` means descending. Default: newest first. `status`: offline servers first, then the worst health, then by name. `health`: the worst first',
        },
      ),
    ),
    include: Type.Optional(
      Type.String({
        pattern: '^(metrics|sparkline|counts|health)(,(metrics|sparkline|counts|health)){0,3}$',
        'x-form': 'metrics, sparkline, counts or health, or several of them separated by commas',
        description:
          'Additional fields, comma-separated: `metrics` and `sparkline` of each item, `health` for the texts of its findings, `counts` of the list by status',
      }),
    ),
  },
  { additionalProperties: false },
)

export const ServerList = Type.Object(
  { servers: Type.Array(Ref(ServerItem)), ...PageAnswer, counts: Counts(SERVER_STATUSES) },
  { $id: 'ServerList', description: 'A page of servers' },
)

export const PatchServerBody = Type.Object(
  {
    display_name: Type.Optional(Nullable(VisibleText(MAX_DISPLAY_NAME_LENGTH))),
    tags: Type.Optional(Ref(Tags)),
    depends_on: Type.Optional(Ref(DependsOn)),
    ...TargetDescription.body,
    sources_off: Type.Optional(Ref(SourcesOff)),
  },
  {
    $id: 'PatchServerBody',
    additionalProperties: false,
    minProperties: 1,
    examples: [{ display_name: 'Shop, front', tags: ['web', 'shop'] }],
  },
)
export type PatchServerBody = Static<typeof PatchServerBody>

export const RegeneratedToken = Type.Object(
  { server_id: IdOf('server'), token: Secret({ description: 'shown only once', examples: [TOKEN] }), created_at: Timestamp },
  { $id: 'RegeneratedToken', description: 'The new token. The old one is already revoked' },
)
export type RegenerateAnswer = Static<typeof RegeneratedToken>
