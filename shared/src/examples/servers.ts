import type { Static } from 'typebox'
import type { MetricSnapshot, ServerMetrics } from '../hosts/metrics/answer.ts'
import type { PushAnswer } from '../hosts/push.ts'
import type {
  FactsBody,
  PatchServerBody,
  RegenerateAnswer,
  RegisterAnswer,
  RegisterBody,
  ServerDetails,
  ServerItem,
  ServerProcesses,
} from '../hosts/servers.ts'
import { PAGE, SERVER_ID, SERVER_TOKEN } from './common.ts'

const SAMPLED_AT = '2026-11-21T09:11:14.000Z'
const INTERVALS = { sample_interval_seconds: 10, push_interval_seconds: 60 }
const processor = {
  user_percent: 9.25,
  system_percent: 3.25,
  iowait_percent: 0.1,
  steal_percent: 0,
  cores: 4,
  load_1: 0.11,
  load_5: 0.43,
  load_15: 0.81,
}
const memory = {
  used_bytes: 2_147_483_648,
  total_bytes: 8_589_934_592,
  percent: 25,
  swap_used_bytes: 0,
  swap_total_bytes: 0,
  swap_percent: 0,
}
const disk = {
  read_iops: 3,
  write_iops: 12,
  read_throughput_bps: 16_384,
  write_throughput_bps: 122_880,
  usage_percent: 41.5,
}

const snapshot: Static<typeof MetricSnapshot> = {
  sampled_at: SAMPLED_AT,
  cpu: { percent: 12.5, ...processor },
  memory,
  disk,
  host: { failed_units: 1, reboot_required: 0, missing_processes: 0 },
}

const fields: ServerItem = {
  id: SERVER_ID,
  hostname: 'web-1',
  display_name: null,
  os: 'Debian GNU/Linux 12 (bookworm)',
  kernel: '6.1.0-28-amd64',
  status: 'online',
  agent_version: '0.1.0',
  agent_outdated: false,
  tags: ['web'],
  last_seen_at: '2026-11-21T09:11:14.774Z',
  registered_at: '2026-11-21T09:06:56.374Z',
}

const processes: ServerDetails['processes'] = [
  { pid: 812, name: 'postgres', cpu_percent: 6.25, memory_bytes: 402_653_184 },
  { pid: 1_204, name: 'node', cpu_percent: 3.5, memory_bytes: 187_695_104 },
]
const host = {
  uptime_seconds: 644_973,
  logged_in_users: 1,
  failed_units: ['certbot.service'],
  reboot_required: false,
  missing_processes: [],
}

const details: ServerDetails = {
  ...fields,
  arch: 'x64',
  machine_id: '5f2c8f6f0d0f4f7e',
  cpu_model: 'AMD EPYC 7763 64-Core Processor',
  cpu_cores: 4,
  memory_bytes: 8_589_934_592,
  boot_time: '2026-11-14T22:01:40.000Z',
  ip_addresses: ['192.0.2.10', '2001:db8::10'],
  container: null,
  dropped_samples: null,
  damaged_records: null,
  ...INTERVALS,
  filesystems: [{ mount: '/', fs_type: 'ext4', used_bytes: 17_179_869_184, total_bytes: 42_949_672_960, percent: 41.5 }],
  interfaces: [{ name: 'eth0', rx_bytes_per_sec: 1_200.5, tx_bytes_per_sec: 830 }],
  processes,
  ...host,
  depends_on: [],
  metrics: snapshot,
}

const registration: RegisterBody = {
  hostname: 'web-1',
  os: 'Debian GNU/Linux 12 (bookworm)',
  kernel: '6.1.0-28-amd64',
  arch: 'x64',
  agent_version: 'my-agent 1.0',
  machine_id: '5f2c8f6f0d0f4f7e',
  cpu_cores: 4,
  tags: ['web'],
}

const batch = {
  batch_id: '0197b3f0-8c7a-7c3e-9b7e-0d1c2b3a4f50',
  sent_at: SAMPLED_AT,
  agent_version: 'my-agent 1.0',
}
const columns = {
  at_ms: [1_795_252_264_000, 1_795_252_274_000],
  cpu: { percent: [10, null], cores: [4, 4] },
  network: { rx_bytes_per_sec: [1_200.5, 1_300] },
}

export const SERVER_EXAMPLES = {
  Health: { alive: { status: 'ok' }, ready: { status: 'ready' } },
  RegisterBody: { example: registration },
  Registration: {
    example: { server_id: SERVER_ID, token: SERVER_TOKEN, ...INTERVALS } satisfies RegisterAnswer,
  },
  FactsBody: { example: { kernel: '6.1.0-29-amd64', agent_version: 'my-agent 1.1' } satisfies FactsBody },
  Push: {
    byRows: {
      boot_id: 'c2a5b1f4-52f1-4c9e-8a43-0e4d8a4b7f6c',
      ...batch,
      samples: [{ at: SAMPLED_AT, cpu: { percent: 12.5, cores: 4 }, memory: { used_bytes: 2_147_483_648, percent: 25 } }],
    },
    byColumns: { boot_id: 'c2a5b1f4-52f1-4c9e-8a43-0e4d8a4b7f6c', ...batch, columns },
    several: {
      batches: [{ ...batch, columns, filesystems: details.filesystems, interfaces: details.interfaces, processes, host }],
    },
    withEntities: {
      ...batch,
      columns,
      entities: [
        { kind: 'container', name: 'shop/web', attributes: { image: 'shop:1.4' }, values: { cpu_percent: 3.25, running: 1 } },
      ],
      entities_at: SAMPLED_AT,
      entity_events: [
        { at: SAMPLED_AT, kind: 'container', name: 'shop/web', type: 'died', exit_code: 1, lines: ['no such file'] },
      ],
    },
    withApiKey: { server_id: SERVER_ID, ...batch, samples: [{ at: SAMPLED_AT, cpu: { percent: 12.5 } }] },
  },
  PushAnswer: {
    example: {
      accepted: 1,
      duplicates: 0,
      rejected: [{ batch: 0, index: 1, code: 'invalid_value', message: 'cpu.percent is not between 0 and 100' }],
      server_time: '2026-11-21T09:11:14.774Z',
      ...INTERVALS,
    } satisfies PushAnswer,
  },
  ServerList: { example: { servers: [fields], ...PAGE }, withMetrics: { servers: [{ ...fields, metrics: snapshot }], ...PAGE } },
  ServerDetails: { example: details },
  ServerProcesses: {
    example: { server_id: SERVER_ID, sampled_at: SAMPLED_AT, processes } satisfies ServerProcesses,
    none: { server_id: SERVER_ID, sampled_at: null, processes: [] } satisfies ServerProcesses,
  },
  PatchServerBody: { example: { display_name: 'Shop, front', tags: ['web', 'shop'] } satisfies PatchServerBody },
  RegeneratedToken: {
    example: { server_id: SERVER_ID, token: SERVER_TOKEN, created_at: '2026-11-21T09:30:00.000Z' } satisfies RegenerateAnswer,
  },
  ServerMetrics: {
    example: {
      server_id: SERVER_ID,
      period: '15m',
      metrics: {
        cpu: { current_percent: 12.5, avg_percent: 11.07, max_percent: 48.2, ...processor },
        memory: { ...memory, avg_percent: 24.8, max_percent: 25.6 },
        disk,
      },
      series: {
        step_seconds: 300,
        from: '2026-11-21T08:55:00.000Z',
        points: 4,
        cpu: { percent: { avg: [null, 10.5, 11.2, 12], max: [null, 31, 48.2, 12.5] } },
      },
    } satisfies ServerMetrics,
    byMount: {
      server_id: SERVER_ID,
      period: '24h',
      metrics: { disk },
      by_mount: [
        {
          mount: '/',
          used_bytes: 41_203_011_584,
          total_bytes: 105_089_261_568,
          percent: 41.32,
          avg_percent: 40.1,
          max_percent: 41.32,
        },
      ],
      others: 0,
    } satisfies ServerMetrics,
  },
}
