import { randomUUID } from 'node:crypto'

/** The means around which the values of a server vary. */
export interface LoadProfile {
  cpu: number
  memory: number
  disk: number
  traffic: number
}

const STEP_MS = 60_000
const MEMORY_BYTES = 16_777_216_000

/** Random numbers from a seed, so that the screenshots stay the same. */
export function seededRandom(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}

const clamp = (value: number, most = 100): number => Math.round(Math.min(most, Math.max(0, value)) * 100) / 100

/** A day of samples per minute, in columns, with a gap of half an hour and a busy hour. */
export function dayOfSamples(habit: LoadProfile, random: () => number, nowMs: number, minutes = 1_440) {
  const gap = 300 + Math.floor(random() * 200)
  const instants = Array.from({ length: minutes }, (_, index) => nowMs - (minutes - index) * STEP_MS).filter(
    (_, index) => minutes < 1_440 || index < gap || index > gap + 35,
  )
  let drift = 0
  const busyAt = nowMs - (200 + random() * 400) * STEP_MS
  const rows = instants.map((at) => {
    drift = drift * 0.95 + (random() - 0.5) * 6
    const day = Math.sin((at / 86_400_000) * 2 * Math.PI) * 0.35
    const burst = Math.exp(-(((at - busyAt) / 2_400_000) ** 2)) * 45
    const cpu = clamp(habit.cpu * (1 + day) + drift + burst)
    return { at, cpu, noise: random(), drift, burst }
  })
  const column = (value: (row: (typeof rows)[number]) => number) => rows.map(value)
  const whole = (value: (row: (typeof rows)[number]) => number) => rows.map((row) => Math.max(0, Math.round(value(row))))
  const memory = (row: (typeof rows)[number]) => clamp(habit.memory + row.drift * 0.6 + row.burst * 0.15, 98)
  return {
    batch_id: randomUUID(),
    sent_at: new Date(nowMs).toISOString(),
    agent_version: '0.1.0',
    columns: {
      at_ms: column(({ at }) => at),
      cpu: {
        percent: column(({ cpu }) => cpu),
        user_percent: column(({ cpu }) => clamp(cpu * 0.62)),
        system_percent: column(({ cpu }) => clamp(cpu * 0.27)),
        iowait_percent: column(({ noise }) => clamp(noise * 2.5)),
        steal_percent: column(() => 0),
        cores: column(() => 8),
        load_1: column(({ cpu, noise }) => clamp(cpu / 12 + noise * 0.4, 64)),
        load_5: column(({ cpu }) => clamp(cpu / 12.5 + 0.2, 64)),
        load_15: column(({ cpu }) => clamp(habit.cpu / 13 + cpu / 60, 64)),
      },
      memory: {
        used_bytes: whole((row) => (memory(row) / 100) * MEMORY_BYTES),
        total_bytes: column(() => MEMORY_BYTES),
        percent: column(memory),
        swap_used_bytes: column(() => 104_857_600),
        swap_total_bytes: column(() => 2_147_483_648),
        swap_percent: column(() => 4.88),
      },
      disk: {
        read_iops: whole(({ noise, burst }) => noise * 40 + burst * 6),
        write_iops: whole(({ noise, cpu }) => 12 + noise * 30 + cpu),
        read_throughput_bps: whole(({ noise, burst }) => noise * 900_000 + burst * 300_000),
        write_throughput_bps: whole(({ noise, cpu }) => 400_000 + noise * 800_000 + cpu * 20_000),
        usage_percent: column(() => habit.disk),
      },
      network: {
        rx_bytes_per_sec: whole(({ noise, cpu }) => habit.traffic * (0.6 + noise * 0.3 + cpu / 80)),
        tx_bytes_per_sec: whole(({ noise, cpu }) => habit.traffic * 0.55 * (0.5 + noise * 0.3 + cpu / 90)),
        active_connections: whole(({ cpu, noise }) => 40 + cpu * 2 + noise * 12),
        rx_errors_per_sec: column(() => 0),
        tx_errors_per_sec: column(() => 0),
      },
      tcp: {
        established: whole(({ cpu, noise }) => 40 + cpu * 2 + noise * 12),
        syn_sent: whole(({ noise }) => noise * 2),
        syn_recv: column(() => 0),
        fin_wait: whole(({ noise }) => noise * 5),
        time_wait: whole(({ noise, cpu }) => 20 + noise * 14 + cpu),
        close_wait: whole(({ noise }) => noise * 4),
        last_ack: column(() => 0),
        listen: column(() => 17),
        closing: column(() => 0),
        retransmits_per_sec: column(({ noise }) => clamp(noise * noise * 3)),
        resets_per_sec: column(({ noise }) => clamp(noise)),
      },
    },
    filesystems: [
      {
        mount: '/',
        fs_type: 'ext4',
        used_bytes: Math.round(habit.disk * 1_073_741_824),
        total_bytes: 107_374_182_400,
        percent: habit.disk,
      },
      {
        mount: '/srv/data',
        fs_type: 'xfs',
        used_bytes: 412_316_860_416,
        total_bytes: 1_099_511_627_776,
        percent: clamp(habit.disk * 0.6),
      },
    ],
    interfaces: [
      { name: 'eth0', rx_bytes_per_sec: habit.traffic, tx_bytes_per_sec: Math.round(habit.traffic * 0.6) },
      { name: 'wg0', rx_bytes_per_sec: Math.round(habit.traffic * 0.1), tx_bytes_per_sec: Math.round(habit.traffic * 0.08) },
    ],
    processes: PROCESSES.map(({ name, share, bytes }, index) => ({
      pid: 800 + index * 137,
      name,
      cpu_percent: clamp(habit.cpu * share),
      memory_bytes: bytes,
    })),
    host: { uptime_seconds: 2_937_600, logged_in_users: 1, failed_units: [], reboot_required: habit.disk > 80 },
  }
}

const PROCESSES = [
  { name: 'postgres', share: 0.44, bytes: 2_362_232_012 },
  { name: 'node', share: 0.21, bytes: 812_646_400 },
  { name: 'nginx', share: 0.08, bytes: 96_468_992 },
  { name: 'redis-server', share: 0.05, bytes: 402_653_184 },
  { name: 'systemd-journal', share: 0.01, bytes: 58_720_256 },
]
