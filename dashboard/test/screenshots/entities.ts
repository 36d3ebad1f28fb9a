/** What is on a host of the screenshots in a minute of ten: a body of a push without its head. */
export function entitiesOf(host: string, minute: number, at: string): object {
  const isSick = host === 'build-1'
  return {
    samples: [
      {
        at,
        cpu: { percent: isSick ? 97 : 35 },
        memory: { percent: isSick ? 94.2 : 61 },
        disk: { usage_percent: isSick ? 97 : 72 },
      },
    ],
    filesystems: [
      { mount: '/', fs_type: 'ext4', used_bytes: isSick ? 104e9 : 72e9, total_bytes: 107e9, percent: isSick ? 97.2 : 67.3 },
      { mount: '/srv/data', fs_type: 'xfs', used_bytes: 412e9, total_bytes: 1_099e9, percent: 37.5 },
    ],
    interfaces: [
      { name: 'eth0', rx_bytes_per_sec: 5_200_000, tx_bytes_per_sec: 3_120_000 },
      { name: 'wg0', rx_bytes_per_sec: 520_000, tx_bytes_per_sec: 416_000 },
    ],
    processes: ['postgres', 'node', 'nginx', 'redis-server']
      .map((name, index) => ({
        pid: 812 + index * 131,
        name,
        cpu_percent: 22 / (index + 1),
        memory_bytes: 2_362_232_012 / (index + 1),
      }))
      .map((each) => ({
        ...each,
        memory_bytes: Math.round(each.memory_bytes),
        cpu_percent: Math.round(each.cpu_percent * 10) / 10,
      })),
    entities: [
      ...containersOf(minute, isSick),
      entity(
        'unit',
        'ssh.service',
        { running: 1, failed: 0, memory_bytes: 8_000_000, tasks: 1 },
        { state: 'active', description: 'OpenBSD Secure Shell server' },
      ),
      entity(
        'unit',
        'postgresql@17-main.service',
        { running: 1, failed: 0, memory_bytes: 812_000_000, tasks: 44 },
        { state: 'active', description: 'PostgreSQL Cluster 17-main' },
      ),
      entity(
        'unit',
        'backup.service',
        { running: 0, failed: isSick ? 1 : 0, restarts: 2 },
        { state: isSick ? 'failed' : 'inactive', last_result: isSick ? 'exit-code' : 'success' },
      ),
      entity('process', 'nginx', { count: 4, cpu_percent: 2.5, memory_bytes: 40_000_000 }, { watched: 'yes' }),
      entity('updates', 'apt', { pending: 12, security: isSick ? 2 : 0, oldest_days: 9.5 }),
      entity('sensor', 'coretemp Package id 0', { temperature_celsius: 61.5, critical_celsius: 100 }, { chip: 'coretemp' }),
      entity('sensor', 'coretemp Core 0', { temperature_celsius: 58, critical_celsius: 100 }, { chip: 'coretemp' }),
      entity('sensor', 'nct6775 fan1', { fan_rpm: 1_240 }, { chip: 'nct6775' }),
      entity('sensor', 'nct6775 in0', { voltage_volts: 1.024 }, { chip: 'nct6775' }),
      entity(
        'battery',
        'ups@localhost',
        { charge_percent: 98, runtime_seconds: 1_860, on_battery: isSick ? 1 : 0, load_percent: 34 },
        { model: 'Smart-UPS 1500', state: 'OL' },
      ),
      entity(
        'gpu',
        'GPU 0',
        {
          utilization_percent: 45,
          memory_used_bytes: 2e9,
          memory_total_bytes: 24e9,
          temperature_celsius: 66,
          power_watts: 120.5,
          fan_percent: 40,
        },
        { model: 'RTX 4090', driver: '565.77' },
      ),
      entity('memory', 'mc0', { corrected_errors: 0, uncorrected_errors: 0 }, { type: 'DDR5' }),
      entity('pressure', 'cpu', { some_percent: 11.2, full_percent: 0 }),
      entity('pressure', 'io', { some_percent: 4.2, full_percent: 1.1 }),
      entity('limit', 'conntrack', { used: 1_200, maximum: 262_144, percent: 0.46 }),
      entity(
        'disk',
        'nvme0n1',
        { healthy: 1, temperature_celsius: 38, used_percent: 3, power_on_hours: 8_214, media_errors: 0, size_bytes: 1e12 },
        { model: 'Samsung SSD 990 PRO 1TB', serial: 'S6Z1NJ0W', firmware: '4B2QJXD7', protocol: 'nvme' },
      ),
      entity(
        'disk',
        'sda',
        {
          healthy: isSick ? 0 : 1,
          temperature_celsius: 44,
          reallocated_sectors: isSick ? 24 : 0,
          pending_sectors: isSick ? 8 : 0,
          power_on_hours: 41_333,
          size_bytes: 8e12,
        },
        { model: 'WDC WD80EFZX', serial: 'VK0ABCDE', protocol: 'sata' },
      ),
      entity(
        'array',
        'md0',
        { healthy: isSick ? 0 : 1, devices: 2, failed_devices: isSick ? 1 : 0, size_bytes: 8e12 },
        { type: 'md', level: 'raid1', state: isSick ? 'degraded' : 'active' },
      ),
      entity('metric', 'queue_length{queue="mail"}', { value: 42 + minute }, { type: 'gauge', help: 'Mails that wait' }),
    ],
    ...(isSick &&
      minute === 9 && {
        entity_events: [
          { at, kind: 'container', name: 'worker-3', type: 'died', exit_code: 137, oom: true, lines: ['out of memory', 'bye'] },
        ],
      }),
  }
}

const entity = (kind: string, name: string, values: object, attributes?: object) => ({
  kind,
  name,
  values,
  ...(attributes && { attributes }),
})

const containersOf = (minute: number, isSick: boolean) =>
  ['shop/web', 'shop/worker', 'shop/redis', 'worker-3', 'registry-cache'].map((name, index) => {
    const isDead = isSick && index === 3
    const [project, service] = name.split('/')
    return entity(
      'container',
      name,
      {
        cpu_percent: index === 0 ? 5 + minute : 12 + index,
        memory_bytes: 450_000_000 + index * 31_000_000,
        memory_percent: 4 + index,
        network_rx_bytes_per_sec: 1_000 * index,
        network_tx_bytes_per_sec: 500 * index,
        read_bytes_per_sec: 0,
        write_bytes_per_sec: 100 * index,
        running: isDead ? 0 : 1,
        restarts: index === 0 ? 3 : 0,
        ...(isDead && { exit_code: 137, oom_kills: 1 }),
        ...(index === 0 && { healthy: 1, update_available: 1 }),
      },
      {
        engine: 'docker',
        image: `registry.example.com/${name}:1.4`,
        state: isDead ? 'exited' : 'running',
        ...(index === 0 && { health: 'healthy' }),
        ...(service !== undefined && { project, service }),
        started_at: '2026-11-20T08:00:00.000Z',
      },
    )
  })
